import { classify } from './classify.ts';
import { namesIn, nodesOf, parse, type Statement, scan, type Token, type Tree } from './parse.ts';
import { ONE_ROW_FUNCTIONS, RESTLESS_FUNCTIONS } from './read-functions.ts';

export type CountPlan =
  | { readonly kind: 'known'; readonly rows: number }
  /** A read whose answer is the number. */
  | { readonly kind: 'select'; readonly sql: string }
  /** Rows the planner can only guess at. */
  | { readonly kind: 'estimate' }
  | { readonly kind: 'none'; readonly why: 'hidden' | 'code' | 'structure' };

/**
 * How to find the number of rows a statement would touch without touching them. Running it and rolling back would be
 * exact too, but takes its locks, fires its triggers and uses up its sequences: so a SELECT with the same rows is made
 * from its own text. The pieces are cut at the tokens of Postgres' lexer and count only if its parser then finds in the
 * SELECT the very clauses of the statement.
 */
export const planCount = async ({ type, node, sql }: Statement): Promise<CountPlan> => {
  // WITH gone AS (DELETE …): the server counts only the outermost command.
  if (holdsWrite(type === 'SelectStmt' ? node : node['withClause']))
    return { kind: 'none', why: 'hidden' };
  const emptied = emptiedTables({ type, node });
  if (emptied.length > 0) return readOrEstimate(countAll(emptied));
  if (!COUNTED.has(type)) return { kind: 'none', why: CODE.has(type) ? 'code' : 'structure' };
  if (type === 'InsertStmt' && !isQuery(node)) return writtenRows(node);
  const count = await countOf(type, node, sql);
  return count === undefined ? { kind: 'estimate' } : readOrEstimate(count);
};

const sourceOf = (node: Tree): Tree | undefined =>
  (node['selectStmt'] as { SelectStmt?: Tree } | undefined)?.SelectStmt;

const isQuery = (node: Tree): boolean => {
  const source = sourceOf(node);
  return source !== undefined && (!source['valuesLists'] || Boolean(source['limitCount']));
};

/** Rows that stand in the text itself. One with a function in it may be many: VALUES (generate_series(1, 9)). */
const writtenRows = (node: Tree): CountPlan => {
  const values = (sourceOf(node)?.['valuesLists'] ?? [{}]) as readonly unknown[];
  const oneEach = functionsIn(values).every((name) => ONE_ROW_FUNCTIONS.has(name));
  return values.length > 1 || oneEach
    ? { kind: 'known', rows: values.length }
    : { kind: 'estimate' };
};

const functionsIn = (tree: unknown): readonly string[] =>
  [...nodesOf(tree)]
    .filter(([name]) => name === 'funcname')
    .map(([, names]) => namesIn(names).at(-1) ?? '');

const COUNTED: ReadonlySet<string> = new Set([
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
]);
const CODE: ReadonlySet<string> = new Set(['SelectStmt', 'DoStmt', 'CallStmt', 'ExecuteStmt']);

const holdsWrite = (tree: unknown): boolean =>
  [...nodesOf(tree)].some(([name]) => /^(Insert|Update|Delete|Merge)Stmt$/.test(name));

const readOrEstimate = async (sql: string): Promise<CountPlan> => {
  const classified = await classify(sql);
  if (classified.kind !== 'read' || (await isRestless(sql))) return { kind: 'estimate' };
  return { kind: 'select', sql: classified.sql };
};

const isRestless = async (sql: string): Promise<boolean> =>
  functionsIn((await parse(sql))[0]?.node).some((name) => RESTLESS_FUNCTIONS.has(name));

const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`;

const nameOf = (table: Tree | undefined): string =>
  [table?.['schemaname'], table?.['relname']].filter(Boolean).map(quoted).join('.');

/** The tables that TRUNCATE or DROP TABLE empties: the server does not say how many rows were in them. */
export const emptiedTables = ({ type, node }: Pick<Statement, 'type' | 'node'>): string[] => {
  if (type === 'TruncateStmt')
    return tablesOf(node).map((table) => `${table['inh'] === true ? '' : 'ONLY '}${nameOf(table)}`);
  if (type !== 'DropStmt' || node['removeType'] !== 'OBJECT_TABLE') return [];
  const objects = node['objects'] as readonly { List: { items: unknown } }[];
  return objects.map(({ List }) => namesIn(List.items).map(quoted).join('.'));
};

const tablesOf = (node: Tree): readonly Tree[] =>
  (node['relations'] as readonly { RangeVar: Tree }[]).map(({ RangeVar }) => RangeVar);

/** The tables whose rows it names, for what hangs on them. */
export const touchedTables = ({ type, node }: Statement): string[] => {
  if (type === 'TruncateStmt') return tablesOf(node).map(nameOf);
  return COUNTED.has(type) ? [nameOf(node['relation'] as Tree)] : [];
};

export const countAll = (tables: readonly string[]): string =>
  `SELECT ${tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')}`;

const countOf = async (type: string, node: Tree, sql: string): Promise<string | undefined> => {
  if (type === 'MergeStmt') return undefined;
  const text = textOf(sql, outermost(await scan(sql)));
  const made = type === 'InsertStmt' ? countSource(text) : countMatches(text, type);
  return (await countsTheSame(made, type, node)) ? made : undefined;
};

/** Tokens outside all parentheses. */
const outermost = (tokens: readonly Token[]): readonly Token[] => {
  let depth = 0;
  return tokens.filter(({ word }) => {
    if (word === '(' || word === '[') depth += 1;
    else if (word === ')' || word === ']') depth -= 1;
    else return depth === 0;
    return false;
  });
};

/** A text to be cut at its tokens, by their positions; -1 is the end. */
const textOf = (sql: string, tokens: readonly Token[]) => {
  const bytes = Buffer.from(sql);
  const startOf = (token: number): number => tokens[token]?.start ?? bytes.length;
  return {
    find: (after: number, ...words: readonly string[]): number =>
      tokens.findIndex(
        ({ word }, index) =>
          index > after &&
          words.includes(word ?? '') &&
          // a IS DISTINCT FROM b
          !(word === 'from' && tokens[index - 1]?.word === 'distinct'),
      ),
    findPair: (word: string, next: string): number =>
      tokens.findIndex((token, index) => token.word === word && tokens[index + 1]?.word === next),
    before: (last: number): string => bytes.toString('utf8', 0, startOf(last)),
    from: (first: number, last: number): string =>
      bytes.toString('utf8', startOf(first), startOf(last)),
    after: (first: number, last: number): string =>
      bytes.toString('utf8', tokens[first]?.end, startOf(last)),
  };
};
type Text = ReturnType<typeof textOf>;

const firstOf = (...places: readonly number[]): number => places.find((place) => place >= 0) ?? -1;

const countSource = (text: Text): string => {
  const insert = text.find(-1, 'insert');
  const source = text.find(insert, 'select', 'with', 'values', 'table');
  const end = firstOf(text.findPair('on', 'conflict'), text.find(source, 'returning'));
  return `${text.before(insert)}\nSELECT count(*) FROM (${text.from(source, end)}\n) AS counted`;
};

const countMatches = (text: Text, type: string): string => {
  const update = type === 'UpdateStmt';
  const verb = text.find(-1, update ? 'update' : 'delete');
  const opening = update ? verb : text.find(verb, 'from');
  const set = update ? text.find(verb, 'set') : opening;
  const others = text.find(set, update ? 'from' : 'using');
  const where = text.find(Math.max(set, others), 'where');
  const returning = text.find(set, 'returning');
  const table = text.after(opening, update ? set : firstOf(others, where, returning));
  const condition = where < 0 ? '' : text.from(where, returning);
  const select = `${text.before(verb)}\nSELECT count(*) FROM ${table}\n`;
  if (others < 0) return `${select}${condition}`;
  // A row that matches several of the others is changed once.
  const from = text.after(others, firstOf(where, returning));
  return `${select}WHERE EXISTS (SELECT FROM ${from}\n${condition}\n)`;
};

/** Has the SELECT the WITH, the table, the FROM and the WHERE of the statement? */
const countsTheSame = async (made: string, type: string, node: Tree): Promise<boolean> => {
  const select = await parse(made).then(
    ([one, second]) => (one?.type === 'SelectStmt' && !second ? one.node : undefined),
    () => undefined,
  );
  const source = (select?.['fromClause'] as readonly Tree[] | undefined)?.[0];
  if (!select || !source || !same(select['withClause'], node['withClause'])) return false;
  if (type === 'InsertStmt')
    return same((source['RangeSubselect'] as Tree | undefined)?.['subquery'], node['selectStmt']);
  const others = node[type === 'UpdateStmt' ? 'fromClause' : 'usingClause'];
  const where = select['whereClause'] as { SubLink?: { subselect?: { SelectStmt?: Tree } } };
  const inner = others ? where?.SubLink?.subselect?.SelectStmt : undefined;
  return (
    same(source['RangeVar'], node['relation']) &&
    same(inner?.['fromClause'], others) &&
    same((inner ?? select)['whereClause'], node['whereClause'])
  );
};

const same = (one: unknown, other: unknown): boolean => withoutPlaces(one) === withoutPlaces(other);

const withoutPlaces = (tree: unknown): string | undefined =>
  JSON.stringify(tree, (key, value) => (PLACES.has(key) ? undefined : value));

const PLACES: ReadonlySet<string> = new Set([
  'location',
  'rexpr_list_start',
  'rexpr_list_end',
  'list_start',
  'list_end',
]);
