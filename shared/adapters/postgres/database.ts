import type { Pool } from 'pg';
import type { Json } from '#domain/canonical-json.ts';
import {
  ConnectionLostError,
  type Database,
  DatabaseError,
  type Limits,
  type ReadLimits,
  type Rows,
  type Transaction,
} from '#ports/database.ts';
import { markOf, outcomeOf } from './outcome.ts';
import { OVER_LIMIT, openSession, type Session } from './session.ts';

export interface PostgresOptions {
  readonly url: string;
  /** Of a role that may only read, where there is one. */
  readonly readUrl?: string;
}

const MAX_BYTES = 1_000_000;
const LOCK_MS = 10_000;

export const createPostgresDatabase = ({ url, readUrl = url }: PostgresOptions): Database => {
  const pools = new Map<string, Promise<Pool>>();
  const poolOf = (address: string): Promise<Pool> => {
    const pool = pools.get(address) ?? createPool(address);
    pools.set(address, pool);
    return pool;
  };
  const open = async (address: string, signal: AbortSignal, opening: string): Promise<Session> =>
    openSession(await poolOf(address), signal, opening);

  const read = async (sql: string, limits: ReadLimits): Promise<Rows> => {
    const address = limits.asWriter ? url : readUrl;
    const session = await open(address, limits.signal, begin('READ ONLY', limits));
    try {
      const rows = await fetchRows(session, sql, limits);
      await session.exec('ROLLBACK');
      session.end('keep');
      return rows;
    } finally {
      session.end('drop');
    }
  };

  /** On a connection of its own; everything written before it reaches the disk with it. */
  const flush = async (signal: AbortSignal): Promise<void> => {
    const session = await open(url, signal, 'BEGIN; SET LOCAL synchronous_commit = local');
    try {
      await session.one(`SELECT pg_logical_emit_message(true, 'countersign', '')`);
      await session.exec('COMMIT');
    } finally {
      session.end('drop');
    }
  };

  return {
    read,
    transact: async (limits, work) => {
      const session = await open(url, limits.signal, `${begin('READ WRITE', limits)}; ${DURABLE}`);
      try {
        return await work(transactionOf(session, limits, () => flush(limits.signal)));
      } finally {
        // Rolls back whatever was not committed.
        session.end('drop');
      }
    },
    runAlone: async (sql, { limitMs, signal }) => {
      const session = await open(url, signal, `SET statement_timeout = ${limitMs}`);
      try {
        return await session.ask(sql, { limitMs });
      } finally {
        session.end('drop');
      }
    },
    outcome: async (mark, signal) => {
      const session = await open(url, signal, 'SELECT');
      try {
        return await outcomeOf(session, mark);
      } finally {
        session.end('drop');
      }
    },
    close: async () => {
      const opened = [...pools.values()];
      pools.clear();
      await Promise.all(opened.map(async (pool) => (await pool).end()));
    },
  };
};

const createPool = async (connectionString: string): Promise<Pool> => {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({
    connectionString,
    application_name: 'countersign',
    max: 2,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // Nobody listens to a connection between two statements, nor right behind its greeting, and an error that nobody hears
  // ends the process. The next statement fails by itself; an idle connection that dies has left the pool already.
  const ignore = () => {};
  pool.on('connect', (client) => client.on('error', ignore));
  pool.on('error', ignore);
  return pool;
};

/** The last line: our parser reads strings as the standard says, and so must the server. */
const begin = (mode: 'READ ONLY' | 'READ WRITE', { limitMs }: Limits): string =>
  [
    `BEGIN ${mode}`,
    `SET LOCAL statement_timeout = ${limitMs}`,
    `SET LOCAL lock_timeout = ${Math.min(limitMs, LOCK_MS)}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
    'SET LOCAL standard_conforming_strings = on',
  ].join('; ');

/** What was said to be done must outlive a crash of the database. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;

const fetchRows = async (session: Session, sql: string, limits: ReadLimits): Promise<Rows> => {
  const { limitMs, maxRows, values = [] } = limits;
  const rows: (readonly Json[])[] = [];
  let bytes = 0;
  let more = false;
  const onRow = (row: readonly Json[]) => {
    bytes += JSON.stringify(row).length;
    if (rows.length === maxRows || bytes > MAX_BYTES) more = true;
    if (!more) rows.push(row);
  };
  let text = sql;
  if (maxRows !== undefined) {
    await session.ask(`DECLARE countersign NO SCROLL CURSOR FOR ${sql}`, { values, limitMs });
    text = `FETCH ${maxRows + 1} FROM countersign`;
  }
  const given = maxRows === undefined ? values : [];
  const { columns } = await session.ask(text, { values: given, onRow, limitMs });
  return { columns, rows, truncated: more };
};

const transactionOf = (
  session: Session,
  { limitMs }: Limits,
  flush: () => Promise<void>,
): Transaction => ({
  run: (sql) => session.ask(sql, { limitMs }),
  count: async (sql) => {
    let rows = 0;
    await session.ask(sql, {
      limitMs,
      onRow: ([first]) => {
        rows = Number(first);
      },
    });
    return rows;
  },
  mark: () => markOf(session, flush),
  commit: async () => {
    const { command } = await session.ask('COMMIT', { limitMs }).catch((error) => {
      // Cut off by us: the server may have committed all the same.
      if (error instanceof DatabaseError && error.code === OVER_LIMIT)
        throw new ConnectionLostError('The database did not answer to COMMIT');
      throw error;
    });
    if (command !== 'COMMIT') throw new DatabaseError('25P02', 'the database rolled back instead');
  },
});
