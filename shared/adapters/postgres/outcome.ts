import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Json } from '#domain/canonical-json.ts';
import { DatabaseError } from '#ports/database.ts';
import type { Session } from './session.ts';

/**
 * What tells a transaction from all others. The id alone does not: a crash of the database forgets ids that never reached
 * its disk, gives them away again, and `pg_xact_status` then answers for the second owner. So the id is flushed before it
 * is used (`flushed`), and the run of the server (`started`) and its history (`system`, `timeline`) stand beside it.
 */
const markShape = z.object({
  id: z.string(),
  pid: z.number(),
  started: z.string(),
  system: z.string().nullable(),
  timeline: z.string().nullable(),
  flushed: z.boolean(),
});
type Mark = z.infer<typeof markShape>;

const STARTED = 'extract(epoch FROM pg_postmaster_start_time())::text';
/** Since 17 a message can be flushed by itself. */
const FLUSHES_ITSELF = 170_000;

/** `flush` commits something small on another connection, which takes all earlier WAL to the disk with it. */
export const markOf = async (session: Session, flush: () => Promise<void>): Promise<Json> => {
  const [id, pid, started, version] = await session.one(
    `SELECT pg_current_xact_id()::text, pg_backend_pid(), ${STARTED}, current_setting('server_version_num')::int`,
  );
  const { system, timeline } = await historyOf(session, 'savepoint');
  const own = Number(version) >= FLUSHES_ITSELF;
  await session.one(
    `SELECT pg_logical_emit_message(false, 'countersign', ''${own ? ', true' : ''})`,
  );
  const flushed = own || (await flush().then(yes, no));
  const mark = { id, pid, started, system, timeline, flushed };
  return markShape.parse(mark);
};

const yes = () => true;
const no = () => false;

/** Not every role may ask on every server; then a restart leaves more unknown. */
const historyOf = async (session: Session, savepoint?: 'savepoint') => {
  if (savepoint) await session.exec('SAVEPOINT countersign');
  try {
    const [system, timeline] = await session.one(
      `SELECT (SELECT system_identifier::text FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8)`,
    );
    return { system: String(system), timeline: String(timeline) };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (savepoint) await session.exec('ROLLBACK TO SAVEPOINT countersign');
    return { system: null, timeline: null };
  }
};

const TRIES = 25;
const BETWEEN_MS = 200;

export const outcomeOf = async (
  session: Session,
  saved: Json,
): Promise<'committed' | 'not-committed' | 'unknown'> => {
  const mark = markShape.parse(saved);
  const [started] = await session.one(`SELECT ${STARTED}`);
  if (started === mark.started) return inSameRun(session, mark);
  const { system, timeline } = await historyOf(session);
  if (system === null || system !== mark.system) return 'unknown';
  const status = await statusOf(session, mark);
  // What ran when the server stopped is over. If ours had been committed, no other could bear its id: so every
  // answer but `committed` is a no, and that one is believed if the id cannot have been given away again.
  if (status === 'committed')
    return mark.flushed && timeline === mark.timeline ? 'committed' : 'unknown';
  return status === 'too-old' ? 'unknown' : 'not-committed';
};

/** Its runner is gone, but the server may not have noticed: a transaction still open is ended before the answer. */
const inSameRun = async (session: Session, mark: Mark) => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const status = await statusOf(session, mark);
    if (status === 'committed') return 'committed';
    if (status === 'aborted' || status === 'not-yet') return 'not-committed';
    if (status === 'too-old') return 'unknown';
    await session.one(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_xid = $2::xid8::xid`,
      [mark.pid, mark.id],
    );
    await sleep(BETWEEN_MS);
  }
  return 'unknown';
};

const IN_THE_FUTURE = '22023';

const statusOf = async (session: Session, { id }: Mark) => {
  try {
    const [status] = await session.one('SELECT pg_xact_status($1::xid8)', [id]);
    return status === null ? 'too-old' : (status as 'committed' | 'aborted' | 'in progress');
  } catch (error) {
    if (error instanceof DatabaseError && error.code === IN_THE_FUTURE) return 'not-yet';
    throw error;
  }
};
