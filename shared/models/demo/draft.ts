import type { Word } from './lexicon.ts';
import { columnOf } from './names.ts';
import type { Unclear } from './request.ts';
import { type Column, isTime, type Table } from './schema.ts';
import { type Assignment, literalFor, type Predicate } from './statement.ts';
import { isUnknown, type Token, type Value } from './tokens.ts';

/** What the rules have gathered from a clause so far. */
export interface Draft {
  readonly table: Table;
  readonly text: string;
  readonly tokens: readonly Token[];
  at: number;
  /** After "set" or "改成", or in an insert, `column = value` is no longer a condition. */
  assigning: boolean;
  readonly words: Set<Word>;
  where: Predicate[][];
  /** The next condition is an alternative to those before. */
  or: boolean;
  readonly set: Assignment[];
  /** Columns named with nothing said of them. */
  readonly columns: Column[];
  /** A new value with no column named. */
  loose?: Value;
  by?: { column: string; descending?: boolean };
  limit?: number;
  latest: boolean;
  /** "Top five by …": the greatest. */
  top: boolean;
  unclear?: Unclear;
}

export const newDraft = (table: Table, text: string, tokens: readonly Token[]): Draft => ({
  table,
  text,
  tokens,
  at: 0,
  assigning: false,
  words: new Set(),
  where: [],
  or: false,
  set: [],
  columns: [],
  latest: false,
  top: false,
});

export const tokenAt = (draft: Draft, ahead = 0): Token | undefined =>
  draft.tokens[draft.at + ahead];
export const wordAt = (draft: Draft, ahead = 0): Word | undefined => tokenAt(draft, ahead)?.word;
export const columnAt = (draft: Draft, ahead = 0): Column | undefined => {
  const token = tokenAt(draft, ahead);
  return token && columnOf(token.name, token.text, draft.table);
};
export const isTableAt = (draft: Draft, ahead = 0): boolean =>
  tokenAt(draft, ahead)?.name?.tables.includes(draft.table.name) ?? false;

export const addPredicate = (draft: Draft, predicate: Predicate): void => {
  const last = draft.where.at(-1);
  if (last && !draft.or) last.push(predicate);
  else draft.where.push([predicate]);
  draft.or = false;
};

export const wrongValue = (draft: Draft, { name, type }: Column, text: string): void => {
  draft.unclear ??= { kind: 'unclear', problem: 'value', text, column: name, type };
};

interface Taken {
  readonly value: Value;
  readonly unit?: 'yuan';
  readonly none?: boolean;
}

/** Where a value written without quotes ends, when it is Chinese and has no space behind it. */
const ENDS = new Set<Word>(['and', 'or', 'comma', 'to', 'open', 'close', 'where', 'by', 'count']);
const endsValue = ({ text, word, name, period }: Token): boolean =>
  text === '的' ||
  text === '记录' ||
  period !== undefined ||
  (name?.tables.length ?? 0) > 0 ||
  (word !== undefined && ENDS.has(word));

/** A number, a date, something quoted; or words up to where they must end. */
export const takeValue = (draft: Draft): Taken | undefined => {
  const { tokens } = draft;
  const first = tokens[draft.at];
  if (!first) return undefined;
  let end = draft.at + 1;
  const adjacent = () => tokens[end]?.start === tokens[end - 1]?.end;
  if (first.value) {
    const goesOn = first.value.kind === 'number' && adjacent() && isUnknown(tokens[end] as Token);
    if (!goesOn) {
      const unit = tokens[end]?.word === 'yuan' ? ('yuan' as const) : undefined;
      draft.at = unit ? end + 1 : end;
      return { value: first.value, ...(unit && { unit }) };
    }
  }
  if (first.word === 'null') {
    draft.at = end;
    return { value: { kind: 'text', text: first.text }, none: true };
  }
  if (endsValue(first) || /^[:：<>=!≤≥≠]/u.test(first.text)) return undefined;
  for (; end < tokens.length; end += 1) {
    const [before, token] = [tokens[end - 1] as Token, tokens[end] as Token];
    const oneRun = adjacent() && !endsValue(token);
    if (!oneRun && !(isUnknown(before) && isUnknown(token))) break;
  }
  const last = tokens[end - 1] as Token;
  draft.at = end;
  return { value: { kind: 'text', text: draft.text.slice(first.start, last.end) } };
};

/** The value for a column, as SQL. A value of the wrong type makes the clause unclear. */
export const takeLiteral = (draft: Draft, column: Column): string | undefined => {
  const taken = takeValue(draft);
  if (!taken) return undefined;
  if (taken.none) return 'NULL';
  const literal = literalFor(column, taken.value, taken.unit);
  if (literal === undefined) wrongValue(draft, column, taken.value.text);
  return literal;
};

export const comparisonWith = (
  column: Column,
  op: '=' | '<>' | '<' | '<=' | '>' | '>=',
  literal: string,
): Predicate => {
  if (literal === 'NULL') return { column: column.name, op: op === '<>' ? 'not-null' : 'null' };
  const wholeDay = isTime(column) && op === '=' && /^'\d{4}-\d{2}-\d{2}'$/.test(literal);
  return wholeDay && column.type !== 'date'
    ? { column: column.name, op: 'on-day', literal }
    : { column: column.name, op, literals: [literal] };
};
