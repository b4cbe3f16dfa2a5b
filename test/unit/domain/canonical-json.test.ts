import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '#domain/canonical-json.ts';

describe('canonical JSON (RFC 8785)', () => {
  it('writes the example of the RFC', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by their UTF-16 units', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(value).replace(/"1":/, '"one":')))).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
    expect(canonicalJson({ 10: 0, 9: 0, B: 0, a: 0 })).toBe('{"10":0,"9":0,"B":0,"a":0}');
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [0.1, '0.1'],
    [1e21, '1e+21'],
    [1e20, '100000000000000000000'],
    [1e-7, '1e-7'],
    [0.000001, '0.000001'],
    [5e-324, '5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [9007199254740991, '9007199254740991'],
    [295147905179352830000, '295147905179352830000'],
  ])('prints the number %d as ECMAScript does: %s', (number, text) => {
    expect(canonicalJson(number)).toBe(text);
  });

  it.each([
    ['\b\t\n\f\r', '"\\b\\t\\n\\f\\r"'],
    ['\u0000\u001f', '"\\u0000\\u001f"'],
    ['"\\/', '"\\"\\\\/"'],
    ['中文 é 😀 \u2028', '"中文 é 😀 \u2028"'],
  ])('escapes of %j only what must be', (text, written) => {
    expect(canonicalJson(text)).toBe(written);
  });

  it('has no form for what JSON has none for', () => {
    for (const number of [Number.NaN, Infinity, -Infinity])
      expect(() => canonicalJson({ number })).toThrow(`${number} has no JSON form`);
  });

  it('tells values apart that look alike', () => {
    const alike: Json[] = [
      { a: 1 },
      [['a', 1]],
      ['a', 1],
      { a: '1' },
      '{"a":1}',
      { a: [1] },
      {},
      [],
      null,
      '',
      0,
      false,
    ];
    expect(new Set(alike.map(canonicalJson)).size).toBe(alike.length);
  });

  const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

  it('loses nothing: reading it back gives the value', () => {
    fc.assert(
      fc.property(value, (json) => {
        // -0 is 0 in canonical form, as it is in JSON.
        expect(JSON.parse(canonicalJson(json))).toEqual(JSON.parse(JSON.stringify(json)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on the order in which keys were written', () => {
    const reversed = (json: Json): Json => {
      if (Array.isArray(json)) return json.map(reversed);
      if (typeof json !== 'object' || json === null) return json;
      const entries = Object.entries(json).map(([key, one]) => [key, reversed(one)] as const);
      return Object.fromEntries(entries.reverse());
    };
    fc.assert(
      fc.property(value, (json) => {
        expect(canonicalJson(reversed(json))).toBe(canonicalJson(json));
      }),
      { numRuns: 2_000 },
    );
  });
});
