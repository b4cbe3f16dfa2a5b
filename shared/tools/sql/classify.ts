import { namesIn, nodesOf, parse, type Statement, type Tree, UnreadableSqlError } from './parse.ts';
import { READ_FUNCTIONS } from './read-functions.ts';

export interface Read {
  readonly kind: 'read';
  /** Every function named with its schema, so that none of the user's own can take its place. */
  readonly sql: string;
  /** A query, which may have any number of rows. */
  readonly query: boolean;
}

export interface Write {
  readonly kind: 'write';
  readonly statement: Statement;
  readonly whyNotRead: string;
  readonly inTransaction: boolean;
}

export interface Refused {
  readonly kind: 'refused';
  readonly why: string;
}

/**
 * What a text is, by Postgres' own grammar. A read is what is known to be one; everything else that Postgres can parse is
 * a write. This is the first of three walls: the READ ONLY transaction and the role of DATABASE_READ_URL also hold where
 * the text cannot tell (views, operators, casts and row types that call functions of the user's own).
 */
export const classify = async (sql: string): Promise<Read | Write | Refused> => {
  let statements: readonly Statement[];
  try {
    statements = await parse(sql);
  } catch (error) {
    if (error instanceof UnreadableSqlError)
      return refused(`Postgres cannot read this statement: ${error.message}`);
    throw error;
  }
  const [statement, second] = statements;
  if (!statement) return refused('There is no statement in this text');
  if (second)
    return refused(`This text holds ${statements.length} statements: send one in each call`);
  const why = REFUSED[statement.type];
  if (why) return refused(why);
  const whyNotRead = whyNoRead(statement);
  return whyNotRead === undefined
    ? { kind: 'read', sql: await pinFunctions(statement), query: statement.type === 'SelectStmt' }
    : { kind: 'write', statement, whyNotRead, inTransaction: !runsAlone(statement) };
};

const refused = (why: string): Refused => ({ kind: 'refused', why });

const REFUSED: Readonly<Record<string, string>> = {
  TransactionStmt:
    'Transactions are begun and ended here, not by statements: send the statement alone',
  CopyStmt: 'COPY is not offered: read with SELECT, write with INSERT',
};

/** `undefined`: it is a read. */
const whyNoRead = ({ type, node }: Statement): string | undefined => {
  if (type === 'ExplainStmt') {
    const [inner, query] = Object.entries((node['query'] ?? {}) as Tree)[0] ?? [''];
    return inner === 'SelectStmt'
      ? whyNoQuery(query)
      : `EXPLAIN of a ${commandOf(inner)}, which ANALYZE would run`;
  }
  if (type === 'VariableShowStmt') return undefined;
  return type === 'SelectStmt' ? whyNoQuery(node) : `${commandOf(type)} is not a query`;
};

const whyNoQuery = (query: unknown): string | undefined => {
  for (const [name, value] of nodesOf(query)) {
    if (name === 'intoClause') return 'SELECT … INTO creates a table';
    if (name === 'lockingClause') return 'FOR UPDATE and FOR SHARE lock rows';
    if (name.endsWith('Stmt') && name !== 'SelectStmt') return `it holds a ${commandOf(name)}`;
    if (name === 'funcname') {
      const names = namesIn(value);
      if (!isBuiltIn(names) || !READ_FUNCTIONS.has(names.at(-1) ?? ''))
        return `it calls ${names.join('.')}(), which is not among the functions known only to read`;
    }
    const operator = name === 'A_Expr' ? (value as Tree)['name'] : OPERATORS.has(name) && value;
    if (operator && !isBuiltIn(namesIn(operator))) return 'it uses an operator of another schema';
  }
  return undefined;
};

const OPERATORS: ReadonlySet<string> = new Set(['operName', 'useOp']);

const isBuiltIn = (names: readonly string[]): boolean =>
  names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');

/** `AlterTableStmt` → `ALTER TABLE`. */
const commandOf = (type: string): string =>
  type
    .replace(/Stmt$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();

/** A user's own lower(integer) would win over the built-in lower(text); pg_catalog.lower cannot be anyone else's. */
const pinFunctions = async ({ sql }: Statement): Promise<string> => {
  // Parsed again, so that the positions are those of the trimmed text.
  const [statement] = await parse(sql);
  const places: number[] = [];
  for (const [name, value] of nodesOf(statement?.node)) {
    if (name !== 'FuncCall') continue;
    const { funcname, location = 0 } = value as { funcname: unknown; location?: number };
    if (namesIn(funcname).length === 1) places.push(location);
  }
  let bytes = Buffer.from(sql);
  for (const place of places.sort((a, b) => b - a))
    bytes = Buffer.concat([
      bytes.subarray(0, place),
      Buffer.from('pg_catalog.'),
      bytes.subarray(place),
    ]);
  return bytes.toString();
};

/** Those that Postgres refuses inside a transaction. */
const runsAlone = ({ type, node }: Statement): boolean => {
  switch (type) {
    case 'VacuumStmt':
      return node['is_vacuumcmd'] === true;
    case 'IndexStmt':
      return node['concurrent'] === true;
    case 'DropStmt':
      return node['concurrent'] === true;
    case 'ReindexStmt':
      return (
        /(SCHEMA|SYSTEM|DATABASE)$/.test(String(node['kind'])) || hasOption(node, 'concurrently')
      );
    case 'ClusterStmt':
      return node['relation'] === undefined;
    case 'AlterDatabaseStmt':
      return hasOption(node, 'tablespace');
    case 'AlterTableStmt':
      return [...nodesOf(node['cmds'])].some(
        ([name, value]) => name === 'concurrent' && value === true,
      );
    default:
      return ALONE.has(type);
  }
};

const ALONE: ReadonlySet<string> = new Set([
  'CreatedbStmt',
  'DropdbStmt',
  'CreateTableSpaceStmt',
  'DropTableSpaceStmt',
  'AlterSystemStmt',
  'CreateSubscriptionStmt',
  'DropSubscriptionStmt',
]);

const hasOption = (node: Tree, option: string): boolean =>
  [...nodesOf(node)].some(([name, value]) => name === 'defname' && value === option);
