import { nameOf, type TurnJob } from '#domain/job.ts';
import { takeDecision } from '#domain/moves.ts';
import { currentAsk, readSession } from '#domain/session.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';
import { recordDecision } from './record-decision.ts';
import { holds, startRun } from './run.ts';
import { drive, type Ran, stepAside } from './run-turn.ts';

/** A decision was claimed: take it, write down who decided, and go on with the turn. */
export const resume = async (
  ports: EnginePorts,
  job: Extract<TurnJob, { type: 'resume' }>,
  delivery: Delivery,
): Promise<Ran> => {
  const { session: id } = job;
  const taken = await ports.store.write(takeDecision(id, job.ask, nameOf(job)));
  const session = readSession(id, taken.item);
  const ask = currentAsk(session);
  if (ask?.id !== job.ask || ask.state !== 'taken' || !session.turn || !holds(session, nameOf(job)))
    return stepAside(ports, session, job, delivery);
  await recordDecision(ports, session, ask);
  return drive(startRun(ports, job, session, session.turn, delivery), job, delivery);
};
