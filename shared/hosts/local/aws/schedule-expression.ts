/** When a schedule fires: once, or every so often from its start. */
export type Recurrence =
  | { readonly kind: 'once'; readonly at: number }
  | { readonly kind: 'every'; readonly periodMs: number };

export type ParsedExpression =
  | { readonly kind: 'recurrence'; readonly recurrence: Recurrence }
  | { readonly kind: 'wrong'; readonly why: string };

const AT = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/;
const RATE = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/;
const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

const wrong = (why: string): ParsedExpression => ({ kind: 'wrong', why });

export const parseExpression = (expression: string, zone: string): ParsedExpression => {
  const time = AT.exec(expression)?.[1];
  if (time !== undefined) return parseTime(time, zone);
  const [, count, unit, plural] = RATE.exec(expression) ?? [];
  if (count === undefined)
    return wrong(`Invalid Schedule Expression ${expression}: this endpoint knows at() and rate()`);
  if ((count === '1') !== (plural === ''))
    return wrong(`Invalid Schedule Expression ${expression}: 1 minute, 2 minutes`);
  const periodMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return { kind: 'recurrence', recurrence: { kind: 'every', periodMs } };
};

const parseTime = (time: string, zone: string): ParsedExpression => {
  const asUtc = Date.parse(`${time}Z`);
  // Date.parse takes 31 April for 1 May.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== time)
    return wrong(`Invalid Schedule Expression at(${time}): there is no such time`);
  const clock = clockOf(zone);
  if (!clock) return wrong(`Invalid ScheduleExpressionTimezone ${zone}`);
  // The offset at the guess may be that of the other side of a clock change.
  const guess = asUtc - offsetAt(asUtc, clock);
  const at = asUtc - offsetAt(guess, clock);
  return { kind: 'recurrence', recurrence: { kind: 'once', at } };
};

const clockOf = (timeZone: string): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat('en-CA', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
      hourCycle: 'h23',
    });
  } catch {
    return undefined;
  }
};

/** What the clock on that zone's wall is ahead of UTC. */
const offsetAt = (at: number, clock: Intl.DateTimeFormat): number =>
  Date.parse(`${clock.format(at).replace(', ', 'T')}Z`) - at;
