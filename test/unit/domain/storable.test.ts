import { expect, it } from 'vitest';
import type { Json } from '#domain/canonical-json.ts';
import { storableCalls } from '#domain/storable.ts';

const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);
const call = (input: Record<string, Json>) => ({ id: '1', tool: 't', input });

it.each([
  ['too large', { text: 'x'.repeat(200_000) }],
  ['too deep', { list: nested(5_000) }],
  ['no number of JSON', { n: Number.POSITIVE_INFINITY }],
  ['a number that no database holds', { n: 1e200 }],
  ['a number smaller than any it holds', { n: 1e-200 }],
])('keeps out arguments that no row can hold: %s', (_, input) => {
  const small = call({ a: 1 });
  const [kept, next] = storableCalls([call(input), small]);
  expect(kept).toEqual({ id: '1', tool: 't', input: {}, malformed: expect.any(String) });
  expect(next).toBe(small);
});

it.each([{}, { sql: 'x'.repeat(90_000) }, { list: nested(15), n: -1e100, zero: 0 }])(
  'leaves what a row can hold',
  (input) => {
    const one = call(input);
    expect(storableCalls([one])).toEqual([one]);
  },
);

it('has room for so much in one answer', () => {
  const calls = storableCalls(Array.from({ length: 3 }, () => call({ sql: 'x'.repeat(40_000) })));
  expect(calls.map(({ malformed }) => malformed !== undefined)).toEqual([false, false, true]);
});

it('keeps the beginning of what was no JSON at all', () => {
  const [kept] = storableCalls([{ ...call({}), malformed: '{'.repeat(500_000) }]);
  expect(kept?.malformed).toHaveLength(1_000);
});
