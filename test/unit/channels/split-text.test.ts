import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitText } from '#channels/split-text.ts';

const texts = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\t', '删', '😀', '\ud800', 'line\n'),
  maxLength: 400,
});

it('loses nothing, keeps every piece small enough, and cuts through no character', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 20, max: 300 }), (text, most) => {
      const pieces = splitText(text, most);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) {
        expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThanOrEqual(most);
        if (text.isWellFormed()) expect(piece.isWellFormed()).toBe(true);
      }
      if (text !== '') expect(pieces).not.toContain('');
    }),
    { numRuns: 1000 },
  );
});

it('breaks after a line, unless that would leave most of a piece empty', () => {
  expect(splitText('aaaa\nbbbb\ncc', 14)).toEqual(['aaaa\nbbbb\n', 'cc']);
  expect(splitText(`a\n${'b'.repeat(20)}`, 12)).toEqual([
    `a\n${'b'.repeat(7)}`,
    'b'.repeat(10),
    'bbb',
  ]);
});

it('is one piece where all fits, also of nothing', () => {
  expect(splitText('', 20)).toEqual(['']);
  expect(splitText('abc', 5)).toEqual(['abc']);
});

it('takes a megabyte in good time', () => {
  const before = performance.now();
  expect(splitText('删除\n'.repeat(150_000), 1000).length).toBeGreaterThan(500);
  expect(performance.now() - before).toBeLessThan(2000);
});
