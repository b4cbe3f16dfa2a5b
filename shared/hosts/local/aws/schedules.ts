import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { parseExpression, type Recurrence } from './schedule-expression.ts';

/** A schedule as CreateSchedule sends it; dates are seconds. What is not read here is kept for GetSchedule. */
const scheduleSchema = z.looseObject({
  GroupName: z._default(z.string(), 'default'),
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z._default(z.string(), 'UTC'),
  StartDate: z.optional(z.number()),
  EndDate: z.optional(z.number()),
  ActionAfterCompletion: z._default(z.enum(['NONE', 'DELETE']), 'NONE'),
  FlexibleTimeWindow: z.looseObject({ Mode: z.enum(['OFF', 'FLEXIBLE']) }),
  Target: z.looseObject({
    Arn: z.string(),
    RoleArn: z.string(),
    Input: z._default(z.string(), '{}'),
    DeadLetterConfig: z.optional(z.object({ Arn: z.string() })),
    RetryPolicy: z.prefault(
      z.object({
        MaximumEventAgeInSeconds: z._default(z.number(), 86_400),
        MaximumRetryAttempts: z._default(z.number(), 185),
      }),
      {},
    ),
  }),
});
export type Schedule = z.infer<typeof scheduleSchema>;

interface Entry {
  readonly name: string;
  readonly schedule: Schedule;
  readonly recurrence: Recurrence;
  readonly createdAt: number;
  /** When it fires next; absent when it has fired for the last time. */
  readonly next?: number;
  /** Fired and not yet answered: tried again until its target takes it. */
  readonly pending?: { readonly dueAt: number; readonly tries: number; readonly tryAt: number };
}

type Fired = Entry & Required<Pick<Entry, 'pending'>>;

export type Created =
  | { readonly kind: 'created' | 'conflict' }
  | { readonly kind: 'wrong'; readonly why: string };

export interface SchedulesOptions {
  /** Calls the target; a rejection is a failed try. */
  readonly invoke: (targetArn: string, input: string) => Promise<void>;
  /** Takes what failed for good, where the schedule names a dead-letter queue. */
  readonly bury?: (queueArn: string, input: string) => Promise<void>;
  /** Where schedules outlive the process. */
  readonly file?: string;
  readonly now?: () => number;
  readonly backoffMs?: (tries: number) => number;
}

export interface Schedules {
  create(name: string, body: unknown): Created;
  get(group: string, name: string): Entry | undefined;
  remove(group: string, name: string): boolean;
  /** Fires what is due and waits for the answers. */
  tick(): Promise<void>;
  /** When something is due next. */
  dueAt(): number | undefined;
  close(): void;
}

const keyOf = (group: string, name: string) => `${group}/${name}`;

const following = (entry: Entry, now: number): number | undefined => {
  const { recurrence, schedule, next } = entry;
  if (recurrence.kind === 'once' || next === undefined) return undefined;
  // What was missed while the process was down fires once, not once per period.
  const missed = Math.max(0, Math.floor((now - next) / recurrence.periodMs));
  const then = next + (missed + 1) * recurrence.periodMs;
  return then <= (schedule.EndDate ?? Number.POSITIVE_INFINITY) * 1000 ? then : undefined;
};

const readFile = (file: string | undefined): Entry[] =>
  file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];

const writeFile = (file: string, entries: Iterable<Entry>) => {
  // Renamed into place: a crash leaves the old file or the new one, never half of one.
  writeFileSync(`${file}.new`, JSON.stringify([...entries]));
  renameSync(`${file}.new`, file);
};

const parse = (name: string, body: unknown, now: number): Entry | string => {
  const parsed = z.safeParse(scheduleSchema, body);
  if (!parsed.success)
    return parsed.error.issues.map((one) => `${one.path.join('.')}: ${one.message}`).join('; ');
  const schedule = parsed.data;
  const { StartDate, EndDate } = schedule;
  const read = parseExpression(schedule.ScheduleExpression, schedule.ScheduleExpressionTimezone);
  if (read.kind === 'wrong') return read.why;
  const { recurrence } = read;
  const entry = { name, schedule, recurrence, createdAt: now };
  if (recurrence.kind === 'once') return { ...entry, next: recurrence.at };
  const start = StartDate === undefined ? now : StartDate * 1000;
  if (EndDate !== undefined && EndDate * 1000 <= Math.max(start, now))
    return 'The EndDate you specify must be in the future and later than the StartDate';
  return { ...entry, next: start };
};

const succeeded = (act: Promise<void>): Promise<boolean> =>
  act.then(
    () => true,
    () => false,
  );

export const createSchedules = (options: SchedulesOptions): Schedules => {
  const { invoke, bury, file, now = Date.now } = options;
  const backoffMs = options.backoffMs ?? ((tries) => Math.min(1000 * 2 ** tries, 60_000));
  const entries = new Map(
    readFile(file).map((one) => [keyOf(one.schedule.GroupName, one.name), one]),
  );
  const running = new Set<string>();
  let closed = false;

  const save = () => {
    if (file !== undefined && !closed) writeFile(file, entries.values());
  };
  const dueOf = (entry: Entry) => entry.pending?.tryAt ?? entry.next;

  const settle = (key: string, { pending: _, ...entry }: Entry) => {
    const over = entry.next === undefined && entry.schedule.ActionAfterCompletion === 'DELETE';
    if (over) entries.delete(key);
    else entries.set(key, entry);
  };

  const begin = (entry: Entry): Fired => {
    const { pending, next: dueAt = now(), ...rest } = entry;
    if (pending) return { ...entry, pending };
    const next = following(entry, now());
    return {
      ...rest,
      ...(next !== undefined && { next }),
      pending: { dueAt, tries: 0, tryAt: now() },
    };
  };

  /** Whether this firing is over: taken by its target, or buried where the schedule says. */
  const delivered = async ({ schedule, pending }: Fired): Promise<boolean> => {
    const { Arn, Input, RetryPolicy, DeadLetterConfig } = schedule.Target;
    if (await succeeded(invoke(Arn, Input))) return true;
    const age = now() + backoffMs(pending.tries) - pending.dueAt;
    const again =
      pending.tries < RetryPolicy.MaximumRetryAttempts &&
      age <= RetryPolicy.MaximumEventAgeInSeconds * 1000;
    if (again) return false;
    return DeadLetterConfig && bury ? succeeded(bury(DeadLetterConfig.Arn, Input)) : true;
  };

  const fire = async (key: string, found: Entry) => {
    const entry = begin(found);
    const { dueAt, tries } = entry.pending;
    entries.set(key, entry);
    running.add(key);
    save();
    const over = await delivered(entry);
    running.delete(key);
    // Deleted meanwhile, perhaps by its own target.
    if (entries.get(key) !== entry) return;
    const tryAt = now() + backoffMs(tries);
    if (over) settle(key, entry);
    else entries.set(key, { ...entry, pending: { dueAt, tries: tries + 1, tryAt } });
    save();
  };

  return {
    create: (name, body) => {
      const entry = parse(name, body, now());
      if (typeof entry === 'string') return { kind: 'wrong', why: entry };
      const key = keyOf(entry.schedule.GroupName, name);
      if (entries.has(key)) return { kind: 'conflict' };
      entries.set(key, entry);
      save();
      return { kind: 'created' };
    },
    get: (group, name) => entries.get(keyOf(group, name)),
    remove: (group, name) => {
      const removed = entries.delete(keyOf(group, name));
      if (removed) save();
      return removed;
    },
    tick: async () => {
      const due = [...entries].filter(
        ([key, entry]) => !running.has(key) && (dueOf(entry) ?? Number.POSITIVE_INFINITY) <= now(),
      );
      await Promise.all(due.map(([key, entry]) => fire(key, entry)));
    },
    dueAt: () => {
      const times = [...entries].flatMap(([key, entry]) => (running.has(key) ? [] : dueOf(entry)));
      const known = times.filter((time) => time !== undefined);
      return known.length > 0 ? Math.min(...known) : undefined;
    },
    close: () => {
      closed = true;
    },
  };
};
