/** Give the job back until then: somebody else may still be at it. */
export class RetryLaterError extends Error {
  readonly code = 'RETRY_LATER';
  readonly retryable = true;
  readonly at: number;
  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}

/** Another job holds the turn now: this one stops without a word, and nothing is wrong. */
export class LostTurnError extends Error {
  readonly code = 'LOST_TURN';
}

export const isRetryable = (error: unknown): boolean =>
  !(error instanceof Error && 'retryable' in error && error.retryable === false);
