import { append, type Change, type Item, is, missing, set } from '#domain/expression.ts';
import type { SessionId } from '#domain/ids.ts';
import { type Cleared, MOST_NOTES, NOTES_BYTES, type Notes } from '#ports/notes.ts';
import type { Store } from '#ports/store.ts';

interface Row {
  readonly version: number;
  readonly notes: readonly { readonly key: string; readonly text: string }[];
  readonly cleared?: { readonly key: string; readonly count: number };
}

export const notesKey = (session: SessionId) => ({ pk: `N#${session}`, sk: '#' });

/**
 * One item per session. Every write names the version it has seen, and leaves its key behind: a refused one finds out
 * whether it was applied after all.
 */
export const createStoreNotes = (store: Store): Notes => {
  const rowOf = (item: Item | undefined): Row => ({
    version: 0,
    notes: [],
    ...(item as unknown as Row | undefined),
  });
  const read = async (session: SessionId) => rowOf((await store.read([notesKey(session)]))[0]);

  const writeOver = async (session: SessionId, { version }: Row, change: readonly Change[]) => {
    const written = await store.write({
      key: notesKey(session),
      only: version === 0 ? missing('version') : is('version', version),
      change: [set('version', version + 1), ...change],
    });
    return { written: written.kind === 'written', row: rowOf(written.item) };
  };

  return {
    list: async (session) => (await read(session)).notes.map(({ text }) => text),

    add: async (session, key, text) => {
      let row = await read(session);
      for (;;) {
        if (row.notes.some((note) => note.key === key)) return 'added';
        if (row.notes.length >= MOST_NOTES || bytesOf(row) + bytes(text) > NOTES_BYTES)
          return 'full';
        const tried = await writeOver(session, row, [append('notes', { key, text })]);
        if (tried.written) return 'added';
        row = tried.row;
      }
    },

    clear: async (session, key, most): Promise<Cleared> => {
      let row = await read(session);
      for (;;) {
        const count = row.notes.length;
        if (row.cleared?.key === key) return { kind: 'cleared', count: row.cleared.count };
        if (count > most) return { kind: 'more', count };
        const tried = await writeOver(session, row, [
          set('notes', []),
          set('cleared', { key, count }),
        ]);
        if (tried.written) return { kind: 'cleared', count };
        row = tried.row;
      }
    },
  };
};

const bytes = (text: string) => new TextEncoder().encode(text).length;
const bytesOf = ({ notes }: Row) => notes.reduce((sum, { text }) => sum + bytes(text), 0);
