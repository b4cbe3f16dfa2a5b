import type { Ask } from '#domain/ask.ts';
import { set } from '#domain/expression.ts';
import { policyVersion } from '#domain/gate.ts';
import { keys } from '#domain/keys.ts';
import { putIfAbsent } from '#domain/moves.ts';
import type { Session } from '#domain/session.ts';
import type { EnginePorts } from '#ports/engine.ts';

/**
 * The inbox row makes the deciding text's redelivery, hours later, a repeat; the audit row says who decided what. Done by
 * whoever takes the decision up, be it to carry it out or to give it up.
 */
export const recordDecision = async (
  ports: EnginePorts,
  session: Session,
  ask: Ask,
): Promise<void> => {
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
  change: [set('decided', ask.id)],
});
