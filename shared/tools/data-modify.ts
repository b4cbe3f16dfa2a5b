import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Json } from '#domain/canonical-json.ts';
import { ConnectionLostError, type Database, type Ran, type Transaction } from '#ports/database.ts';
import { changed, defineTool, OutcomeUnknownError, type ToolContext } from '#ports/tool.ts';
import { approvedRows, cardText, knownFrom, moreThanShown } from './sql/card.ts';
import { classify, type Write } from './sql/classify.ts';
import { countRows, ONLY_READS } from './sql/count-rows.ts';
import { countAll, emptiedTables } from './sql/count-statement.ts';
import { databaseOf } from './sql/database.ts';
import type { Statement } from './sql/parse.ts';

/** Below the tool's own limit: a statement that takes too long is rolled back and said to be, not left in doubt. */
const LIMIT_MS = 40_000;
const TIMEOUT_SECONDS = 60;

export const dataModify = defineTool({
  needs: 'database',
  description:
    'Change the SQL database (PostgreSQL) with one statement: INSERT, UPDATE, DELETE, DDL. A person is asked first and ' +
    'sees the statement and the number of rows it would affect.',
  input: z.object({
    sql: z.string().min(1).max(100_000).describe('One statement, without parameters'),
  }),
  risk: 'HIGH',
  summary: (_input, language) => (language === 'zh-CN' ? '修改数据库' : 'Change the database'),
  timeoutSeconds: TIMEOUT_SECONDS,
  preview: async ({ sql }, { resources, signal, language, changed: found }) => {
    const { count, effects } = await countRows(databaseOf(resources), sql, signal);
    return cardText(knownFrom(count, found), effects, language);
  },
  run: async ({ sql }, context) => {
    const classified = await classify(sql);
    if (classified.kind === 'refused') throw new Error(classified.why);
    if (classified.kind === 'read') throw new Error(ONLY_READS);
    const database = databaseOf(context.resources);
    return classified.inTransaction
      ? runInTransaction(database, classified, context)
      : runAlone(database, classified, context);
  },
  recover: async (saved, { resources, signal }) => {
    const { mark, result } = checkpointShape.parse(saved);
    if (mark === null) return { happened: false };
    const outcome = await databaseOf(resources).outcome(mark as Json, signal);
    if (outcome === 'unknown') return 'unknown';
    return outcome === 'committed'
      ? { happened: true, result: result as Json }
      : { happened: false };
  },
});

const checkpointShape = z.object({ mark: z.json(), result: z.json() });
/** Whoever died with this in the ledger had not come to the commit, and cannot any more. */
const BEGUN = { mark: null, result: null };

/** At most as many rows as were shown, and the transaction's name is in the ledger before it can be committed. */
const runInTransaction = async (
  database: Database,
  { statement }: Write,
  { shown, language, signal, checkpoint }: ToolContext,
) => {
  const approved = approvedRows(shown);
  await checkpoint(BEGUN);
  let committing: { readonly mark: Json; readonly result: Json } | undefined;
  try {
    return await database.transact({ limitMs: LIMIT_MS, signal }, async (transaction) => {
      const { command, rows } = await runCounted(transaction, statement);
      if (approved !== undefined && rows !== null && rows > approved)
        return changed(moreThanShown(rows, approved, language));
      const result = { command, rows };
      const saved = { mark: await transaction.mark(), result };
      await checkpoint(saved);
      committing = saved;
      await transaction.commit();
      return result;
    });
  } catch (error) {
    if (!(error instanceof ConnectionLostError)) throw error;
    if (!committing)
      throw new Error(`Nothing was changed: ${error.message}; the database rolls it back`);
    return settleCommit(database, committing, signal);
  }
};

/** The server does not count what TRUNCATE and DROP TABLE take away: that is done under the lock they take anyway. */
const runCounted = async (transaction: Transaction, statement: Statement): Promise<Ran> => {
  const emptied = emptiedTables(statement);
  if (emptied.length === 0) return transaction.run(statement.sql);
  await transaction.run(`LOCK TABLE ${emptied.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  const rows = await transaction.count(countAll(emptied));
  return { command: (await transaction.run(statement.sql)).command, rows };
};

const SETTLE_MS = 15_000;
const BETWEEN_MS = 500;

/** The answer to COMMIT was lost. The database knows, as soon as it can be reached again. */
const settleCommit = async (
  database: Database,
  { mark, result }: { readonly mark: Json; readonly result: Json },
  signal: AbortSignal,
): Promise<Json> => {
  for (const until = Date.now() + SETTLE_MS; ; await sleep(BETWEEN_MS)) {
    const outcome = await database.outcome(mark, signal).catch((error) => {
      if (error instanceof ConnectionLostError && Date.now() < until && !signal.aborted)
        return undefined;
      throw new OutcomeUnknownError(IN_DOUBT);
    });
    if (outcome === 'committed') return result;
    if (outcome === 'not-committed')
      throw new Error('Nothing was changed: the connection was lost and the database rolled back');
    if (outcome === 'unknown') throw new OutcomeUnknownError(IN_DOUBT);
  }
};

const IN_DOUBT =
  'The connection was lost at COMMIT and the database cannot say whether it was committed';

const runAlone = async (
  database: Database,
  { statement }: Write,
  { signal }: ToolContext,
): Promise<Json> => {
  try {
    const { command, rows } = await database.runAlone(statement.sql, { limitMs: LIMIT_MS, signal });
    return { command, rows };
  } catch (error) {
    if (!(error instanceof ConnectionLostError)) throw error;
    throw new OutcomeUnknownError(
      `${error.message}; this statement runs outside transactions and may have run in part`,
    );
  }
};
