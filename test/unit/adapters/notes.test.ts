import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '#adapters/memory/store.ts';
import { createStoreNotes } from '#adapters/notes.ts';
import type { SessionId } from '#domain/ids.ts';
import { MOST_NOTES } from '#ports/notes.ts';
import type { Store } from '#ports/store.ts';

const ANN = 'test:app:ann' as SessionId;
const BOB = 'test:app:bob' as SessionId;

const start = () => {
  const store = createMemoryStore();
  return { store, notes: createStoreNotes(store) };
};

/** Its next write is applied, but the answer is lost and the repeat refused: what an SDK's own retry looks like. */
const losingAnAnswer = (store: Store): Store => {
  let lost = false;
  return {
    ...store,
    write: async (write) => {
      const written = await store.write(write);
      if (lost) return written;
      lost = true;
      return store.write(write);
    },
  };
};

/** Somebody else writes between every read and the write that follows it. */
const overtakenBy = (store: Store, act: () => Promise<unknown>): Store => {
  let times = 1;
  return {
    ...store,
    write: async (write) => {
      if (times > 0) {
        times -= 1;
        await act();
      }
      return store.write(write);
    },
  };
};

describe('notes in the store', () => {
  it('keeps each session its own, oldest first', async () => {
    const { notes } = start();
    expect(await notes.list(ANN)).toEqual([]);
    await notes.add(ANN, 'k1', 'first');
    await notes.add(ANN, 'k2', 'second');
    await notes.add(BOB, 'k1', 'of Bob');
    expect(await notes.list(ANN)).toEqual(['first', 'second']);
    expect(await notes.list(BOB)).toEqual(['of Bob']);
  });

  it('adds once however often the same key comes, and twice for two keys', async () => {
    const { notes } = start();
    await notes.add(ANN, 'k1', 'same');
    expect(await notes.add(ANN, 'k1', 'same')).toBe('added');
    expect(await notes.list(ANN)).toEqual(['same']);
    await notes.add(ANN, 'k2', 'same');
    expect(await notes.list(ANN)).toEqual(['same', 'same']);
  });

  it('loses no note of two who write at once', async () => {
    const { store, notes } = start();
    await notes.add(ANN, 'k0', 'zero');
    const overtaken = createStoreNotes(overtakenBy(store, () => notes.add(ANN, 'k1', 'one')));
    expect(await overtaken.add(ANN, 'k2', 'two')).toBe('added');
    expect(await notes.list(ANN)).toEqual(['zero', 'one', 'two']);
  });

  it('recognises its own write whose answer was lost', async () => {
    const { store, notes } = start();
    await createStoreNotes(losingAnAnswer(store)).add(ANN, 'k1', 'one');
    expect(await notes.list(ANN)).toEqual(['one']);
    const cleared = await createStoreNotes(losingAnAnswer(store)).clear(ANN, 'k2', 1);
    expect(cleared).toEqual({ kind: 'cleared', count: 1 });
  });

  it('is full at its number of notes, and at the size an item may have', async () => {
    const { notes } = start();
    for (let index = 0; index < MOST_NOTES; index += 1)
      expect(await notes.add(ANN, `k${index}`, 'x')).toBe('added');
    expect(await notes.add(ANN, 'one more', 'x')).toBe('full');
    expect(await notes.add(ANN, 'k0', 'x')).toBe('added');
    expect(await notes.list(ANN)).toHaveLength(MOST_NOTES);

    const long = '笔'.repeat(1_000);
    let added = 0;
    while ((await notes.add(BOB, `k${added}`, long)) === 'added') added += 1;
    expect(added).toBe(100);
  });

  it('clears all, once, and only as many as the caller knows of', async () => {
    const { store, notes } = start();
    await notes.add(ANN, 'k1', 'one');
    await notes.add(ANN, 'k2', 'two');
    expect(await notes.clear(ANN, 'c1', 1)).toEqual({ kind: 'more', count: 2 });
    expect(await notes.list(ANN)).toHaveLength(2);
    const overtaken = createStoreNotes(overtakenBy(store, () => notes.add(ANN, 'k3', 'three')));
    expect(await overtaken.clear(ANN, 'c1', 2)).toEqual({ kind: 'more', count: 3 });
    expect(await notes.clear(ANN, 'c2', 3)).toEqual({ kind: 'cleared', count: 3 });
    expect(await notes.list(ANN)).toEqual([]);
    await notes.add(ANN, 'k4', 'four');
    expect(await notes.clear(ANN, 'c2', 3)).toEqual({ kind: 'cleared', count: 3 });
    expect(await notes.list(ANN)).toEqual(['four']);
  });
});
