import { isNot, set, type Write } from '#domain/expression.ts';
import type { JobName, SessionId } from '#domain/ids.ts';
import { keys, shards } from '#domain/keys.ts';

/** A dead letter that is no job this release knows; another may. Kept like a job that was given up, but as it came. */
export interface UnreadableJob {
  /** What people wrote may be in it: it is in the table, and in no log. */
  readonly body: string;
  /** Of the queue. */
  readonly group: string;
  readonly delivery: string;
  readonly at: number;
}

export const unreadableName = (delivery: string): string => `u:${delivery}`;

/** Under its session if it names one, so that `forget` finds it. */
export const sessionOf = ({ body, group }: Pick<UnreadableJob, 'body' | 'group'>): SessionId => {
  try {
    const { session } = JSON.parse(body) as { readonly session?: unknown };
    if (typeof session === 'string' && session.length <= LONGEST_SESSION && session !== '')
      return session as SessionId;
  } catch {
    // Then it is not even JSON.
  }
  return group as SessionId;
};

/** A key of the table holds 2 KB. */
const LONGEST_SESSION = 500;

export const recordUnreadable = (job: UnreadableJob): Write => {
  const { body, group, delivery, at } = job;
  const session = sessionOf(job);
  return {
    key: keys.failedJob(session, unreadableName(delivery) as JobName),
    // Once: a dead letter that comes twice is not put back into the list by which it was redriven.
    only: isNot('delivery', delivery),
    change: [
      set('body', body),
      set('group', group),
      set('delivery', delivery),
      set('at', at),
      set('shard', shards.failed(session)),
    ],
  };
};
