import type { Ask, Decision, Settled, Shown } from './ask.ts';
import type { Json } from './canonical-json.ts';
import {
  above,
  all,
  any,
  append,
  atMost,
  below,
  type Condition,
  contains,
  exists,
  is,
  isNot,
  type Key,
  missing,
  not,
  remove,
  same,
  set,
  setIfMissing,
  type Write,
} from './expression.ts';
import type {
  AskId,
  AttemptId,
  Binding,
  JobName,
  MessageId,
  PersonId,
  SessionId,
  TurnId,
} from './ids.ts';
import { keys, shards } from './keys.ts';
import { type Phase, SESSION_VERSION, type Turn, waitingPhase } from './session.ts';

/**
 * Every conditional write of the protocol, once. A move is data: `evaluate(move, item)` gives the new state or the
 * state that refused it, and each store carries out exactly this. What a refusal means is read by the arrow that made
 * the move; it always allows for the writer's own write having been applied before (a retry after a lost answer).
 */

const json = (value: unknown) => value as Json;
const idle = any(missing('phase'), is('phase', 'IDLE'));
const waiting = any(is('phase', 'WAITING_INPUT'), is('phase', 'WAITING_CONFIRM'));
const notShown = all(is('ask.state', 'open'), missing('ask.shown.0'));
const nothingAside = missing('aside.0');

const holding = (turn: TurnId, job: JobName): Condition =>
  all(is('turn.id', turn), is('turn.job', job), is('phase', 'EXECUTING'));

/** A message is started or put aside once: its queue number must be above all that were. */
const unaccepted = (place: QueuePlace): Condition =>
  any(
    missing('accepted'),
    isNot('accepted.queue', place.queue),
    below('accepted.sequence', place.sequence),
  );
/** A session that is not idle is in the index, by the write that makes it so; `rest` takes it out again. */
const busy = (session: SessionId, phase: Exclude<Phase, 'IDLE'>) => [
  set('phase', phase),
  set('shard', shards.busy(session)),
];
const rest = [set('phase', 'IDLE'), remove('shard')];
const accept = ({ queue, sequence }: QueuePlace) => set('accepted', { queue, sequence });

/** Which queue a job came from and its padded sequence number there. */
export interface QueuePlace {
  readonly queue: string;
  readonly sequence: string;
}

// ── a message's turn ────────────────────────────────────────────────────────────────────────────────────────────────

export const startTurn = (session: SessionId, turn: Turn, place: QueuePlace): Write => ({
  key: keys.session(session),
  only: all(idle, unaccepted(place)),
  change: [
    set('version', SESSION_VERSION),
    ...busy(session, 'EXECUTING'),
    set('turn', json(turn)),
    accept(place),
  ],
});

export const putAside = (session: SessionId, message: MessageId, place: QueuePlace): Write => ({
  key: keys.session(session),
  only: all(exists('phase'), isNot('phase', 'IDLE'), unaccepted(place)),
  change: [append('aside', message), accept(place)],
});

/** The function's time runs out: the same turn goes on in another job. Made by the sender and by that job. */
export const passOn = (
  session: SessionId,
  turn: TurnId,
  from: JobName,
  to: JobName,
  part: number,
): Write => ({
  key: keys.session(session),
  only: holding(turn, from),
  change: [set('turn.job', to), set('turn.part', part)],
});

export const endTurn = (session: SessionId, turn: TurnId, job: JobName): Write => ({
  key: keys.session(session),
  only: all(holding(turn, job), nothingAside),
  change: [...rest, remove('turn')],
});

export const skipAside = (
  session: SessionId,
  turn: TurnId,
  job: JobName,
  head: MessageId,
): Write => ({
  key: keys.session(session),
  only: all(holding(turn, job), is('aside.0', head)),
  change: [remove('aside.0')],
});

/** Ends one turn and starts the next in one write. Made by the finisher and by the job that runs the next. */
export const handOver = (session: SessionId, turn: TurnId, job: JobName, next: Turn): Write => ({
  key: keys.session(session),
  only: all(holding(turn, job), is('aside.0', next.message)),
  change: [set('turn', json(next)), remove('aside.0')],
});

export const requestCancel = (session: SessionId, turn: TurnId, now: number): Write => ({
  key: keys.session(session),
  only: is('turn.id', turn),
  change: [setIfMissing('turn.cancelAt', now)],
});

export const forgetHistory = (session: SessionId, from: TurnId, evenBusy: boolean): Write => ({
  key: keys.session(session),
  ...(!evenBusy && { only: idle }),
  change: [
    set('version', SESSION_VERSION),
    setIfMissing('phase', 'IDLE'),
    set('historyFrom', from),
  ],
});

// ── an ask ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export const openAsk = (
  session: SessionId,
  job: JobName,
  ask: Ask,
  recent: readonly Settled[],
): Write => ({
  key: keys.session(session),
  only: all(
    holding(ask.turn, job),
    missing('turn.cancelAt'),
    any(missing('ask'), isNot('ask.id', ask.id)),
  ),
  change: [
    ...busy(session, waitingPhase(ask.kind)),
    set('ask', json(ask)),
    set('recent', json(recent)),
    set('asked', ask.number),
  ],
});

export const markShown = (session: SessionId, ask: AskId, shown: readonly Shown[]): Write => ({
  key: keys.session(session),
  only: is('ask.id', ask),
  change: [set('ask.shown', json(shown))],
});

const isOpen = (ask: AskId): Condition =>
  all(is('ask.id', ask), same('ask.turn', 'turn.id'), is('ask.state', 'open'));
const decide = (decision: Decision) => [
  set('ask.state', 'decided'),
  set('ask.decision', json(decision)),
];

const mayTask = (index: number, person: PersonId): Condition =>
  all(
    any(contains(`ask.tasks.${index}.may`, person), contains(`ask.tasks.${index}.may`, '*')),
    not(contains(`ask.tasks.${index}.not`, person)),
  );

/** The tasks whose approvers the decision needs: all of them for a confirm, any one to decline. */
export interface Claimant {
  readonly person: PersonId;
  readonly tasks: readonly number[];
  readonly needs: 'all' | 'any';
}

/** Rights to nothing are no rights: a confirm that picks no task must not settle anything. */
const holdsRights = (needs: Claimant['needs'], rights: readonly Condition[]): Condition => {
  if (rights.length === 0) return missing('ask.id');
  return needs === 'all' ? all(...rights) : any(...rights);
};

/** The one write by which one decision wins an ask. `claimant` is absent for an admin's or the requester's /cancel. */
export const claim = (
  session: SessionId,
  ask: AskId,
  decision: Decision,
  check: { readonly binding?: Binding | undefined; readonly claimant?: Claimant },
): Write => {
  const { binding, claimant } = check;
  const rights = claimant?.tasks.map((index) => mayTask(index, claimant.person)) ?? [];
  // A confirm of everything is a right to everything there is, however many tasks the claimant says there are.
  const everything = decision.kind === 'confirm' && decision.picked === undefined;
  return {
    key: keys.session(session),
    only: all(
      isOpen(ask),
      above('ask.expiresAt', decision.at),
      ...(binding === undefined ? [] : [is('ask.binding', binding)]),
      ...(claimant && everything ? [missing(`ask.tasks.${claimant.tasks.length}`)] : []),
      ...(claimant ? [holdsRights(claimant.needs, rights)] : []),
    ),
    change: decide(decision),
  };
};

/**
 * Nobody decided in time. `now` is the time in the schedule's own payload (the function's clock may be behind), or the
 * time of a click that came too late: "expired" is said only after this was written.
 */
export const expire = (session: SessionId, ask: AskId, now: number, at = now): Write => ({
  key: keys.session(session),
  only: all(isOpen(ask), atMost('ask.expiresAt', now)),
  change: decide({ id: 'timeout', kind: 'timeout', at, via: 'timer' }),
});

export const takeDecision = (session: SessionId, ask: AskId, job: JobName): Write => ({
  key: keys.session(session),
  only: all(
    is('ask.id', ask),
    same('ask.turn', 'turn.id'),
    any(
      all(waiting, is('ask.state', 'decided')),
      all(is('phase', 'EXECUTING'), is('ask.state', 'taken'), is('turn.job', job)),
    ),
  ),
  change: [...busy(session, 'EXECUTING'), set('turn.job', job), set('ask.state', 'taken')],
});

// ── giving up ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Nobody may start this message any more. */
export const fence = (session: SessionId, place: QueuePlace): Write => ({
  key: keys.session(session),
  only: unaccepted(place),
  change: [accept(place)],
});

/** Takes the turn from a job that failed for good. Two forms: a nested change under a missing ask is an error. */
export const seizeTurn = (
  session: SessionId,
  turn: TurnId,
  job: JobName,
  dead: JobName,
): Write => ({
  key: keys.session(session),
  only: holding(turn, job),
  change: [set('turn.job', dead)],
});

export const seizeAsk = (
  session: SessionId,
  turn: TurnId,
  job: JobName,
  dead: JobName,
  seized: { readonly ask: AskId; readonly resumes: boolean; readonly now: number },
): Write => {
  const held = all(is('turn.job', job), any(is('phase', 'EXECUTING'), all(waiting, notShown)));
  const undone = all(waiting, any(is('ask.state', 'decided'), notShown));
  const gaveUp: Decision = { id: 'gave-up', kind: 'gave-up', at: seized.now, via: 'dead-letter' };
  return {
    key: keys.session(session),
    only: all(
      is('turn.id', turn),
      is('ask.id', seized.ask),
      same('ask.turn', 'turn.id'),
      seized.resumes ? any(held, undone) : held,
    ),
    change: [
      ...busy(session, 'EXECUTING'),
      set('turn.job', dead),
      set('ask.state', 'taken'),
      setIfMissing('ask.decision', json(gaveUp)),
    ],
  };
};

// ── the ledger: it alone says "started or not" ──────────────────────────────────────────────────────────────────────

export const putIfAbsent = (key: Key, row: { readonly [name: string]: unknown }): Write => ({
  key,
  only: missing('pk'),
  change: Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => set(name, json(value))),
});

const ranBy = (attempt: AttemptId): Condition =>
  all(is('state', 'started'), is('attempt', attempt));

export const startCall = (key: Key, tool: string, attempt: AttemptId, until: number): Write =>
  putIfAbsent(key, { state: 'started', tool, attempt, until });

export const voidCall = (key: Key, tool: string): Write =>
  putIfAbsent(key, { state: 'void', tool });

export const checkpointCall = (key: Key, attempt: AttemptId, data: Json): Write => ({
  key,
  only: ranBy(attempt),
  change: [set('checkpoint', data)],
});

/** `attempt` is the runner's: its own when it reports a result, another's when it judges a runner that is gone. */
export const settleCall = (
  key: Key,
  attempt: AttemptId,
  state: 'done' | 'failed' | 'changed' | 'unknown',
  result?: unknown,
): Write => ({
  key,
  only: ranBy(attempt),
  change: [set('state', state), ...(result === undefined ? [] : [set('result', json(result))])],
});

/** An idempotent tool is tried again under the same key by a new runner. */
export const retryCall = (
  key: Key,
  theirs: AttemptId,
  attempt: AttemptId,
  until: number,
): Write => ({
  key,
  only: ranBy(theirs),
  change: [set('attempt', attempt), set('until', until)],
});
