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

export const isRetryable = (error: unknown): boolean =>
  !(error instanceof Error && 'retryable' in error && error.retryable === false);
