import type { Key } from '#domain/expression.ts';
import type { SessionId } from '#domain/ids.ts';
import { shards } from '#domain/keys.ts';
import type { FailedJob } from '#domain/operator-moves.ts';
import { readSession, type Session } from '#domain/session.ts';
import type { Store } from '#ports/store.ts';
import type { UnreadableJob } from '../../lambda/unreadable-job.ts';

const keysIn = async (store: Store, of: 'W' | 'F'): Promise<readonly Key[]> => {
  const found = await Promise.all(shards.all(of).map((shard) => store.find(shard))).catch(
    (error: Error) => {
      if (error.name !== 'ValidationException' || !/index/i.test(error.message)) throw error;
      throw new Error(
        'the table was made by an earlier release and has no index: deployed, npx cdk deploy; local, npm start -- --reset, which starts empty',
        { cause: error },
      );
    },
  );
  return found.flat();
};

/** Sessions that wait or run. Read again by key: the index may be a moment late. */
export const busySessions = async (store: Store): Promise<readonly Session[]> => {
  const keys = await keysIn(store, 'W');
  const items = await store.read(keys);
  return items
    .map((item, index) => readSession(keys[index]?.pk.slice(2) as SessionId, item))
    .filter(({ phase }) => phase !== 'IDLE');
};

type Kept = FailedJob | UnreadableJob;
export type FoundJob = Kept & {
  readonly key: Key;
  readonly name: string;
  readonly session: SessionId;
};

/** Oldest first. */
export const failedJobs = async (store: Store): Promise<readonly FoundJob[]> => {
  const keys = await keysIn(store, 'F');
  const items = await store.read(keys);
  return items
    .flatMap((item, index) => {
      const key = keys[index];
      if (!key || !item?.['shard']) return [];
      const [session, name] = [key.pk.slice(2) as SessionId, key.sk.slice(2)];
      return [{ ...(item as unknown as Kept), key, session, name }];
    })
    .toSorted((a, b) => a.at - b.at);
};
