import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kept } from '#domain/ask.ts';
import {
  type Outcome,
  openCalls,
  type Row,
  readMessage,
  recentTurns,
  type SavedMessage,
  stepsOf,
} from '#domain/conversation.ts';
import { messageId, turnId } from '#domain/ids.ts';
import { alice } from './given.ts';

const text: Kept = { kind: 'inline', text: '…' };
const turn = (n: number) => turnId(String(n));
const row = (n: number, message: SavedMessage): Row => ({ turn: turn(n), message });
const user = (n: number) =>
  row(n, { role: 'user', text, from: alice, message: messageId(`om_${n}`) });
const step = (n: number, number: number, calls = 0) =>
  row(n, {
    role: 'step',
    step: number,
    text,
    calls: Array.from({ length: calls }, (_, i) => ({ id: `c${i}`, tool: 't', input: {} })),
  });
const result = (n: number, of: number, call: number, outcome: Outcome = 'done') =>
  row(n, { role: 'result', step: of, call, outcome, text });
const answer = (n: number) => row(n, { role: 'final', text, how: 'answer' });

/** Two messages a turn as people and model count them; the answer's row repeats the last step. */
const plain = (n: number) => [user(n), step(n, 1), answer(n)];
/** Five messages: user, a step of two calls, their results, closing words. */
const busy = (n: number) => [
  user(n),
  step(n, 1, 2),
  result(n, 1, 0),
  result(n, 1, 1),
  step(n, 2),
  answer(n),
];
const turnsIn = (rows: readonly Row[]) => [...new Set(rows.map((one) => Number(one.turn)))];

describe('recent turns', () => {
  const history = [...plain(1), ...plain(2), ...plain(3), user(4), step(4, 1, 1)];

  it.each([
    [0, [4]],
    [1, [3, 4]],
    [2, [3, 4]],
    [3, [2, 3, 4]],
    [4, [2, 3, 4]],
    [6, [1, 2, 3, 4]],
    [40, [1, 2, 3, 4]],
  ])('with %d messages of history are whole turns: %j', (limit, turns) => {
    expect(turnsIn(recentTurns(history, turn(4), limit))).toEqual(turns);
  });

  it('are none whose own message is gone', () => {
    const halfGone = [step(1, 1), answer(1), ...plain(2), user(3)];
    expect(turnsIn(recentTurns(halfGone, turn(3), 40))).toEqual([2, 3]);
  });

  it('count user, assistant and tool messages, and words that ended a turn otherwise', () => {
    const told = row(2, { role: 'final', text, how: 'cancelled' });
    const rows = [...plain(1), user(2), step(2, 1, 1), told, user(3)];
    expect(turnsIn(recentTurns(rows, turn(3), 3))).toEqual([2, 3]);
    expect(turnsIn(recentTurns([...busy(1), ...busy(2), user(3)], turn(3), 5))).toEqual([2, 3]);
    expect(turnsIn(recentTurns([...busy(1), ...busy(2), user(3)], turn(3), 6))).toEqual([1, 2, 3]);
  });

  it('leave out turns that came later', () => {
    expect(turnsIn(recentTurns(history, turn(2), 40))).toEqual([1, 2]);
  });

  it('never split a turn, so never a call from its result', () => {
    const turns = fc.array(fc.constantFrom(plain, busy), { maxLength: 8 });
    fc.assert(
      fc.property(turns, fc.nat(40), (kinds, limit) => {
        const rows = [...kinds.flatMap((kind, index) => kind(index + 1)), user(99)];
        const kept = recentTurns(rows, turn(99), limit);
        expect(kept).toEqual(rows.slice(rows.length - kept.length));
        for (const n of turnsIn(kept))
          expect(kept.filter((one) => one.turn === turn(n))).toHaveLength(
            rows.filter((one) => one.turn === turn(n)).length,
          );
        const messages = kept.filter(
          (one) => one.turn < turn(99) && one.message.role !== 'final',
        ).length;
        const all = rows.filter(
          (one) => one.turn < turn(99) && one.message.role !== 'final',
        ).length;
        expect(messages).toBeGreaterThanOrEqual(Math.min(limit, all));
        expect(messages).toBeLessThan(limit === 0 ? 1 : limit + 5);
      }),
    );
  });
});

describe('where a turn stands', () => {
  it('is read from its rows alone', () => {
    const rows = [...busy(1), user(2), step(2, 1, 3), result(2, 1, 1), result(2, 1, 0, 'declined')];
    const [only, ...more] = stepsOf(rows, turn(2));
    expect(more).toEqual([]);
    expect(only && openCalls(only)).toEqual([2]);
    expect(only?.results.get(0)).toMatchObject({ outcome: 'declined' });
    expect(stepsOf(rows, turn(1)).map(openCalls)).toEqual([[], []]);
    expect(stepsOf(rows, turn(3))).toEqual([]);
  });

  it('goes by the steps’ numbers, ten after nine', () => {
    const rows = [step(1, 10), step(1, 9), step(1, 1)];
    expect(stepsOf(rows, turn(1)).map(({ step: number }) => number)).toEqual([1, 9, 10]);
  });
});

it('refuses a message of a newer release, and one without a version', () => {
  const { message } = answer(1);
  const item = { turn: turn(1), message: message as never };
  expect(readMessage({ ...item, version: 1 })).toEqual(answer(1));
  expect(() => readMessage({ ...item, version: 2 })).toThrow(
    'message v2 was written by a newer release',
  );
  expect(() => readMessage(item)).toThrow('message has version undefined');
});
