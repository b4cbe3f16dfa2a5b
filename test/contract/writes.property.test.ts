import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { createMemoryStore } from '#adapters/memory/store.ts';
import type { Ask, Decision, DecisionKind } from '#domain/ask.ts';
import type { Item, Write } from '#domain/expression.ts';
import type {
  AskId,
  AttemptId,
  Binding,
  JobName,
  MessageId,
  PersonId,
  SessionId,
  TurnId,
} from '#domain/ids.ts';
import { paddedSequence } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import * as moves from '#domain/moves.ts';
import { readSession, type Session, type Turn } from '#domain/session.ts';
import { startDynalite, startDynoxide } from '../support/emulators.ts';

/**
 * `evaluate` defines what a move means; DynamoDB must agree on every state that moves can lead to. Values come from
 * small pools, and most of the time from the session itself, so that moves often apply and often are refused.
 */
type MoveName = Exclude<keyof typeof moves, 'putIfAbsent'>;

interface Step {
  readonly move: MoveName;
  /** Takes the ids that stand in the session, where there are any. */
  readonly fits: boolean;
  readonly turn: TurnId;
  readonly job: JobName;
  readonly ask: AskId;
  readonly message: MessageId;
  readonly person: PersonId;
  readonly attempt: AttemptId;
  readonly number: number;
  readonly time: number;
  readonly flag: boolean;
  readonly kind: Ask['kind'];
  readonly decision: DecisionKind;
  readonly binding: Binding;
  readonly tasks: readonly number[];
}

const MOVES = Object.keys(moves).filter((name) => name !== 'putIfAbsent') as MoveName[];
/** Drawn more often, or most sequences would never see a decision. */
const KEY_MOVES: MoveName[] = ['startTurn', 'openAsk', 'openAsk', 'claim', 'claim', 'takeDecision'];
const TIMES = [100, 200, 300];
const pool = <Id extends string>(...ids: readonly string[]) =>
  fc.constantFrom(...(ids as readonly Id[]));

const step: fc.Arbitrary<Step> = fc.record({
  move: fc.constantFrom(...MOVES, ...KEY_MOVES),
  fits: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  turn: pool<TurnId>('t1', 't2'),
  job: pool<JobName>('m:1', 'r:1', '任务😀'),
  ask: pool<AskId>('a1', 'a2'),
  message: pool<MessageId>('m1', 'm2', '消息'),
  person: pool<PersonId>('feishu:ann', 'feishu:bob', 'feishu:eve'),
  attempt: pool<AttemptId>('x1', 'x2'),
  number: fc.integer({ min: 1, max: 12 }),
  time: fc.constantFrom(...TIMES),
  flag: fc.boolean(),
  kind: fc.constantFrom('confirm', 'input', 'choice'),
  decision: fc.constantFrom('confirm', 'modify', 'cancel', 'answer'),
  binding: pool<Binding>('b1', 'b2'),
  tasks: fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
});

const turnOf = (s: Step): Turn => ({
  id: s.turn,
  message: s.message,
  job: s.job,
  part: 0,
  requester: s.person,
  to: { channel: 'feishu', app: 'app', chat: '群', group: s.flag },
});

const askOf = (s: Step): Ask => ({
  id: s.ask,
  kind: s.kind,
  number: s.number,
  nth: 1,
  round: 1,
  step: 1,
  turn: s.turn,
  state: 'open',
  openedAt: 50,
  expiresAt: s.time,
  binding: s.binding,
  requester: s.person,
  shown: [],
  details: { kind: 'inline', text: '' },
  tasks: [
    { call: 0, tool: 'x', risk: 'HIGH', binding: s.binding, may: ['*'], not: [s.person] },
    { call: 1, tool: 'y', risk: 'LOW', binding: s.binding, may: [s.person, 'feishu:ann'], not: [] },
  ],
});

const decisionOf = (s: Step): Decision => ({
  id: `event-${s.number}`,
  kind: s.decision,
  by: s.person,
  at: s.time - 50,
  via: 'click',
  ...(s.flag && { picked: s.tasks, text: '好的' }),
});

/** The step with the ids that the session's state asks for. */
const fitted = (s: Step, session: Session, ledger: Item | undefined): Step =>
  s.fits
    ? {
        ...s,
        turn: session.turn?.id ?? s.turn,
        job: session.turn?.job ?? s.job,
        ask: s.move === 'openAsk' ? s.ask : (session.ask?.id ?? s.ask),
        binding: session.ask?.binding ?? s.binding,
        message: session.aside[0] ?? s.message,
        attempt: (ledger?.['attempt'] as AttemptId | undefined) ?? s.attempt,
      }
    : s;

const writeOf = (s: Step, session: Session): Write => {
  const { id } = session;
  const row = keys.ledger(id, 't1' as TurnId, 1, 0, 0);
  const place = { queue: s.flag ? 'q1' : 'q2', sequence: paddedSequence(String(s.number)) };
  const other = `dead:${s.job}` as JobName;
  switch (s.move) {
    case 'startTurn':
      return moves.startTurn(id, turnOf(s), place);
    case 'putAside':
      return moves.putAside(id, s.message, place);
    case 'passOn':
      return moves.passOn(id, s.turn, s.job, 'm:1' as JobName, s.number);
    case 'endTurn':
      return moves.endTurn(id, s.turn, s.job);
    case 'skipAside':
      return moves.skipAside(id, s.turn, s.job, s.message);
    case 'handOver':
      return moves.handOver(id, s.turn, s.job, { ...turnOf(s), id: `${s.turn}+` as TurnId });
    case 'requestCancel':
      return moves.requestCancel(id, s.turn, s.time);
    case 'forgetHistory':
      return moves.forgetHistory(id, s.turn, s.flag);
    case 'openAsk':
      return moves.openAsk(id, s.job, askOf(s), session.recent);
    case 'markShown':
      return moves.markShown(id, s.ask, [{ chat: '群', message: 'om_1', time: s.time }]);
    case 'claim': {
      const needs = s.decision === 'confirm' ? 'all' : 'any';
      const claimant = { person: s.person, tasks: s.tasks, needs } as const;
      return moves.claim(id, s.ask, decisionOf(s), {
        ...(s.flag && { binding: s.binding }),
        ...(s.number > 3 && { claimant }),
      });
    }
    case 'expire':
      return moves.expire(id, s.ask, s.time);
    case 'takeDecision':
      return moves.takeDecision(id, s.ask, s.job);
    case 'fence':
      return moves.fence(id, place);
    case 'seizeTurn':
      return moves.seizeTurn(id, s.turn, s.job, other);
    case 'seizeAsk':
      return moves.seizeAsk(id, s.turn, s.job, other, {
        ask: s.ask,
        resumes: s.flag,
        now: s.time,
      });
    case 'startCall':
      return moves.startCall(row, 'refund', s.attempt, s.time);
    case 'voidCall':
      return moves.voidCall(row, 'refund');
    case 'checkpointCall':
      return moves.checkpointCall(row, s.attempt, { pages: [s.number, null, { done: s.flag }] });
    case 'settleCall':
      return moves.settleCall(row, s.attempt, 'done', s.flag ? { text: '已退款' } : undefined);
    case 'retryCall':
      return moves.retryCall(row, s.attempt, 'x2' as AttemptId, s.time);
    default:
      return s.move satisfies never;
  }
};

const dynalite = await startDynalite();
const dynoxide = await startDynoxide();
afterAll(async () => {
  await dynalite.stop();
  await dynoxide?.stop();
});

describe('every move of the protocol', () => {
  const engines = [dynalite, ...(dynoxide ? [dynoxide] : [])].map(({ client, table }) =>
    createDynamoStore(client, table),
  );
  const seen = new Set<string>();
  let sessions = 0;

  it('does in DynamoDB what it does in memory, after any other moves', async () => {
    const follow = async (steps: readonly Step[]) => {
      sessions += 1;
      const id = `feishu:app:property-${sessions}` as SessionId;
      const memory = createMemoryStore();
      const rows = [keys.session(id), keys.ledger(id, 't1' as TurnId, 1, 0, 0)];
      for (const one of steps) {
        const [item, ledger] = await memory.read(rows);
        const session = readSession(id, item);
        const write = writeOf(fitted(one, session, ledger), session);
        const expected = await memory.write(write);
        seen.add(`${one.move} ${expected.kind}`);
        const answers = await Promise.all(engines.map((store) => store.write(write)));
        for (const answer of answers) expect(answer, one.move).toEqual(expected);
      }
      const held = await memory.read(rows);
      for (const store of engines) expect(await store.read(rows)).toEqual(held);
    };
    const sequences = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' });
    await fc.assert(fc.asyncProperty(sequences, follow), { numRuns: 60, seed: 10 });

    const expected = MOVES.flatMap((move) => [`${move} written`, `${move} refused`]);
    expect([...seen].sort(), 'a move that never applied or never was refused').toEqual(
      expected.sort(),
    );
  });
});
