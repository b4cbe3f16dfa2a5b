import * as z from 'zod';
import type { Question } from '#domain/ask.ts';
import type { Json, JsonObject } from '#domain/canonical-json.ts';
import type { SessionId } from '#domain/ids.ts';
import type { Approvers, Language, Risk } from '#domain/settings.ts';
import type { Log } from './log.ts';

/** What the host hands to tools: ports such as a database or `fetch`, so that a tool file builds no client. */
export interface Resources {
  readonly fetch?: typeof fetch;
}

export interface ToolContext {
  /** The same for every try of this call under this approval. */
  readonly idempotencyKey: string;
  /** Aborted at the tool's limit. */
  readonly signal: AbortSignal;
  readonly session: SessionId;
  readonly log: Log;
  /** What the person reads. */
  readonly language: Language;
  readonly resources: Resources;
  /** The preview the person approved. */
  readonly shown: string | undefined;
  /** Saves into the ledger row while running, for `recover`. Throws when this runner no longer owns the call. */
  checkpoint(data: Json): Promise<void>;
}

export interface PreviewContext
  extends Pick<ToolContext, 'signal' | 'session' | 'log' | 'language' | 'resources'> {
  /** Why the run before answered `changed`, when this asks anew. */
  readonly changed?: string;
}

/** What a tool answers: text or JSON for the model, or that doing it would be more than what was shown. */
export type ToolAnswer = Json | undefined | Changed;
export class Changed {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}
/** The tool cannot say whether it was done: the message tells the model and the person what to look at. */
export class OutcomeUnknownError extends Error {
  readonly code = 'OUTCOME_UNKNOWN';
}
/** Nothing was done: what would be done is bigger than what the person approved, so they are asked again. */
export const changed = (why: string): Changed => new Changed(why);

export type Recovered =
  | { readonly happened: true; readonly result: Json }
  | { readonly happened: false }
  | 'unknown';

interface Common<Input> {
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly summary?: (input: Input, language: Language) => string;
  /** A resource without which the tool is not offered. */
  readonly needs?: keyof Resources;
}

export interface Definition<Input> extends Common<Input> {
  readonly risk: Risk | ((input: Input) => Risk);
  run(input: Input, context: ToolContext): Promise<ToolAnswer>;
  /** What it would do, found without doing it, for the card. */
  preview?(input: Input, context: PreviewContext): Promise<string>;
  /** Safe to run again with the same `idempotencyKey`. */
  readonly idempotent?: boolean;
  /** After a crash: did it happen? */
  recover?(checkpoint: Json, context: PreviewContext): Promise<Recovered>;
  readonly timeoutSeconds?: number;
  readonly approvers?: Approvers;
  /** How long the question waits, where it differs from the settings. */
  readonly askSeconds?: number;
}

/** A tool whose work is a question to a person: it runs nothing. */
export interface QuestionDefinition<Input> extends Common<Input> {
  question(input: Input): Question & { readonly kind: 'input' | 'choice' };
}

export type Parsed =
  | { readonly kind: 'input'; readonly input: unknown }
  | { readonly kind: 'wrong'; readonly why: string };

/** A tool with its input type sealed inside: whoever holds one can only pass what `parse` gave out. */
export interface Tool {
  readonly description: string;
  readonly schema: JsonObject;
  readonly needs: keyof Resources | undefined;
  parse(input: Json): Parsed;
  summary(input: unknown, language: Language): string | undefined;
  readonly work: Work | undefined;
  readonly question:
    | ((input: unknown) => Question & { readonly kind: 'input' | 'choice' })
    | undefined;
}

export interface Work {
  risk(input: unknown): Risk;
  run(input: unknown, context: ToolContext): Promise<ToolAnswer>;
  readonly preview: ((input: unknown, context: PreviewContext) => Promise<string>) | undefined;
  readonly recover: ((checkpoint: Json, context: PreviewContext) => Promise<Recovered>) | undefined;
  readonly idempotent: boolean;
  readonly timeoutSeconds: number;
  readonly approvers: Approvers | undefined;
  readonly askSeconds: number | undefined;
}

const DEFAULT_TIMEOUT_SECONDS = 60;

const workOf = <Input>(definition: Definition<Input>): Work => {
  const { risk, preview, recover } = definition;
  return {
    risk: (input) => (typeof risk === 'function' ? risk(input as Input) : risk),
    run: (input, context) => definition.run(input as Input, context),
    preview: preview && ((input, context) => preview(input as Input, context)),
    recover,
    idempotent: definition.idempotent ?? false,
    timeoutSeconds: definition.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    approvers: definition.approvers,
    askSeconds: definition.askSeconds,
  };
};

/** Everything about a tool is in its definition, its risk too. */
export const defineTool = <Input>(
  definition: Definition<Input> | QuestionDefinition<Input>,
): Tool => ({
  description: definition.description,
  // What the model has to give, not what `parse` makes of it: a field with a default may be left out.
  schema: z.toJSONSchema(definition.input, { io: 'input' }) as JsonObject,
  needs: definition.needs,
  parse: (input) => {
    const parsed = definition.input.safeParse(input);
    return parsed.success
      ? { kind: 'input', input: parsed.data }
      : { kind: 'wrong', why: z.prettifyError(parsed.error) };
  },
  summary: (input, language) => definition.summary?.(input as Input, language),
  work: 'run' in definition ? workOf(definition) : undefined,
  question: 'question' in definition ? (input) => definition.question(input as Input) : undefined,
});

/** Runs a tool within its limit. A port, so that time comes from outside. */
export interface Runner {
  within<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Asks every few seconds whether the work is still wanted, and stops it when it is not. */
  unless<T>(
    unwanted: () => Promise<boolean>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | 'stopped'>;
}

export class ToolTimeoutError extends Error {
  readonly code = 'TOOL_TIMEOUT';
}
