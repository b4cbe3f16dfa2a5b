import {
  addPredicate,
  columnAt,
  comparisonWith,
  type Draft,
  takeLiteral,
  tokenAt,
  wordAt,
} from './draft.ts';
import { COMPARISONS, type Word } from './lexicon.ts';
import type { Period } from './periods.ts';
import { unclear } from './request.ts';
import { type Column, columnNamed, isTime } from './schema.ts';
import type { Comparison } from './statement.ts';
import { isUnknown } from './tokens.ts';

/** Takes what it knows from where the draft stands, and says whether it took anything. */
export type Rule = (draft: Draft) => boolean;

/** `column = value`, "column is empty", "把 column 从 a 改成 b", or a column alone. */
export const columnRule: Rule = (draft) => {
  const column = columnAt(draft);
  if (!column) return false;
  draft.at += 1;
  if (wordAt(draft) === 'columns' || tokenAt(draft)?.text === '的值') draft.at += 1;
  if (draft.assigning && wordAt(draft) !== 'to') return assign(draft, column);
  const word = wordAt(draft);
  if (word === 'to') return assign(draft, column);
  if (word !== undefined && COMPARISONS.has(word))
    return compare(draft, column, word as Comparison);
  const read = word && COLUMN_WORDS[word];
  if (read) return read(draft, column);
  const token = tokenAt(draft);
  if (token?.period && isTime(column)) return within(draft, column, token.period);
  return token?.value ? compareHere(draft, column, '=') : alone(draft, column);
};

export const within = (draft: Draft, column: Column, period: Period): true => {
  addPredicate(draft, { column: column.name, op: 'period', period });
  draft.at += 1;
  return true;
};

const alone = (draft: Draft, column: Column): true => {
  draft.columns.push(column);
  return true;
};

const assign = (draft: Draft, column: Column): true => {
  if (['=', 'to', 'colon'].includes(wordAt(draft) ?? '')) draft.at += 1;
  const listed = wordAt(draft) === undefined || !ENDS_ASSIGNMENT.has(wordAt(draft) as Word);
  const literal = listed && !columnAt(draft) ? takeLiteral(draft, column) : undefined;
  draft.set.push({ column: column.name, literal });
  return true;
};
const ENDS_ASSIGNMENT = new Set<Word>(['comma', 'close', 'values', 'where', 'noise', 'and']);

const compare = (draft: Draft, column: Column, op: Comparison): true => {
  draft.at += 1;
  const next = wordAt(draft);
  // "is at least", 是大于
  if (op === '=' && next !== undefined && COMPARISONS.has(next))
    return compare(draft, column, next as Comparison);
  return compareHere(draft, column, op);
};
export const compareHere = (draft: Draft, column: Column, op: Comparison): true => {
  const { period } = tokenAt(draft) ?? {};
  if (period && op === '=' && isTime(column)) return within(draft, column, period);
  const literal = takeLiteral(draft, column);
  if (literal === undefined)
    draft.unclear ??= unclear('words', tokenAt(draft)?.text ?? column.name);
  else addPredicate(draft, comparisonWith(column, op, literal));
  return true;
};

const test = (op: 'null' | 'not-null') => (draft: Draft, column: Column) => {
  addPredicate(draft, { column: column.name, op });
  draft.at += 1;
  return true;
};

const COLUMN_WORDS: Partial<Record<Word, (draft: Draft, column: Column) => boolean>> = {
  empty: test('null'),
  filled: test('not-null'),
  before: (draft, column) => compare(draft, column, '<'),
  after: (draft, column) => compare(draft, column, '>='),
  in: (draft, column) => {
    if (wordAt(draft, 1) !== 'open') return alone(draft, column);
    draft.at += 2;
    compareHere(draft, column, '=');
    while (alternativeRule(draft));
    if (wordAt(draft) === 'close') draft.at += 1;
    return true;
  },
  from: (draft, column) => {
    if (!tokenAt(draft, 1)?.value || wordAt(draft, 2) !== 'to') return alone(draft, column);
    draft.at += 1;
    compareHere(draft, column, '=');
    return assign(draft, column);
  },
};

/** "status = 1 or 2", "status 是 1、2": one more value for the condition right before. */
export const alternativeRule: Rule = (draft) => {
  const [before, joint, next] = [tokenAt(draft, -1), tokenAt(draft), tokenAt(draft, 1)];
  const joins = joint?.word === 'or' || joint?.word === 'comma' || joint?.text === '和';
  const last = draft.where.at(-1)?.at(-1);
  if (!joins || !before || !next || draft.assigning) return false;
  if (!last || (last.op !== '=' && last.op !== '<>')) return false;
  // Behind a mere comma an unknown word is more likely a remark than a value: "…，尽快".
  const value = next.value || (isUnknown(next) && !/^[,，]$/u.test(joint?.text ?? ''));
  if (!value || before.word === 'noise' || before.name) return false;
  const column = columnNamed(draft.table, last.column);
  draft.at += 1;
  const literal = column && takeLiteral(draft, column);
  if (literal === undefined) return true;
  draft.where.at(-1)?.splice(-1, 1, { ...last, literals: [...last.literals, literal] });
  return true;
};
