export type Tree = { readonly [key: string]: unknown };

export interface Statement {
  /** The node's name in Postgres' grammar: `SelectStmt`, `DeleteStmt`. */
  readonly type: string;
  readonly node: Tree;
  /** Without what stands before and after it: its semicolon, other statements. */
  readonly sql: string;
}

export interface Token {
  /** A keyword in lower case, punctuation as it is, else undefined: a quoted "where" is a name. */
  readonly word: string | undefined;
  /** Bytes, as everywhere in Postgres. */
  readonly start: number;
  readonly end: number;
}

/** 1.7 MB of WebAssembly: loaded at the first statement. */
const load = async () => {
  const parser = await import('libpg-query');
  await parser.loadModule();
  return parser;
};

export class UnreadableSqlError extends Error {}

/** Postgres' own parser. */
export const parse = async (sql: string): Promise<readonly Statement[]> => {
  // The parser stops at a NUL, and what follows it would not be looked at.
  if (sql.includes('\0') || !sql.isWellFormed())
    throw new UnreadableSqlError('it holds a character that no SQL text may hold');
  const { parseSync } = await load();
  try {
    const bytes = Buffer.from(sql);
    const { stmts = [] } = sql.trim() === '' ? {} : parseSync(sql);
    return stmts.map(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
      const [type, node] = Object.entries(stmt ?? {})[0] ?? ['', {}];
      const end = length === undefined ? bytes.length : start + length;
      return { type, node: node as Tree, sql: bytes.toString('utf8', start, end).trim() };
    });
  } catch (error) {
    throw new UnreadableSqlError(whyUnreadable(error));
  }
};

const whyUnreadable = (error: unknown): string => {
  if (error instanceof RangeError) return 'it is nested too deeply';
  const details = (error as { sqlDetails?: { cursorPosition: number } }).sqlDetails;
  const where = details ? ` (character ${details.cursorPosition + 1})` : '';
  return `${error instanceof Error ? error.message : error}${where}`;
};

/** Postgres' own lexer, without comments. */
export const scan = async (sql: string): Promise<readonly Token[]> => {
  const { scanSync } = await load();
  return scanSync(sql)
    .tokens.filter(({ tokenName }) => !/COMMENT$/.test(tokenName))
    .map(({ text, start, end, keywordName, tokenName }) => ({
      word:
        keywordName !== 'NO_KEYWORD' || tokenName.startsWith('ASCII_')
          ? text.toLowerCase()
          : undefined,
      start,
      end,
    }));
};

/** Every node with its name, the outermost first. */
export function* nodesOf(tree: unknown): Generator<readonly [string, unknown]> {
  if (Array.isArray(tree)) for (const one of tree) yield* nodesOf(one);
  else if (typeof tree === 'object' && tree !== null)
    for (const [name, value] of Object.entries(tree)) {
      yield [name, value];
      yield* nodesOf(value);
    }
}

/** A qualified name's parts. */
export const namesIn = (list: unknown): readonly string[] =>
  (Array.isArray(list) ? list : []).map((one) => String(one?.String?.sval ?? ''));
