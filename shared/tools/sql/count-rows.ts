import { type Database, DatabaseError } from '#ports/database.ts';
import type { Count, Effects } from './card.ts';
import { classify } from './classify.ts';
import { planCount, touchedTables } from './count-statement.ts';
import type { Statement } from './parse.ts';

const COUNT_MS = 5_000;
const LOOK_MS = 1_500;
const NOTHING: Effects = { cascades: [], triggers: [] };

/** What a statement would do, found without doing it: all of it in READ ONLY transactions, by the role that would write. */
export const countRows = async (
  database: Database,
  sql: string,
  signal: AbortSignal,
): Promise<{ readonly count: Count; readonly effects: Effects }> => {
  const classified = await classify(sql);
  if (classified.kind === 'refused') return { count: classified, effects: NOTHING };
  if (classified.kind === 'read')
    return { count: { kind: 'refused', why: ONLY_READS }, effects: NOTHING };
  if (!classified.inTransaction) return { count: { kind: 'none', why: 'alone' }, effects: NOTHING };
  const { statement } = classified;
  try {
    const effects = await effectsOf(database, statement, signal);
    return { count: await countOf(database, statement, signal), effects };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === TOO_SLOW) return { count: { kind: 'none', why: 'slow' }, effects: NOTHING };
    return { count: { kind: 'refused', why: error.message }, effects: NOTHING };
  }
};

export const ONLY_READS = 'This statement only reads: use data_query for it';

const TOO_SLOW = '57014';

const countOf = async (
  database: Database,
  statement: Statement,
  signal: AbortSignal,
): Promise<Count> => {
  const plan = await planCount(statement);
  switch (plan.kind) {
    case 'known':
      return { kind: 'exact', rows: plan.rows };
    case 'none':
      return plan;
    case 'estimate':
      return estimate(database, statement, signal);
    case 'select':
      try {
        const limits = { limitMs: COUNT_MS, signal, asWriter: true };
        const { rows } = await database.read(plan.sql, limits);
        return { kind: 'exact', rows: Number(rows[0]?.[0]) };
      } catch (error) {
        if (error instanceof DatabaseError && error.code === TOO_SLOW)
          return estimate(database, statement, signal);
        throw error;
      }
    default:
      return plan satisfies never;
  }
};

interface Explained {
  readonly Plan: { readonly Plans?: readonly { readonly 'Plan Rows': number }[] };
}

/** EXPLAIN without ANALYZE plans and runs nothing. The rows are those the plan under the change would bring. */
const estimate = async (
  database: Database,
  { sql }: Statement,
  signal: AbortSignal,
): Promise<Count> => {
  const limits = { limitMs: LOOK_MS, signal, asWriter: true };
  const { rows } = await database.read(`EXPLAIN (FORMAT JSON) ${sql}`, limits);
  const [explained] = (rows[0]?.[0] ?? []) as unknown as readonly Explained[];
  const below = explained?.Plan.Plans ?? [];
  const guessed = below.reduce((sum, plan) => sum + plan['Plan Rows'], 0);
  return { kind: 'estimate', rows: guessed };
};

/** For each kind of change: which foreign keys carry it on, and the bit of its triggers in `tgtype`. */
const CARRIED: Readonly<Record<string, { readonly keys: string; readonly triggers: number }>> = {
  InsertStmt: { keys: 'false', triggers: 4 },
  UpdateStmt: { keys: `confupdtype IN ('c', 'n', 'd')`, triggers: 16 },
  DeleteStmt: { keys: `confdeltype IN ('c', 'n', 'd')`, triggers: 8 },
  MergeStmt: {
    keys: `confupdtype IN ('c', 'n', 'd') OR confdeltype IN ('c', 'n', 'd')`,
    triggers: 4 | 8 | 16,
  },
  TruncateStmt: { keys: 'true', triggers: 32 },
};

const effectsOf = async (
  database: Database,
  statement: Statement,
  signal: AbortSignal,
): Promise<Effects> => {
  const carried = CARRIED[statement.type];
  if (!carried) return NOTHING;
  const { rows } = await database.read(
    `SELECT 'key', conrelid::regclass::text FROM pg_catalog.pg_constraint
      WHERE contype = 'f' AND confrelid = ANY ($1::regclass[]) AND conrelid <> ALL ($1::regclass[]) AND (${carried.keys})
      UNION SELECT 'trigger', tgname FROM pg_catalog.pg_trigger
      WHERE tgrelid = ANY ($1::regclass[]) AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & ${carried.triggers} > 0
      ORDER BY 1, 2 LIMIT 20`,
    { limitMs: LOOK_MS, signal, asWriter: true, values: [touchedTables(statement)] },
  );
  const named = (kind: string) =>
    rows.filter(([one]) => one === kind).map(([, name]) => String(name));
  return { cascades: named('key'), triggers: named('trigger') };
};
