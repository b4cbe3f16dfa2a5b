import { describe, expect, it } from 'vitest';
import { settledOf } from '#domain/ask.ts';
import type { Json } from '#domain/canonical-json.ts';
import { evaluate, type Item } from '#domain/expression.ts';
import { type AskId, turnId } from '#domain/ids.ts';
import { type Claimant, claim, openAsk as openAskMove } from '#domain/moves.ts';
import {
  currentAsk,
  leftLying,
  openAsk,
  readSession,
  recentWith,
  refusalOf,
  settledAsks,
  unshownAsk,
} from '#domain/session.ts';
import { aDecision, alice, anAsk, aTask, aTurn, bob, carol, session } from './given.ts';

const item = (change: { [key: string]: unknown } = {}): Item =>
  ({
    version: 1,
    phase: 'WAITING_CONFIRM',
    turn: aTurn(),
    ask: anAsk(),
    asked: 1,
    ...change,
  }) as unknown as Item;
const saved = (change?: { [key: string]: unknown }) => readSession(session, item(change));
const decided = anAsk({ state: 'decided', decision: aDecision({ at: 10_000 }) });

describe('a session', () => {
  it('that was never written is idle and has nothing waiting', () => {
    expect(readSession(session, undefined)).toEqual({
      id: session,
      phase: 'IDLE',
      aside: [],
      asked: 0,
      recent: [],
    });
  });

  it('that was only fenced is idle too', () => {
    const accepted = { queue: 'q', sequence: '1' };
    expect(readSession(session, { accepted })).toMatchObject({ phase: 'IDLE', accepted });
  });

  it('written by a newer release is refused', () => {
    expect(() => saved({ version: 2 })).toThrow('session v2 was written by a newer release');
  });

  it('gives an ask of an earlier turn no say', () => {
    const old = saved({ turn: aTurn(2) });
    expect(currentAsk(old)).toBeUndefined();
    expect(openAsk(old)).toBeUndefined();
    expect(leftLying(saved({ turn: aTurn(2), ask: decided }), 99_999)).toBeUndefined();
  });

  it('has an open ask only while it waits and nobody has decided', () => {
    expect(openAsk(saved())?.id).toBe(anAsk().id);
    expect(openAsk(saved({ phase: 'EXECUTING' }))).toBeUndefined();
    expect(openAsk(saved({ ask: decided }))).toBeUndefined();
  });

  it('knows an ask that nobody can have seen', () => {
    const shown = [{ chat: 'oc_1', message: 'om_9', time: 1 }];
    expect(unshownAsk(saved())?.id).toBe(anAsk().id);
    expect(unshownAsk(saved({ ask: anAsk({ shown }) }))).toBeUndefined();
  });

  it('calls a decision left lying when nobody took it up for 5 s', () => {
    const lies = (now: number, ask = decided) => leftLying(saved({ ask }), now) !== undefined;
    expect(lies(14_999)).toBe(false);
    expect(lies(15_000)).toBe(true);
    expect(lies(99_999, anAsk())).toBe(false);
    expect(lies(99_999, anAsk({ ...decided, state: 'taken' }))).toBe(false);
  });

  it('remembers the last five settled asks, newest first, each once', () => {
    const settled = (nth: number) =>
      settledOf(anAsk({ nth, state: 'taken', decision: aDecision({ at: nth }) }));
    const recent = [5, 4, 3, 2, 1].map(settled);
    const last = anAsk({ nth: 6, state: 'taken', decision: aDecision({ at: 6 }) });
    expect(recentWith(saved({ ask: last, recent })).map(({ at }) => at)).toEqual([6, 5, 4, 3, 2]);
    expect(settledAsks(saved({ ask: last, recent: [settled(6), settled(5)] }))).toHaveLength(2);
    expect(recentWith(saved({ recent })).map(({ at }) => at)).toEqual([5, 4, 3, 2, 1]);
  });
});

describe('a refused claim says why', () => {
  const { id } = anAsk();
  const refusal = (
    change: { [key: string]: unknown },
    { at = 1, may = true, binding = anAsk().binding as string, ask = id } = {},
  ) => refusalOf(saved(change), ask, at, may, binding);

  it('already-decided, by whom and when, for the last ask and for older ones', () => {
    const settled = { id, decision: 'evt_1', kind: 'confirm', by: alice, at: 10_000 };
    expect(refusal({ ask: decided })).toEqual({ reason: 'already-decided', settled });
    expect(refusal({ ask: anAsk({ nth: 2 }), recent: [settled] })).toEqual({
      reason: 'already-decided',
      settled,
    });
    expect(refusal({ phase: 'IDLE', turn: undefined, ask: decided }).reason).toBe(
      'already-decided',
    );
  });

  it('not-an-approver, and who may', () => {
    const tasks = [aTask({ may: [alice, bob] }), aTask({ may: [bob, carol] })];
    expect(refusal({ ask: anAsk({ tasks }) }, { may: false })).toEqual({
      reason: 'not-an-approver',
      may: [alice, bob, carol],
    });
  });

  it('changed, when the card showed something else', () => {
    expect(refusal({}, { binding: 'another' })).toEqual({ reason: 'changed' });
    expect(refusal({})).toEqual({ reason: 'changed' });
  });

  it('expired, from the very millisecond on', () => {
    expect(refusal({}, { at: 300_000 })).toEqual({ reason: 'expired', at: 300_000 });
    expect(refusal({}, { at: 299_999 }).reason).not.toBe('expired');
  });

  it('no-open-ask, when there is none by that name', () => {
    expect(refusal({}, { ask: 'a-other' as AskId })).toEqual({ reason: 'no-open-ask' });
    expect(refusal({ ask: undefined })).toEqual({ reason: 'no-open-ask' });
    expect(refusal({ turn: aTurn(2) })).toEqual({ reason: 'no-open-ask' });
  });
});

describe('a claim', () => {
  const two = anAsk({ tasks: [aTask({ may: [alice] }), aTask({ call: 1, may: [bob], not: [] })] });
  const wins = (
    claimant: Claimant | undefined,
    decision = aDecision(),
    { binding = two.binding, turn = aTurn() } = {},
  ) =>
    evaluate(
      claim(session, two.id, decision, { binding, ...(claimant && { claimant }) }),
      item({ ask: two as unknown as Json, turn: turn as unknown as Json }),
    ).kind === 'written';
  const all = (person: typeof alice, ...tasks: number[]): Claimant => ({
    person,
    tasks,
    needs: 'all',
  });
  const one = (person: typeof alice, ...tasks: number[]): Claimant => ({
    person,
    tasks,
    needs: 'any',
  });

  it('wins with the right to every confirmed task', () => {
    expect(wins(all(alice, 0), aDecision({ picked: [0] }))).toBe(true);
    expect(wins(all(alice, 0, 1))).toBe(false);
    expect(wins(all(alice, 1), aDecision({ picked: [1] }))).toBe(false);
    expect(wins(all(alice, 2), aDecision({ picked: [2] }))).toBe(false);
  });

  it('confirms everything only with the right to everything, however many tasks the claimant speaks of', () => {
    expect(wins(all(alice, 0))).toBe(false);
    expect(wins(all(carol))).toBe(false);
  });

  it('wins nothing by picking nothing', () => {
    expect(wins(all(carol), aDecision({ picked: [] }))).toBe(false);
    expect(wins(all(alice), aDecision({ picked: [] }))).toBe(false);
  });

  it('declines with the right to any one task', () => {
    for (const kind of ['cancel', 'modify'] as const) {
      expect(wins(one(bob, 0, 1), aDecision({ kind }))).toBe(true);
      expect(wins(one(carol, 0, 1), aDecision({ kind }))).toBe(false);
    }
  });

  it('by /cancel needs no right to a task', () => {
    expect(wins(undefined, aDecision({ kind: 'cancel' }))).toBe(true);
  });

  it('loses from the very millisecond of the expiry on, for another binding and for an earlier turn', () => {
    const mine = one(alice, 0, 1);
    expect(wins(mine, aDecision({ kind: 'cancel', at: 299_999 }))).toBe(true);
    expect(wins(mine, aDecision({ kind: 'cancel', at: 300_000 }))).toBe(false);
    expect(wins(mine, aDecision({ kind: 'cancel' }), { binding: 'x' as typeof two.binding })).toBe(
      false,
    );
    expect(wins(mine, aDecision({ kind: 'cancel' }), { turn: aTurn(1, { id: turnId('2') }) })).toBe(
      false,
    );
  });
});

describe('opening an ask', () => {
  const opens = (change: { [key: string]: unknown }, ask = anAsk()) =>
    evaluate(
      openAskMove(session, aTurn().job, ask, []),
      item({ phase: 'EXECUTING', ask: undefined, ...change }),
    ).kind === 'written';

  it('is for the job that holds the turn, and makes the session wait', () => {
    expect(opens({})).toBe(true);
    expect(opens({ turn: aTurn(1, { job: aTurn(2).job }) })).toBe(false);
    expect(opens({ turn: aTurn(2) })).toBe(false);
    expect(opens({ phase: 'WAITING_CONFIRM', ask: anAsk() }, anAsk({ nth: 2 }))).toBe(false);
  });

  it('happens once: an ask that was settled is not opened again', () => {
    const taken = anAsk({ state: 'taken', decision: aDecision() });
    expect(opens({ ask: taken })).toBe(false);
    expect(opens({ ask: taken }, anAsk({ nth: 2 }))).toBe(true);
  });

  it('does not happen any more once somebody asked to cancel the turn', () => {
    expect(opens({ turn: aTurn(1, { cancelAt: 5 }) })).toBe(false);
  });
});
