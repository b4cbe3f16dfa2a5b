import type { ModelFailure } from '#domain/conversation.ts';

/** `unavailable`: overloaded, unreachable, cut off or too slow. It alone is worth another try later. */
export type ModelTrouble = ModelFailure | 'unavailable';

/** The message is for operators: what the provider said and what to do. People are told by their language's texts. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelTrouble;
  readonly retryable: boolean;
  /** The provider said when, and it is later than this function lives. */
  readonly retryAt: number | undefined;
  constructor(code: ModelTrouble, why: string, retryAt?: number) {
    super(why);
    this.code = code;
    this.retryable = code === 'unavailable';
    this.retryAt = retryAt;
  }
}
