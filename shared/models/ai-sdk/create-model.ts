import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Model, Thought } from '#ports/model.ts';
import { ModelError } from '#ports/model-error.ts';
import { type Fault, faultOf } from './fault.ts';
import { fetchWithin } from './fetch-within.ts';
import { estimateTokens, fitContext, sizeOf } from './fit-context.ts';
import { promptOf, type Reasoning } from './prompt.ts';
import { createReader } from './read-stream.ts';
import type { SdkModel, SdkOptions } from './sdk.ts';
import type { Author } from './trace.ts';

type ThinkRequest = Parameters<Model['think']>[0];

export interface ModelParts extends Author {
  /** Called at the first thought: only the chosen provider is ever loaded. */
  readonly load: (fetch: typeof globalThis.fetch) => Promise<SdkModel>;
  readonly key?: string | undefined;
  readonly maxOutputTokens?: number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly silenceMs?: number;
}

const TRIES = 3;
const BACKOFF_MS = 1_000;
/** A server that is at work sends something, if only a comment. */
const SILENCE_MS = 120_000;
/** Fits every model sold for tool use, with room for its answer. */
const CONTEXT_TOKENS = 100_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One step at a time behind our port: tools are described, never handed over to be run. */
export const createModel = (parts: ModelParts): Model => {
  const {
    load,
    now = Date.now,
    sleep = (ms, signal) => sleepFor(ms, undefined, { signal }),
    silenceMs = SILENCE_MS,
  } = parts;
  let loaded: Promise<SdkModel> | undefined;
  // What this server wants back of reasoning, once it has said so.
  let wanted: Reasoning = 'saved';

  const think = async (request: ThinkRequest): Promise<Thought> => {
    loaded ??= load(fetchWithin(silenceMs));
    const model = await loaded;
    const leftMs = request.deadline - now();
    const limit = AbortSignal.timeout(Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS));
    const stop = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
    let budget = budgetOf(request);
    let reasoning = wanted;
    let halved = false;
    let changed = false;
    for (let tries = 1; ; tries += 1) {
      const messages = fitContext(request.messages, budget);
      try {
        stop.throwIfAborted();
        const prompt = promptOf(request.system, messages, parts, reasoning);
        return await attempt(model, parts, { prompt, ...toolsOf(request) }, stop);
      } catch (error) {
        request.signal?.throwIfAborted();
        const fault = limit.aborted ? TOO_SLOW : faultOf(error, now());
        if (tries === TRIES || limit.aborted) throw errorOf(parts, fault);
        if (fault.code === 'overflow' && !halved) {
          halved = true;
          budget = Math.min(budget, sizeOf(...messages)) / 2;
        } else if (isReasoning(fault.code) && !changed) {
          changed = true;
          reasoning = fault.code === 'reasoning-missing' ? 'filled' : 'none';
          // Anthropic binds its signatures to what stood before them: that is about this conversation, not the server.
          if (parts.family !== 'anthropic') wanted = reasoning;
        } else {
          if (fault.code !== 'unavailable') throw errorOf(parts, fault);
          const waitMs = fault.afterMs ?? BACKOFF_MS * 4 ** (tries - 1) * (0.5 + Math.random());
          const at = now() + waitMs;
          if (at >= request.deadline) throw errorOf(parts, fault, at);
          await sleep(waitMs, stop).catch(() => undefined);
        }
      }
    }
  };
  return { think };
};

const TOO_SLOW: Fault = { code: 'unavailable', why: "no answer before the function's time was up" };

const budgetOf = ({ system, tools, contextTokens = CONTEXT_TOKENS }: ThinkRequest): number =>
  contextTokens - estimateTokens(system) - estimateTokens(JSON.stringify(tools));

const toolsOf = ({ tools }: ThinkRequest): Pick<SdkOptions, 'tools'> =>
  tools.length > 0
    ? {
        tools: tools.map(({ name, description, input }) => ({
          type: 'function',
          name,
          description,
          inputSchema: input,
        })),
      }
    : {};

const attempt = async (
  model: SdkModel,
  { family, model: id, maxOutputTokens }: ModelParts,
  options: Pick<SdkOptions, 'prompt' | 'tools'>,
  abortSignal: AbortSignal,
): Promise<Thought> => {
  const limit = maxOutputTokens && { maxOutputTokens };
  const { stream } = await model.doStream({ ...options, ...limit, abortSignal });
  const reader = createReader({ family, model: id });
  for await (const part of stream) reader.take(part);
  return reader.thought();
};

const ADVICE: Readonly<Record<ModelError['code'], string>> = {
  account: 'check MODEL_API_KEY, what it may use, and the credit of its account',
  rejected: 'check MODEL and MODEL_BASE_URL',
  overflow:
    'the question alone is more than this model reads: choose one with a larger context, or shorten the system prompt and the tools',
  refused: 'nothing to repair; another model may answer',
  empty: 'if it happens often, choose another model',
  unavailable: 'it is tried again; if it lasts, look at the status of the provider',
};

const errorOf = (
  { family, model, key }: ModelParts,
  fault: Fault,
  retryAt?: number,
): ModelError => {
  const code = isReasoning(fault.code) ? 'rejected' : fault.code;
  const why = key ? fault.why.replaceAll(key, '***') : fault.why;
  return new ModelError(code, `${family}/${model}: ${why} (${ADVICE[code]})`, retryAt);
};
const isReasoning = (code: Fault['code']): code is `reasoning-${string}` & Fault['code'] =>
  code.startsWith('reasoning-');
