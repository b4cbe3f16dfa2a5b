import { requestFrom } from './build.ts';
import { type Clause, clausesOf, readNoteClause } from './clauses.ts';
import { COMPARISONS, VERBS, type Word } from './lexicon.ts';
import { columnOf, namesOf } from './names.ts';
import type { Phrases } from './phrases.ts';
import { isStatement, type Request, type Unclear, unclear, type Wanted } from './request.ts';
import { readDraft } from './rules.ts';
import type { Schema, Table } from './schema.ts';
import { type Answers, fillSlots, type Question } from './slots.ts';
import { isUnknown, type Token, tokensOf } from './tokens.ts';

export type Understood =
  | { readonly kind: 'requests'; readonly requests: readonly Request[] }
  /** Something about the database has to be looked up first. */
  | { readonly kind: 'learn'; readonly calls: readonly Wanted[] }
  | { readonly kind: 'help' }
  | Question
  | Unclear;

const DESCRIBED_AT_ONCE = 8;

/** What a text asks for, as far as the database is known. */
export const understand = (
  text: string,
  schema: Schema,
  answers: Answers,
  phrases: Phrases,
): Understood => {
  const names = namesOf(schema);
  const clauses = clausesOf(text, tokensOf(text, names));
  const meant = clauses.filter((clause) => !isGreeting(clause));
  if (meant.length === 0) return clauses.length > 0 ? { kind: 'help' } : unclear('words', text);
  const requests: Request[] = [];
  let before: Table | undefined;
  for (const clause of meant) {
    const read = readNoteClause(clause) ?? readSqlClause(clause, schema, before, answers, phrases);
    if (read.kind === 'learn' || read.kind === 'ask' || read.kind === 'unclear') return read;
    const filled = fillSlots(read, names, answers, phrases);
    if (filled.kind === 'ask' || filled.kind === 'unclear') return filled;
    if (isStatement(filled)) before = filled.table;
    requests.push(filled);
  }
  return { kind: 'requests', requests };
};

const isGreeting = ({ tokens }: Clause): boolean => {
  const words = tokens.map(({ word }) => word);
  return (
    words.includes('help') &&
    words.every((word) => word === 'help' || word === 'noise' || word === 'comma')
  );
};

type Learn = Understood & { readonly kind: 'learn' };
const learn = (...calls: readonly Wanted[]): Learn => ({ kind: 'learn', calls });
const describe = ({ name }: Table): Wanted => ({ tool: 'describe_table', input: { table: name } });

const readSqlClause = (
  clause: Clause,
  schema: Schema,
  before: Table | undefined,
  answers: Answers,
  phrases: Phrases,
): Request | Learn | Question | Unclear => {
  if (!schema.listed) return learn({ tool: 'list_tables', input: {} });
  if (isAboutTables(clause)) return { kind: 'tables' };
  const about = candidateTables(clause, schema, before);
  if (about.kind === 'unclear') return about;
  const { tables: candidates } = about;
  const unknown = candidates.filter(({ columns }) => columns === undefined);
  if (unknown.length > 0 && unknown.length <= DESCRIBED_AT_ONCE)
    return learn(...unknown.map(describe));
  const fitting = candidates.filter((table) => fits(clause, table));
  const [only] = fitting;
  const table =
    only && fitting.length === 1
      ? only
      : chosenTable(fitting.length > 0 ? fitting : candidates, answers, phrases);
  if ('kind' in table) return table;
  if (table.columns === undefined) return learn(describe(table));
  return requestFrom(readDraft(table, clause.text, clause.tokens));
};

const chosenTable = (
  tables: readonly Table[],
  answers: Answers,
  phrases: Phrases,
): Table | Question | Unclear => {
  const answer = answers.next().value;
  const options = tables.map(({ name }) => name);
  if (answer === undefined)
    return { kind: 'ask', input: { kind: 'choice', prompt: phrases.askTable, options } };
  return tables.find(({ name }) => name === answer) ?? unclear('words', answer);
};

const isAboutTables = ({ tokens }: Clause): boolean => {
  const words = new Set(tokens.map(({ word }) => word));
  const asks = words.has('list') || words.has('which') || words.has('count');
  const fits = ({ word, name }: Token) => word && !name && ABOUT_TABLES.has(word);
  return words.has('tables') && asks && tokens.every(fits);
};
const ABOUT_TABLES = new Set<Word>(['list', 'which', 'count', 'tables', 'all', 'noise', 'rows']);

/** The tables a clause may be about: the one it names, the one spoken of before, else any. */
const candidateTables = (
  clause: Clause,
  { tables }: Schema,
  before: Table | undefined,
): { readonly kind: 'tables'; readonly tables: readonly Table[] } | Unclear => {
  const about = (...found: readonly Table[]) => ({ kind: 'tables', tables: found }) as const;
  const named = ({ name }: Token) => tables.filter((table) => name?.tables.includes(table.name));
  const mentioned = [...new Set(clause.tokens.flatMap(named))];
  // 客户编号 names customers, until orders is known to have a column of that name.
  if (mentioned.length > 1 && mentioned.some(({ columns }) => columns === undefined))
    return about(...mentioned);
  const isColumn = ({ name, text }: Token) =>
    mentioned.some((table) => columnOf(name, text, table) !== undefined);
  const mentions = clause.tokens.filter((token) => !isColumn(token)).map(named);
  const certain = mentions.find(({ length }) => length === 1);
  const vague = mentions.find(({ length }) => length > 1);
  if (certain ?? vague) return about(...(certain ?? vague ?? []));
  if (mentioned.length > 0) return about(...mentioned);
  const odd = oddToken(clause)?.text;
  if (before && odd === undefined) return about(before);
  if (odd !== undefined || !saysWhich(clause)) return unclear('words', odd ?? textOf(clause));
  return tables.length > 0 ? about(...tables) : unclear('no-table', '');
};

const isOperator = (token: Token | undefined): boolean =>
  token?.word !== undefined && (COMPARISONS.has(token.word) || token.word === 'to');

/** An unknown word beside a comparison may be a column or a value; anywhere else it is just unknown. */
const oddToken = ({ tokens }: Clause): Token | undefined =>
  tokens.find(
    (token, index) =>
      isUnknown(token) && !isOperator(tokens[index - 1]) && !isOperator(tokens[index + 1]),
  );
const textOf = ({ tokens, text, end }: Clause) => text.slice(tokens[0]?.start, end).trim();

/** A verb and something it could be about: enough to ask which table is meant. */
const saysWhich = ({ tokens }: Clause): boolean =>
  tokens.some(({ word }) => word !== undefined && VERBS.has(word) && word !== 'write') &&
  tokens.some(
    ({ word, value, period, name }) =>
      word === 'all' || word === 'rows' || value || period || name || isOperator({ word } as Token),
  );

/** Whether every word that names columns names one of this table. */
const fits = ({ tokens }: Clause, table: Table): boolean =>
  tokens.every(
    ({ name, text, word }) =>
      !name ||
      word !== undefined ||
      name.tables.length > 0 ||
      columnOf(name, text, table) !== undefined,
  );
