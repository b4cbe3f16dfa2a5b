import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskId, askCode, askId, type SessionId, turnId } from '#domain/ids.ts';
import { bareDecision, buttonIn, readReply } from '#domain/reply.ts';
import { anAsk } from './given.ts';

const anyCode = fc.string({ minLength: 1, maxLength: 50 }).map((id) => askCode(id as AskId));

describe('the code of an ask', () => {
  it('is the same for the same ask, and another for another', () => {
    const codes = Array.from({ length: 5000 }, (_, nth) =>
      askCode(askId('s' as SessionId, turnId('1'), nth)),
    );
    expect(askCode(askId('s' as SessionId, turnId('1'), 7))).toBe(codes[7]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('is never a pick, never a word, and nothing that folding changes', () => {
    fc.assert(
      fc.property(anyCode, (code) => {
        expect(code).toMatch(/^[b-df-hj-np-tv-z][2-9b-df-hj-np-tv-z]{7}$/);
        expect(readReply(`确认${code}`, anAsk())).toEqual({ kind: 'other' });
        expect(bareDecision(`取消${code}`)).toBeUndefined();
      }),
    );
  });
});

describe('the text of a button', () => {
  it('is its word and the code of its card, however it is written', () => {
    fc.assert(
      fc.property(
        anyCode,
        fc.constantFrom('确认', '取消', 'confirm', 'cancel'),
        fc.constantFrom('', ' ', '。', '\n'),
        (code, word, end) => {
          expect(buttonIn(`${word}${code}${end}`)).toEqual({ word: `${word}${end}`, code });
          for (const between of [' ', '+', '-'])
            expect(buttonIn(`${word}${between}${code}${end}`)).toMatchObject({ code });
          const shouted = buttonIn(` ${word.toUpperCase()}${code.toUpperCase()}`);
          expect(shouted).toEqual({ word: word.toUpperCase(), code });
        },
      ),
    );
  });

  const code = askCode('a' as AskId);
  it.each([
    [`确认${code} 1,2`, '确认 1,2'],
    [`confirm${code} 2`, 'confirm 2'],
    [`修改${code}：删 ＡＢ 两行`, '修改：删 ＡＢ 两行'],
    [`modify ${code}: fewer`, 'modify: fewer'],
  ])('%j says %j of its card', (text, word) => {
    expect(buttonIn(text)).toEqual({ word, code });
  });

  it.each([
    ...['确认', '确认 1,3', '确认12345678', `确认  ${code}?`, `${code}`, `确认${code}?`],
    ...[`确认${code}x`, `确认${code.slice(1)}`, `不确认${code}`, `ok${code}`, `同意${code}`],
    ...['confirmation', 'cancellations', 'confirmatively', '确认version2', '取消 order', ''],
    ...[`修改${code}`, `取消${code} order`, `确认${code} ok?`, `修改${code}x：y`],
  ])('is not %j', (text) => {
    expect(buttonIn(text)).toBeUndefined();
  });
});
