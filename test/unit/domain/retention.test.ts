import { describe, expect, it } from 'vitest';
import { applied, type Write } from '#domain/expression.ts';
import { keys } from '#domain/keys.ts';
import { endTurn, fence, forgetHistory, putIfAbsent, startTurn } from '#domain/moves.ts';
import { isOver, keepUntil, longerFor, withEnd } from '#domain/retention.ts';
import { anAsk, aTurn, session } from './given.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 5, 9);
const LIMITS = { messagesDays: 30, eventsHours: 24, auditDays: 400 };

/** In how many days what the write makes of an item ends. */
const daysOf = (write: Write, item: Record<string, number> = {}): number | undefined => {
  const { ttl } = applied(withEnd(write, LIMITS, NOW).change, item);
  return ttl === undefined ? undefined : (Number(ttl) * 1000 - NOW) / DAY_MS;
};

describe('the end of a row', () => {
  const turn = aTurn();
  const ask = anAsk();
  it.each([
    ['a message', keys.message(session, turn.id, 1, 'a'), 30],
    ['what came in', keys.inbox(session, turn.message), 30],
    ['the ledger', keys.ledger(session, turn.id, 1, 0, 1), 30],
    ['a failed job', keys.failedJob(session, turn.job), 30],
    ['the audit', keys.audit(session, NOW, ask.id, 'decided'), 400],
    ['a remembered approval', keys.memory('feishu', 'cli_a', 'oc_1', 'act', ask.binding), 2],
    ['where a card belongs', keys.reference('feishu', 'cli_a', 'om_card'), 30],
    ['the bot itself', keys.app('feishu', 'cli_a'), undefined],
    ['notes', { pk: `N#${session}`, sk: '#' }, undefined],
  ])('of %s follows from its key', (_, key, days) => {
    expect(daysOf(putIfAbsent(key, { any: 'thing' }))).toBe(days);
  });

  it('is that of a session only while it is idle', () => {
    const place = { queue: 'q', sequence: '1' };
    expect(daysOf(endTurn(session, turn.id, turn.job))).toBe(30);
    expect(daysOf(startTurn(session, turn, place), { ttl: NOW / 1000 })).toBeUndefined();
  });

  it('is left alone by what does not say whether the session is idle', () => {
    const item = { ttl: NOW / 1000 + 86_400 };
    expect(daysOf(forgetHistory(session, turn.id, true), item)).toBe(1);
    expect(daysOf(fence(session, { queue: 'q', sequence: '1' }), item)).toBe(1);
  });

  it('is left alone where the write names one', () => {
    const key = keys.inbox(session, turn.message);
    expect(daysOf(keepUntil(key, NOW + 77 * DAY_MS))).toBe(77);
  });

  it('is reached at that second, and never without one', () => {
    expect(isOver({ ttl: NOW / 1000 }, NOW)).toBe(true);
    expect(isOver({ ttl: NOW / 1000 + 1 }, NOW)).toBe(false);
    expect(isOver({}, NOW)).toBe(false);
  });
});

describe('rows of a turn that waits', () => {
  const inDays = (days: number) => NOW + days * DAY_MS;
  it.each([
    // Any question fits into the usual limit: it lives for 13 days at most.
    [30, 0, 13, undefined],
    [30, 0, 15, undefined],
    // A question late in a long turn.
    [30, -10, 13, 43],
    [2, 0, 5, 7],
    [1, 0, 0.4, undefined],
    [1, 0, 0.6, 1.6],
  ])(
    'with a limit of %d days, of %d days ago, for a question of %d days: until %s',
    (limit, since, life, until) => {
      const kept = longerFor(inDays(life), inDays(since), { ...LIMITS, messagesDays: limit });
      expect(kept).toBe(until === undefined ? undefined : inDays(until));
    },
  );
});
