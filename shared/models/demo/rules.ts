import { alternativeRule, columnRule, compareHere, type Rule, within } from './column-rules.ts';
import {
  addPredicate,
  columnAt,
  comparisonWith,
  type Draft,
  isTableAt,
  newDraft,
  takeLiteral,
  takeValue,
  tokenAt,
  wordAt,
} from './draft.ts';
import type { Word } from './lexicon.ts';
import { countIn } from './periods.ts';
import { unclear } from './request.ts';
import { columnNamed, type Table, timeColumnOf } from './schema.ts';
import { literalFor } from './statement.ts';
import { isUnknown, type Token } from './tokens.ts';

const joinRule: Rule = (draft) => {
  const word = wordAt(draft);
  if (word !== 'and' && word !== 'or' && word !== 'comma') return false;
  draft.or = word === 'or';
  draft.at += 1;
  return true;
};

/** 改成 with no column before it: either `column = value` follows, or the value of the column named last. */
const toRule: Rule = (draft) => {
  if (wordAt(draft) !== 'to') return false;
  draft.at += 1;
  draft.words.add('to');
  if (columnAt(draft)) {
    draft.assigning = true;
    return true;
  }
  if (isTableAt(draft)) return true;
  const column = draft.columns.pop();
  if (column) draft.set.push({ column: column.name, literal: takeLiteral(draft, column) });
  else {
    const taken = takeValue(draft);
    if (taken) draft.loose = taken.value;
  }
  return true;
};

/** "Last month", "before 2026-01-01", "2026-01-01 之前", with no column named. */
const periodRule: Rule = (draft) => {
  const token = tokenAt(draft);
  const first = token?.value?.kind === 'date';
  const side = wordAt(draft, first ? 1 : 0);
  const date = tokenAt(draft, first ? 0 : 1)?.value;
  const dated = (side === 'before' || side === 'after') && date?.kind === 'date';
  if (!token?.period && !dated) return false;
  const column = timeColumnOf(draft.table);
  if (!column) {
    draft.unclear ??= unclear('no-time', draft.table.name);
    return true;
  }
  if (token?.period) return within(draft, column, token.period);
  const literal = date && literalFor(column, date);
  if (literal) addPredicate(draft, comparisonWith(column, side === 'before' ? '<' : '>=', literal));
  draft.at += 2;
  return true;
};

/** The table itself; with a number behind it, the row of that id. */
const tableRule: Rule = (draft) => {
  if (!isTableAt(draft)) {
    const other = tokenAt(draft)?.name?.tables[0];
    if (other === undefined || tokenAt(draft)?.word !== undefined) return false;
    draft.unclear ??= unclear('two-tables', `${draft.table.name}, ${other}`);
    return true;
  }
  draft.at += 1;
  const id = columnNamed(draft.table, 'id');
  const number = tokenAt(draft)?.value?.kind === 'number';
  const inserts = draft.words.has('insert');
  // "set level = 3 for customers …": behind the table come conditions.
  if (draft.set.length > 0 && !inserts) draft.assigning = false;
  return id && number && !inserts ? compareHere(draft, id, '=') : true;
};

const limitRule: Rule = (draft) => {
  const word = wordAt(draft);
  const led = word === 'first' || word === 'latest' || word === 'top';
  const limit = numberOf(tokenAt(draft, led ? 1 : 0));
  const followed = isTableAt(draft, 1) || wordAt(draft, 1) === 'rows';
  if (limit === undefined || limit < 1 || !(led || followed)) return false;
  draft.limit = limit;
  draft.latest = word === 'latest';
  draft.top = word === 'top';
  draft.at += led ? 2 : 1;
  return true;
};
const numberOf = (token: Token | undefined): number | undefined =>
  token && (token.value?.kind === 'number' || isUnknown(token))
    ? countIn(token.value?.text ?? token.text)
    : undefined;

const byRule: Rule = (draft) => {
  const column = wordAt(draft) === 'by' ? columnAt(draft, 1) : undefined;
  const direction = wordAt(draft);
  if (column) {
    draft.by = { column: column.name };
    draft.at += 2;
    return true;
  }
  if ((direction !== 'ascending' && direction !== 'descending') || !draft.by) return false;
  draft.by.descending = direction === 'descending';
  draft.at += 1;
  return true;
};

/** `(name, city) VALUES ('Ann', 'Paris')`, and the signs of `count(*)`. */
const listRule: Rule = (draft) => {
  const word = wordAt(draft);
  const inserts = draft.words.has('insert');
  const counts = word === 'open' && wordAt(draft, 1) === 'star' && wordAt(draft, 2) === 'close';
  if (word === 'star' || counts) {
    draft.at += counts ? 3 : 1;
    return true;
  }
  if (inserts && ((word === 'open' && columnAt(draft, 1)) || word === 'close')) {
    draft.at += 1;
    return true;
  }
  if (!inserts || word !== 'values' || wordAt(draft, 1) !== 'open') return false;
  draft.at += 2;
  for (const [index, { column: name }] of draft.set.entries()) {
    const column = columnNamed(draft.table, name);
    const literal = column && takeLiteral(draft, column);
    draft.set[index] = { column: name, literal };
    if (wordAt(draft) === 'comma') draft.at += 1;
  }
  return true;
};

const KEPT = new Set<Word>([
  ...(['count', 'list', 'delete', 'clear', 'update', 'assign', 'insert', 'describe'] as const),
  ...(['tables', 'columns', 'which', 'all'] as const),
]);
const PASSED = new Set<Word>(['noise', 'rows', 'take', 'in', 'from', 'colon', 'more', 'where']);

const wordRule: Rule = (draft) => {
  const word = wordAt(draft);
  if (word === undefined || !(KEPT.has(word) || PASSED.has(word))) return false;
  if (KEPT.has(word)) draft.words.add(word);
  if (word === 'assign' || word === 'insert') draft.assigning = true;
  if (word === 'where' && !draft.words.has('insert')) draft.assigning = false;
  draft.at += 1;
  return true;
};

const RULES: readonly Rule[] = [
  limitRule,
  byRule,
  columnRule,
  periodRule,
  tableRule,
  alternativeRule,
  joinRule,
  toRule,
  listRule,
  wordRule,
];

/** Reads a clause about one table. Every word has to be understood: one left over could have turned the meaning round. */
export const readDraft = (
  table: Table,
  text: string,
  tokens: readonly Token[],
  assigning = false,
): Draft => {
  const draft = { ...newDraft(table, text, tokens), assigning };
  while (!draft.unclear && draft.at < tokens.length)
    if (!RULES.some((rule) => rule(draft)))
      draft.unclear = unclear('words', tokenAt(draft)?.text ?? '');
  return draft;
};
