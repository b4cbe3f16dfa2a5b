import type { Kept } from '#domain/ask.ts';
import { digest } from '#domain/digest.ts';
import { evaluate, type Item, type Key } from '#domain/expression.ts';
import { ttlAt } from '#domain/retention.ts';
import { INLINE_BYTES, type Store } from '#ports/store.ts';

export type MemoryItems = ReadonlyMap<string, Item>;

/** The table as a map whose values are never changed in place, so that a snapshot costs nothing until the next write. */
export interface MemoryStore extends Store {
  snapshot(): MemoryItems;
  restore(items: MemoryItems): void;
}

const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;

export const createMemoryStore = (): MemoryStore => {
  let items = new Map<string, Item>();
  let shared = false;

  const put = (key: Key, item: Item) => {
    if (shared) items = new Map(items);
    shared = false;
    items.set(nameOf(key), { ...item, pk: key.pk, sk: key.sk });
  };

  return {
    read: async (keys) => keys.map((key) => items.get(nameOf(key))),

    write: async (write) => {
      const written = evaluate(write, items.get(nameOf(write.key)));
      if (written.kind === 'refused') return written;
      put(write.key, written.item);
      return { kind: 'written', item: items.get(nameOf(write.key)) as Item };
    },

    list: async ({ pk, from, to, limit, backward }) => {
      const found = [...items.values()].filter(
        (item) =>
          item['pk'] === pk && (item['sk'] as string) >= from && (item['sk'] as string) <= to,
      );
      found.sort((a, b) => ((a['sk'] as string) < (b['sk'] as string) ? -1 : 1));
      return (backward ? found.reverse() : found).slice(0, limit);
    },

    find: async (shard) =>
      [...items.values()]
        .filter((item) => item['shard'] === shard)
        .map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })),

    keep: async (under, text, until): Promise<Kept> => {
      const bytes = new TextEncoder().encode(text).length;
      if (bytes <= INLINE_BYTES) return { kind: 'inline', text };
      const prefix = `L#${under.sk}#${digest([text])}`;
      const end = until === undefined ? {} : { ttl: ttlAt(until) };
      put({ pk: under.pk, sk: `${prefix}#0` }, { text, ...end });
      return { kind: 'rows', pk: under.pk, prefix, count: 1, bytes };
    },

    fetch: async (kept) => {
      if (kept.kind === 'inline') return kept.text;
      return String(items.get(nameOf({ pk: kept.pk, sk: `${kept.prefix}#0` }))?.['text']);
    },

    prolong: async (kept, until) => {
      if (kept.kind === 'inline') return;
      const key = { pk: kept.pk, sk: `${kept.prefix}#0` };
      const item = items.get(nameOf(key));
      if (item) put(key, { ...item, ttl: ttlAt(until) });
    },

    snapshot: () => {
      shared = true;
      return items;
    },
    restore: (snapshot) => {
      items = snapshot as Map<string, Item>;
      shared = true;
    },
  };
};
