import type { Ask } from '#domain/ask.ts';
import { policyVersion } from '#domain/gate.ts';
import { nameOf, type TurnJob } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { putIfAbsent, takeDecision } from '#domain/moves.ts';
import { currentAsk, readSession, type Session } from '#domain/session.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';
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

/** The inbox row makes the deciding text's redelivery, hours later, a repeat; the audit row says who decided what. */
const recordDecision = async (ports: EnginePorts, session: Session, ask: Ask): Promise<void> => {
  const { decision } = ask;
  if (!decision) return;
  if (decision.message) await ports.store.write(markDecided(session, decision.message, ask));
  const { kind, by, at, via, text, picked } = decision;
  await ports.store.write(
    putIfAbsent(keys.audit(session.id, at, ask.id, 'decided'), {
      ask: ask.id,
      kind,
      decided_by: by,
      via,
      reason: text,
      picked,
      channel: session.turn?.to.channel,
      at,
      binding: ask.binding,
      shown: ask.shown,
      tools: ask.tasks.map((task) => task.tool),
      requester: ask.requester,
      policy_version: policyVersion(ports.settings.approval),
    }),
  );
};

const markDecided = (session: Session, message: Parameters<typeof keys.inbox>[1], ask: Ask) => ({
  key: keys.inbox(session.id, message),
  change: [{ do: 'set', path: ['decided'], value: ask.id }] as const,
});
