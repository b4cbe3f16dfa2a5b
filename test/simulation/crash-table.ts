import type { Running } from './world.ts';

/** The rows of the crash table: where a process died, told by what it had done last. */
export const CRASH_ROWS = [
  'claim, before SQS send',
  'session started, before the model call',
  'model call, before the step is saved',
  'ledger started, before the result is saved',
  'ask saved, before the schedule exists',
  'schedule, before the card is sent',
  'decision applied, before the card is updated',
  'final answer sent, before the turn is ended',
  'zombie',
  'dead-letter',
] as const;
export type CrashRow = (typeof CRASH_ROWS)[number];

export const crashRowOf = ({ done }: Running): CrashRow | undefined => {
  const last = done.at(-1) ?? '';
  const since = (start: RegExp, end: RegExp) => {
    const from = done.findLastIndex((name) => start.test(name));
    return from >= 0 && !done.slice(from + 1).some((name) => end.test(name));
  };
  if (/^claim \S+$/.test(last)) return 'claim, before SQS send';
  if (since(/^ledger .* started$/, /^ledger .* (done|failed|changed|unknown)( refused)?$/))
    return 'ledger started, before the result is saved';
  if (last === 'model.think') return 'model call, before the step is saved';
  if (last === 'open ask') return 'ask saved, before the schedule exists';
  if (/^schedule /.test(last)) return 'schedule, before the card is sent';
  if (/^say /.test(last) && done.some((name) => name.startsWith('save final')))
    return 'final answer sent, before the turn is ended';
  if (since(/^start turn$/, /^model\.think$/)) return 'session started, before the model call';
  // Twice per approval: before the card says "running", and again once the call it is for has a result.
  if (
    since(
      /^(take decision|ledger .*#[1-9]\d* (done|failed|changed|unknown))$/,
      /^(update card|audit outcome|save final)/,
    )
  )
    return 'decision applied, before the card is updated';
  return undefined;
};
