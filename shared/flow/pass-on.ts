import { jobName } from '#domain/ids.ts';
import { envelope } from '#domain/job.ts';
import { passOn } from '#domain/moves.ts';
import type { Run } from './run.ts';

/** A model step or a tool is begun only with this much time left; else the turn goes on in another job. */
const ENOUGH_MS = 60_000;

export const timeIsShort = (run: Run): boolean =>
  !run.fresh && run.deadline - run.ports.clock.now() < ENOUGH_MS;

/** Queued first, then written: the new job makes the same write, and the first wins. */
export const passTurnOn = async (run: Run): Promise<'passed-on'> => {
  const part = (run.session.turn?.part ?? 0) + 1;
  const job = {
    type: 'more',
    session: run.session.id,
    turn: run.turn.id,
    after: run.job,
    part,
  } as const;
  const name = jobName.more(run.turn.id, part);
  await run.ports.queue.send(envelope(job, name));
  await run.ports.store.write(passOn(run.session.id, run.turn.id, run.job, name, part));
  return 'passed-on';
};
