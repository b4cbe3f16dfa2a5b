import { type Change, exists, type Item, type Key, remove, set, type Write } from './expression.ts';
import type { Settings } from './settings.ts';

/**
 * How long rows are kept. A row's `ttl` is written with the row, so that it costs no call; the table deletes it some
 * time after that, in any order. Rows of earlier releases have none, and stay.
 */
type Limits = Settings['retention'];

const DAY_MS = 86_400_000;
/** A job may lie 4 days in the queue and 14 among the dead letters: as long the ledger keeps its calls from running twice. */
const LEDGER_DAYS = 20;
/** An approval is remembered for a day, at most a day after it was given. */
const MEMORY_DAYS = 2;
/** Ids alone. A card can be clicked and answered for 14 days. */
const REFERENCE_DAYS = 30;

const daysFor = ({ pk, sk }: Key, { messagesDays, auditDays }: Limits): number | undefined => {
  if (pk.startsWith('AUDIT#')) return auditDays;
  if (pk.startsWith('P#')) return MEMORY_DAYS;
  if (pk.startsWith('R#')) return REFERENCE_DAYS;
  if (!pk.startsWith('S#') || sk === '#') return undefined;
  return sk.startsWith('X#') ? Math.max(messagesDays, LEDGER_DAYS) : messagesDays;
};

/** When a row that is written now may be deleted; what is kept for good has no such time. */
export const endOf = (key: Key, limits: Limits, now: number): number | undefined => {
  const days = daysFor(key, limits);
  return days === undefined ? undefined : now + days * DAY_MS;
};

/** The table takes seconds. */
export const ttlAt = (time: number): number => Math.ceil(time / 1000);

const expiring = (time: number): Change => set('ttl', ttlAt(time));

/** The write, with the end of what it writes. A session has one only while it is idle. */
export const withEnd = (write: Write, limits: Limits, now: number): Write => {
  const { key, change } = write;
  if (change.some(({ path }) => path[0] === 'ttl')) return write;
  const end = endOf(key, limits, now);
  if (end !== undefined) return { ...write, change: [...change, expiring(end)] };
  const phase = change.find(({ path }) => path.join('.') === 'phase');
  if (phase?.do !== 'set') return write;
  const idleEnd = now + limits.messagesDays * DAY_MS;
  const then = phase.value === 'IDLE' ? expiring(idleEnd) : remove('ttl');
  return { ...write, change: [...change, then] };
};

/** Expired rows stand in the table for days: whatever time says is over must not be read any more. */
export const isOver = (item: Item, now: number): boolean => Number(item['ttl']) * 1000 <= now;

/**
 * A turn that waits for a person loses no row. Until when rows written `since` must be kept for a question that ends at
 * `expiresAt`, if that is longer than they are: half the limit is for what comes after the question.
 */
export const longerFor = (
  expiresAt: number,
  since: number,
  { messagesDays }: Limits,
): number | undefined => {
  const life = messagesDays * DAY_MS;
  return since + life < expiresAt + life / 2 ? expiresAt + life : undefined;
};

export const keepUntil = (key: Key, time: number): Write => ({
  key,
  only: exists('pk'),
  change: [expiring(time)],
});
