import type { AskId, SessionId } from '#domain/ids.ts';

/** What a schedule brings to the timeout function. */
export interface Timer {
  readonly session: SessionId;
  readonly ask: AskId;
  readonly expiresAt: number;
  /** Only looks whether anything was left lying. */
  readonly tick?: boolean;
}

/** Timers by name; setting one that exists is a success, deleting one that does not is too. */
export interface Scheduler {
  once(name: string, at: number, timer: Timer): Promise<void>;
  every(
    name: string,
    period: { readonly minutes: number; readonly from: number; readonly until: number },
    timer: Timer,
  ): Promise<void>;
  cancel(name: string): Promise<void>;
}
