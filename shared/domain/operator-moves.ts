import type { Json } from './canonical-json.ts';
import { all, any, is, isNot, type Key, missing, remove, set, type Write } from './expression.ts';
import { nameOf, type TurnJob } from './job.ts';
import { keys, shards } from './keys.ts';
import { SESSION_VERSION, type Session } from './session.ts';

/** A job that was given up, until an operator puts it back. */
export interface FailedJob {
  readonly job: TurnJob;
  /** The queue's id of the message that failed: it tells a repeat from a job that was put back and failed again. */
  readonly delivery: string;
  readonly at: number;
}

export const recordFailure = (job: TurnJob, delivery: string, at: number): Write => ({
  key: keys.failedJob(job.session, nameOf(job)),
  only: isNot('delivery', delivery),
  change: [
    set('job', job as unknown as Json),
    set('delivery', delivery),
    set('at', at),
    set('shard', shards.failed(job.session)),
  ],
});

/** Out of the index, unless it failed again meanwhile. */
export const closeFailure = (key: Key, delivery: string, at: number): Write => ({
  key,
  only: is('delivery', delivery),
  change: [set('redrivenAt', at), remove('shard')],
});

/**
 * What is left of a forgotten session: which messages it has accepted, or the platform's redelivery would run them
 * again, and how many questions it asked, or an old answer would fit a new one. Only if it is idle and has accepted
 * nothing since it was looked at: then all rows found meanwhile are of turns that have ended.
 */
export const forgetSession = ({ id, accepted }: Pick<Session, 'id' | 'accepted'>): Write => ({
  key: keys.session(id),
  only: all(
    any(missing('phase'), is('phase', 'IDLE')),
    accepted ? is('accepted.sequence', accepted.sequence) : missing('accepted'),
  ),
  change: [
    set('version', SESSION_VERSION),
    set('phase', 'IDLE'),
    ...['ask', 'recent', 'aside', 'historyFrom'].map(remove),
  ],
});

/** The bare id stays: it is what a repeat is recognised by. */
export const forgetMessage = (key: Key): Write => ({
  key,
  change: ['message', 'sequence', 'delivery', 'decided', 'dead'].map(remove),
});
