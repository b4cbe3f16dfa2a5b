import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  askId,
  jobName,
  messageId,
  personId,
  platformKey,
  type SessionId,
  sessionId,
  turnId,
} from '#domain/ids.ts';

const PLATFORM_SAFE = /^[A-Za-z0-9_-]{1,50}$/;
const freeText = fc.string({ unit: 'binary' });

describe('ids', () => {
  it('that platforms see hold at most 50 of [A-Za-z0-9_-], with room for the tick’s ending', () => {
    fc.assert(
      fc.property(
        freeText,
        fc.bigInt({ min: 0n, max: 2n ** 128n }),
        fc.nat(),
        (session, sequence, nth) => {
          const ask = askId(session as SessionId, turnId(String(sequence)), nth);
          expect(ask).toMatch(PLATFORM_SAFE);
          expect(`${ask}-tick`).toMatch(PLATFORM_SAFE);
          expect(platformKey(session, ask, nth)).toMatch(PLATFORM_SAFE);
        },
      ),
    );
  });

  it('of an ask are the same for the same step, and differ with session, turn and number', () => {
    const [a, b] = ['client:x:a' as SessionId, 'client:x:b' as SessionId];
    const [one, two] = [turnId('1'), turnId('2')];
    expect(askId(a, one, 1)).toBe(askId(a, one, 1));
    expect(
      new Set([askId(a, one, 1), askId(b, one, 1), askId(a, two, 1), askId(a, one, 2)]).size,
    ).toBe(4);
  });

  it('of copies of one card differ by receiver and part', () => {
    const said = [
      platformKey('s', 'a', 'oc_1'),
      platformKey('s', 'a', 'oc_2'),
      platformKey('s', 'a', 1),
      platformKey('s', 'a', '1'),
    ];
    expect(new Set(said).size).toBe(said.length);
  });

  it('of turns sort as their queue numbers do, beyond what a number type holds', () => {
    const sequence = fc.bigInt({ min: 0n, max: 2n ** 128n });
    fc.assert(
      fc.property(sequence, sequence, (a, b) => {
        expect(turnId(String(a))).toHaveLength(39);
        expect(turnId(String(a)) < turnId(String(b))).toBe(a < b);
      }),
    );
  });

  it('of sessions name channel, app and chat, then the thread and the person where there are any', () => {
    const chat = { channel: 'feishu', app: 'cli_a', chat: 'oc_1' };
    expect(sessionId(chat)).toBe('feishu:cli_a:oc_1');
    expect(sessionId({ ...chat, thread: 'omt_1' })).toBe('feishu:cli_a:oc_1:omt_1');
    expect(sessionId({ ...chat, person: personId('feishu', 'ou_1') })).toBe(
      'feishu:cli_a:oc_1:feishu:ou_1',
    );
  });

  it('of jobs given up are marked once', () => {
    const job = jobName.message(messageId('om_1'));
    expect(jobName.dead(job)).toBe('dead:m:om_1');
    expect(jobName.dead(jobName.dead(job))).toBe('dead:m:om_1');
  });
});
