import type { Json } from '#domain/canonical-json.ts';

declare module '#ports/tool.ts' {
  interface Resources {
    readonly database?: Database;
  }
}

export interface Limits {
  /** For each statement. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface ReadLimits extends Limits {
  /** With it the statement is a query, and no more than so many of its rows are fetched. */
  readonly maxRows?: number;
  readonly values?: readonly Json[];
  /** Of the role that writes, so that it sees what a write would see. */
  readonly asWriter?: boolean;
}

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
  /** There were more rows, or more bytes, than were fetched. */
  readonly truncated: boolean;
}

export interface Ran {
  /** The first word of what the server calls it: `DELETE`, `CREATE`. */
  readonly command: string;
  /** Those of the command itself, not what its triggers and cascades did; null where the server counts none. */
  readonly rows: number | null;
}

export interface Transaction {
  run(sql: string): Promise<Ran>;
  /** The first column of the first row, a number. */
  count(sql: string): Promise<number>;
  /** Names this transaction for `outcome`, durably: the server does not give the name away again. */
  mark(): Promise<Json>;
  /** Throws a `ConnectionLostError` where the answer was lost: then only `outcome` can tell. */
  commit(): Promise<void>;
}

/** Every statement goes alone: text with a second one in it is refused by the server. */
export interface Database {
  /** In a READ ONLY transaction that is always rolled back. */
  read(sql: string, limits: ReadLimits): Promise<Rows>;
  /** Whatever `work` did not commit is rolled back. */
  transact<T>(limits: Limits, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** For the statements that refuse to run in a transaction. */
  runAlone(sql: string, limits: Limits): Promise<Ran>;
  /**
   * Whether a marked transaction is in the database. One still open is ended first, so that the answer stays true.
   * Throws while the database cannot be reached.
   */
  outcome(mark: Json, signal: AbortSignal): Promise<'committed' | 'not-committed' | 'unknown'>;
  close(): Promise<void>;
}

/** The database said no. Whatever the statement did is undone. */
export class DatabaseError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(`Postgres ${code}: ${message}`);
    this.code = code;
  }
}

/** The database said nothing. */
export class ConnectionLostError extends Error {
  readonly code = 'CONNECTION_LOST';
}
