import type { Socket } from 'node:net';
import type { Client, Pool, PoolClient, QueryResult } from 'pg';
import type { Json } from '#domain/canonical-json.ts';
import { ConnectionLostError, DatabaseError } from '#ports/database.ts';
import { jsonTypes } from './values.ts';

export interface Asked {
  readonly values?: readonly Json[];
  readonly onRow?: (row: readonly Json[]) => void;
  readonly limitMs: number;
}

/** One connection of the pool, for one piece of work. */
export interface Session {
  /** Statements of our own, several in one text. */
  exec(text: string): Promise<void>;
  /** One statement, in the protocol that takes only one. */
  ask(text: string, asked: Asked): Promise<Answer>;
  one(text: string, values?: readonly Json[]): Promise<readonly Json[]>;
  /** A connection that did other than read goes no further: whatever state it was left in goes with it. */
  end(how: 'keep' | 'drop'): void;
}

export interface Answer {
  readonly command: string;
  readonly rows: number | null;
  readonly columns: readonly string[];
}

const OWN_LIMIT_MS = 5_000;
/** The server stops a statement at its limit and says so; who hears nothing for so much longer does not wait on. */
const GRACE_MS = 1_000;
export const OVER_LIMIT = '57014';
/** A single value may have a gigabyte, and would be in memory before anybody could look at it. */
const MAX_BYTES = 64_000_000;
const METER_MS = 50;
const TOO_LONG = 'the answer is over 64 MB. Hint: Ask for fewer or shorter columns';

/** A pooled connection may have died while it was idle, in a frozen function above all: then the next one is tried. */
export const openSession = async (
  pool: Pool,
  signal: AbortSignal,
  opening: string,
): Promise<Session> => {
  for (let tries = 1; ; tries += 1) {
    const client = await pool.connect().catch((error) => {
      throw new ConnectionLostError(`The database cannot be reached: ${messageOf(error)}`);
    });
    const session = sessionOf(client, signal);
    try {
      await session.exec(opening);
      return session;
    } catch (error) {
      session.end('drop');
      if (!(error instanceof ConnectionLostError) || tries > 2 || signal.aborted) throw error;
    }
  }
};

const messageOf = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(messageOf).join('; ')
    : error instanceof Error
      ? error.message
      : String(error);

const sessionOf = (client: PoolClient, signal: AbortSignal): Session => {
  let open = true;
  const end = (how: 'keep' | 'drop') => {
    if (!open) return;
    open = false;
    // Dropping a connection with a statement under way cuts it.
    client.release(how === 'drop');
  };

  /** Not answered in time, too long, or not wanted any more: the connection is cut, and the server rolls back. */
  const within = async <T>(limitMs: number, answer: Promise<T>): Promise<T> => {
    const cut = Promise.withResolvers<never>();
    const late = setTimeout(
      () =>
        cut.reject(new DatabaseError(OVER_LIMIT, `stopped at its limit of ${limitMs / 1000} s`)),
      limitMs + GRACE_MS,
    );
    const start = bytesRead(client);
    const meter = setInterval(() => {
      if (bytesRead(client) - start > MAX_BYTES) cut.reject(new DatabaseError('54000', TOO_LONG));
    }, METER_MS);
    const abort = () => cut.reject(new ConnectionLostError('Stopped before it was done'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    cut.promise.catch(() => end('drop'));
    try {
      return await Promise.race([cut.promise, answer]);
    } catch (error) {
      throw readable(error);
    } finally {
      clearTimeout(late);
      clearInterval(meter);
      answer.catch(ignore);
      signal.removeEventListener('abort', abort);
    }
  };

  const ask = (text: string, { values = [], onRow = ignore, limitMs }: Asked): Promise<Answer> => {
    if (!open) throw new ConnectionLostError('The connection is closed');
    return within(limitMs, submit(client, text, values, onRow));
  };

  return {
    ask,
    end,
    exec: async (text) => {
      if (!open) throw new ConnectionLostError('The connection is closed');
      await within(OWN_LIMIT_MS, client.query(text)).catch(asLost);
    },
    one: async (text, values = []) => {
      let first: readonly Json[] = [];
      await ask(text, {
        values,
        limitMs: OWN_LIMIT_MS,
        onRow: (row) => {
          first = row;
        },
      });
      return first;
    },
  };
};

const ignore = (): void => {};

const bytesRead = (client: PoolClient): number =>
  ((client as unknown as Client).connection.stream as Socket).bytesRead;

/** Statements of our own take no time: a server that does not answer them is not there. */
const asLost = (error: unknown): never => {
  throw error instanceof DatabaseError && error.code === OVER_LIMIT
    ? new ConnectionLostError('The database did not answer')
    : error;
};

const submit = async (
  client: PoolClient,
  text: string,
  values: readonly Json[],
  onRow: (row: readonly Json[]) => void,
): Promise<Answer> => {
  const { Query } = (await import('pg')).default;
  const query = new Query<Json[]>({
    text,
    values: [...values],
    rowMode: 'array',
    types: jsonTypes,
    queryMode: 'extended',
  } as ConstructorParameters<typeof Query>[0]);
  // With a listener the rows are not gathered: a RETURNING of a million rows passes by.
  query.on('row', onRow);
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  query.on('end', resolve);
  query.on('error', reject);
  client.query(query);
  const { command, rowCount, fields } = await promise;
  return { command, rows: rowCount, columns: fields.map(({ name }) => name) };
};

/** What the database said, for the model and the person; `detail` stays here, as it quotes rows. */
const readable = (error: unknown): Error => {
  if (error instanceof DatabaseError || error instanceof ConnectionLostError) return error;
  const { code, severity, message, hint } = error as {
    code?: string;
    severity?: string;
    message: string;
    hint?: string;
  };
  // FATAL ends the connection: after it, too, only the database can say what became of a commit.
  if (code === undefined || severity === undefined || severity === 'FATAL' || severity === 'PANIC')
    return new ConnectionLostError(`The connection to the database was lost: ${message}`);
  return new DatabaseError(code, hint ? `${message}. Hint: ${hint}` : message);
};
