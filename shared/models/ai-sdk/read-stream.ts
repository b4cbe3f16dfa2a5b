import type { JsonObject } from '#domain/canonical-json.ts';
import type { ToolCall, Usage } from '#domain/conversation.ts';
import type { Thought } from '#ports/model.ts';
import { ModelError } from '#ports/model-error.ts';
import type { SdkMetadata, SdkPart } from './sdk.ts';
import { type Author, saveTrace, type TracePart } from './trace.ts';

type Finish = Extract<SdkPart, { type: 'finish' }>;
type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'reasoning'; text: string; metadata: SdkMetadata }
  | { readonly type: 'call'; call: ToolCall; readonly metadata: SdkMetadata };

/** The answer ended before its end: what came so far is worth nothing, and the same request is worth another try. */
export class CutOffError extends Error {}
/** The provider broke off with an error inside a stream that had begun well. */
export class StreamError extends Error {}

/** Gathers what a model streams. A call counts once it is complete, and only if the whole answer is. */
export const createReader = (author: Author) => {
  const blocks: Block[] = [];
  const open = new Map<string, Exclude<Block, { type: 'call' }>>();
  let finish: Finish | undefined;
  const start = (id: string, block: Exclude<Block, { type: 'call' }>) => {
    open.set(id, block);
    blocks.push(block);
  };
  const add = (id: string, text: string, metadata?: SdkMetadata) => {
    const block = open.get(id);
    if (!block) return;
    block.text += text;
    if (block.type === 'reasoning' && metadata) block.metadata = merge(block.metadata, metadata);
  };
  return {
    take: (part: SdkPart): void => {
      if (part.type === 'text-start') start(part.id, { type: 'text', text: '' });
      if (part.type === 'reasoning-start')
        start(part.id, { type: 'reasoning', text: '', metadata: part.providerMetadata });
      if (part.type === 'text-delta') add(part.id, part.delta);
      if (part.type === 'reasoning-delta') add(part.id, part.delta, part.providerMetadata);
      if (part.type === 'reasoning-end') add(part.id, '', part.providerMetadata);
      if (part.type === 'tool-call') {
        const call = readCall(part.toolCallId, part.toolName, part.input);
        blocks.push({ type: 'call', call, metadata: part.providerMetadata });
      }
      if (part.type === 'finish') finish = part;
      if (part.type === 'error')
        throw new StreamError('the provider broke off', { cause: part.error });
    },
    thought: (): Thought => thoughtOf(author, blocks, finish),
  };
};

const merge = (one: SdkMetadata, other: NonNullable<SdkMetadata>): SdkMetadata => {
  const merged = { ...one };
  for (const [provider, values] of Object.entries(other))
    merged[provider] = { ...merged[provider], ...values };
  return merged;
};

const readCall = (id: string, tool: string, text: string): ToolCall => {
  try {
    const input: unknown = JSON.parse(text.trim() || '{}');
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return { id, tool, input: input as JsonObject };
  } catch {}
  return { id, tool, input: {}, malformed: text };
};

const thoughtOf = (
  author: Author,
  blocks: readonly Block[],
  finish: Finish | undefined,
): Thought => {
  const { unified, raw } = finish?.finishReason ?? {};
  if (!finish || unified === 'interrupted' || unified === 'error')
    throw new CutOffError('the answer was cut off');
  // A refusal in words ends like any answer (`stop`): the words are for the person. Any other was stopped half-way.
  const inWords = unified === 'content-filter' && raw === 'stop';
  if (unified === 'content-filter' && !inWords)
    throw new ModelError('refused', `the provider's filter stopped the answer (${raw})`);
  const kept = inWords ? blocks.filter(({ type }) => type !== 'call') : blocks;
  const whole = withoutThinking(unified === 'length' ? markCut(kept) : kept);
  const calls = whole.flatMap((block) => (block.type === 'call' ? [block.call] : []));
  const text = whole.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const usage = usageOf(finish);
  if (!text.trim() && calls.length === 0)
    throw new ModelError(
      'empty',
      `neither words nor calls after ${usage?.outputTokens ?? 'unknown'} tokens (finish reason ${raw})`,
    );
  return { text, calls, provider: saveTrace(author, traceParts(whole)), ...(usage && { usage }) };
};

/** Servers without a reasoning parser leave the reasoning in the text. It is not for the person. */
const withoutThinking = (blocks: readonly Block[]): readonly Block[] => {
  const first = blocks.find(({ type }) => type === 'text');
  return blocks.map((block) =>
    block === first && block.type === 'text'
      ? { ...block, text: block.text.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, '') }
      : block,
  );
};

/** At the output limit the last part may be half of what was meant, even where it parses: such a call must not run. */
const markCut = (blocks: readonly Block[]): readonly Block[] => {
  const last = blocks.at(-1);
  if (last?.type === 'call') {
    const { id, tool, input, malformed = JSON.stringify(input) } = last.call;
    return [...blocks.slice(0, -1), { ...last, call: { id, tool, input: {}, malformed } }];
  }
  if (last?.type !== 'text') return blocks;
  const text = `${last.text}\n[truncated: the model's output limit was reached]`;
  return [...blocks.slice(0, -1), { ...last, text }];
};

const traceParts = (blocks: readonly Block[]): readonly TracePart[] => {
  let calls = 0;
  return blocks.flatMap((block): TracePart[] => {
    if (block.type === 'text') return block.text ? [{ text: block.text.length }] : [];
    const metadata = block.metadata && { metadata: block.metadata };
    if (block.type === 'call') {
      calls += 1;
      return [{ call: calls - 1, ...metadata }];
    }
    return block.text || metadata ? [{ reasoning: block.text, ...metadata }] : [];
  });
};

const usageOf = ({ usage }: Finish): Usage | undefined => {
  const inputTokens = usage.inputTokens.total;
  const outputTokens = usage.outputTokens.total;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
};
