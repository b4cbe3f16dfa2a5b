import {
  type Ask,
  type Decision,
  type DecisionKind,
  mayDecide,
  type Refusal,
} from '#domain/ask.ts';
import type { AskId, Binding, SessionId, TurnId } from '#domain/ids.ts';
import { envelope } from '#domain/job.ts';
import { type Claimant, claim as claimMove, expire as expireMove } from '#domain/moves.ts';
import {
  currentAsk,
  leftLying,
  readSession,
  refusalOf,
  type Session,
  settledAsks,
} from '#domain/session.ts';
import type { FrontPorts } from '#ports/engine.ts';

export type Claimed =
  | { readonly kind: 'claimed'; readonly ask: Ask }
  /** This very decision won before, and the session has moved on since. */
  | { readonly kind: 'repeated'; readonly decision: DecisionKind }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface ClaimRequest {
  readonly session: SessionId;
  readonly ask: AskId;
  readonly binding?: Binding | undefined;
  readonly decision: Decision;
  /** How many tasks the claimant saw; absent for those who may cancel whatever is open. */
  readonly tasks?: number;
}

/** The one place where a decision wins or loses. A winner is queued; a loser is told why, from the same round trip. */
export const claim = async (ports: FrontPorts, request: ClaimRequest): Promise<Claimed> => {
  const { session: id, ask: askId, decision } = request;
  const written = await ports.store.write(
    claimMove(id, askId, decision, { binding: request.binding, ...claimantOf(request) }),
  );
  const session = readSession(id, written.item);
  const ask = currentAsk(session);
  // Our own write, applied although its answer was lost, or the platform's redelivery of the same event.
  const mine = ask?.id === askId && ask.decision?.id === decision.id;
  if (ask && (written.kind === 'written' || mine)) {
    await sendResume(ports, id, ask, decision.id);
    const { kind, by, via } = decision;
    const afterMs = decision.at - ask.openedAt;
    ports.log.info('ask-decided', { session: id, ask: askId, kind, by, via, afterMs });
    return { kind: 'claimed', ask };
  }
  const before = settledAsks(session).find(
    (one) => one.id === askId && one.decision === decision.id,
  );
  if (before) return { kind: 'repeated', decision: before.kind };
  if (leftLying(session, decision.at)?.id === askId && ask)
    await sendResume(ports, id, ask, `again:${decision.id}`);
  const refusal = refusalOf(
    session,
    askId,
    decision.at,
    mayClaim(session, request),
    request.binding,
  );
  const told =
    refusal.reason === 'expired' ? await lateRefusal(ports, request) : asExpired(refusal);
  ports.log.info('decision-refused', { session: id, ask: askId, reason: told.reason });
  return { kind: 'refused', refusal: told };
};

/** "Expired" is said only after `timeout` was written: until then somebody whose clock is behind may still confirm. */
const lateRefusal = async (
  ports: FrontPorts,
  { session: id, ask: askId, decision }: ClaimRequest,
): Promise<Refusal> => {
  const written = await ports.store.write(expireMove(id, askId, decision.at));
  const session = readSession(id, written.item);
  const ask = currentAsk(session);
  const expired = ask?.id === askId && ask.decision?.kind === 'timeout';
  // Expired, or decided by somebody who may have died before queueing it.
  const lying = leftLying(session, decision.at)?.id === askId;
  if (ask?.state === 'decided' && (expired || lying)) await sendResume(ports, id, ask, decision.id);
  return asExpired(refusalOf(session, askId, decision.at, true));
};

const asExpired = (refusal: Refusal): Refusal =>
  refusal.reason === 'already-decided' && refusal.settled.kind === 'timeout'
    ? { reason: 'expired', at: refusal.settled.at }
    : refusal;

const claimantOf = ({ decision, tasks }: ClaimRequest): { claimant?: Claimant } => {
  if (tasks === undefined || decision.by === undefined) return {};
  const every = Array.from({ length: tasks }, (_, index) => index);
  const confirm = decision.kind === 'confirm';
  return {
    claimant: {
      person: decision.by,
      tasks: confirm ? (decision.picked ?? every) : every,
      needs: confirm ? 'all' : 'any',
    },
  };
};

const mayClaim = (session: Session, { decision, tasks }: ClaimRequest): boolean => {
  const ask = currentAsk(session);
  if (tasks === undefined || !ask || decision.by === undefined) return true;
  return mayDecide(ask, decision.by, decision.kind, decision.picked);
};

/** Named by its sender: a repair is never swallowed by the first send. */
export const sendResume = (
  ports: FrontPorts,
  session: SessionId,
  ask: { readonly id: AskId; readonly turn: TurnId },
  sender: string,
): Promise<void> =>
  ports.queue.send(
    envelope({ type: 'resume', session, ask: ask.id, turn: ask.turn }, `d:${ask.id}:${sender}`),
  );
