import type { Draft } from './draft.ts';
import type { Word } from './lexicon.ts';
import { type Request, type Unclear, unclear } from './request.ts';
import type { Assignment, Statement } from './statement.ts';

const CHANGES: readonly (readonly [Statement['kind'], readonly Word[]])[] = [
  ['delete', ['delete', 'clear']],
  ['update', ['update', 'assign', 'to']],
  ['insert', ['insert']],
];
const LOOKS: readonly Word[] = ['count', 'list', 'which', 'describe'];

/** What a clause asks for; `undefined` where its verbs ask for different things. */
export const kindOf = ({ words, set }: Draft): Statement['kind'] | undefined => {
  const changes = CHANGES.filter(([, verbs]) => verbs.some((verb) => words.has(verb)));
  const [change, ...others] = changes;
  if (change) {
    const looks = LOOKS.some((word) => words.has(word));
    return others.length > 0 || looks ? undefined : change[0];
  }
  if (set.length > 0) return 'update';
  return words.has('count') ? 'count' : 'list';
};

/** The last word on a column counts: SQL takes each only once. */
export const lastOfEach = (set: readonly Assignment[]): readonly Assignment[] => [
  ...new Map(set.map((one) => [one.column, one])).values(),
];

export const requestFrom = (draft: Draft): Request | Unclear => {
  if (draft.unclear) return draft.unclear;
  const { table, words, where, columns, by, limit, latest, top } = draft;
  const kind = kindOf(draft);
  const named = columns.map(({ name }) => name);
  if (kind === undefined) return unclear('verb', draft.text);
  const structure = words.has('describe') || words.has('columns');
  if (kind === 'list' && structure && where.length === 0 && named.length === 0)
    return { kind: 'describe', table: table.name };
  const odd = oddPart(draft, kind);
  if (odd !== undefined) return unclear('words', odd);
  const assigned = kind === 'update' || kind === 'insert';
  return {
    kind,
    table,
    where,
    all: words.has('all') || words.has('clear'),
    set: assigned ? lastOfEach([...draft.set, ...named.map((column) => ({ column }))]) : [],
    columns: kind === 'list' ? named : [],
    ...(by && { by: { descending: top, ...by } }),
    ...(limit !== undefined && { limit }),
    latest,
  };
};

/** Something was said that this kind of request has no place for. */
const oddPart = (draft: Draft, kind: Statement['kind']): string | undefined => {
  const { columns, where, by, limit, loose } = draft;
  if (loose) return loose.text;
  if ((kind === 'delete' || kind === 'count') && columns[0]) return columns[0].name;
  if (kind === 'insert' && where[0]?.[0]) return where[0][0].column;
  if (kind === 'insert' && limit !== undefined && limit !== 1) return String(limit);
  if (kind === 'count' && limit !== undefined) return String(limit);
  return by && kind !== 'list' && kind !== 'count' && limit === undefined ? by.column : undefined;
};
