import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inertInText, mentionInText, mentionOnCard, withoutCalls } from '#channels/feishu/inert.ts';
import { inert } from '#channels/inert.ts';

/** Reads marks back: what can be read back was not lost. */
const readBack = (shown: string): string =>
  shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/gu, (_, hex: string) =>
    String.fromCodePoint(parseInt(hex, 16)),
  );
const readBackText = (shown: string): string =>
  readBack(shown.replaceAll('＜', '<').replaceAll('］', ']'));

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...['\u202e', '\u2066', '\u200b', '\u200d', '\ufeff', '\u00ad', '\u0000', '\r', '\n', '\t'],
      ...['\u2028', '\u00a0', '\u3164', '\u2800', '\ufe0f', '\u{e0041}', '⟨', '⟩', '⟨U+202E⟩'],
      ...[
        '<',
        '</at>',
        '<at id=all></at>',
        '<at user_id="all">',
        '[x](https://e.com)',
        '](',
        '＜',
        '］',
      ],
      ...['**', '`', '&lt;', '\ud800', '删'],
    ),
    fc.string({ minLength: 1, maxLength: 4, unit: 'binary' }),
  ),
});

describe('inert text', () => {
  it.each([
    ['a right-to-left override', 'pay \u202efdp.exe', 'pay ⟨U+202E⟩fdp.exe'],
    ['a zero-width space', 'ad\u200bmin', 'ad⟨U+200B⟩min'],
    ['a tag character', 'x\u{e0041}', 'x⟨U+E0041⟩'],
    ['a no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['a filler that is a letter', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['a variation selector', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['a mark that was there before', '⟨U+202E⟩', '⟨U+27E8⟩U+202E⟩'],
    ['half a surrogate pair', '\ud83d!', '⟨U+D83D⟩!'],
    ['lines, tabs and Chinese', '删除\n\t全部　行', '删除\n\t全部　行'],
  ])('shows %s', (_, given, shown) => {
    expect(inert(given)).toBe(shown);
  });

  it('loses nothing, whatever the text', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(readBack(inert(text))).toBe(text);
        expect(readBackText(inertInText(text))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves nothing that cannot be seen or that a text message interprets', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(inert(text)).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/u);
        expect(inertInText(text)).not.toMatch(/<|\]\(/u);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what the bot says itself', () => {
  it('calls nobody, and keeps everything else', () => {
    expect(withoutCalls('hi <at user_id="all"></at>, 1 < 2 <b>x</b>')).toBe(
      'hi ＜at user_id="all">＜/at>, 1 < 2 <b>x</b>',
    );
    expect(withoutCalls('< AT id=all>')).toBe('＜ AT id=all>');
    fc.assert(
      fc.property(nasty, (text) => {
        expect(withoutCalls(text)).not.toMatch(/<\s*\/?\s*at/iu);
      }),
    );
  });
});

describe('a mention', () => {
  it('is made of nothing but an open id', () => {
    expect(mentionOnCard('feishu:ou_1aB')).toBe('<at id=ou_1aB></at>');
    expect(mentionInText('feishu:ou_1aB')).toBe('<at user_id="ou_1aB"></at>');
  });

  it('is not made of anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          nasty,
          nasty.map((text) => `feishu:${text}`),
        ),
        (person) => {
          expect(mentionOnCard(person)).not.toContain('<');
          expect(mentionInText(person)).not.toContain('<');
        },
      ),
    );
    expect(mentionOnCard('feishu:all')).not.toContain('<');
    expect(mentionOnCard('feishu:ou_x></at><at id=all')).not.toContain('<');
    expect(mentionOnCard('**x**[y](z)')).not.toMatch(/[*[\]()]/u);
  });
});
