import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindingOfAsk, bindingOfCall } from '#domain/binding.ts';
import { canonicalJson, type Json, type JsonObject } from '#domain/canonical-json.ts';

const call = (tool: string, input: Json) => ({ tool, input: input as JsonObject });

describe('a binding', () => {
  it('is the same for any order of keys, at any depth', () => {
    expect(bindingOfCall(call('t', { a: 1, b: { c: 2, d: 3 } }))).toBe(
      bindingOfCall(call('t', { b: { d: 3, c: 2 }, a: 1 })),
    );
  });

  it('is the one that cards carry today: a release that changes it voids every approval on its way', () => {
    expect(bindingOfCall(call('data_modify', { sql: 'DELETE FROM t' }))).toBe(
      'F3xExygqOtcYAqZ9ZLf0fZX-jtMumkXnT_1vEqPNf6k',
    );
    expect(bindingOfAsk([call('data_modify', { sql: 'DELETE FROM t' })])).toBe(
      'VJOjMVBNBi8SwwKhe0s96U_rJyDZ7k9g-eEnaFgV9Hg',
    );
  });

  it('tells apart what differs in any way', () => {
    const calls = [
      call('t', { a: 1 }),
      call('t', [['a', 1]]),
      call('t', { a: '1' }),
      call('t', { a: [1] }),
      call('t', { a: 1, b: null }),
      call('u', { a: 1 }),
      call('t', {}),
      call('t{', { a: 1 }),
    ];
    expect(new Set(calls.map(bindingOfCall)).size).toBe(calls.length);
    expect(new Set(calls.map((one) => bindingOfAsk([one]))).size).toBe(calls.length);
  });

  it('of an ask knows the number and the order of its calls, and its question', () => {
    const [a, b] = [call('t', { a: 1 }), call('t', { b: 1 })];
    const asks = [
      bindingOfAsk([a]),
      bindingOfAsk([a, a]),
      bindingOfAsk([a, b]),
      bindingOfAsk([b, a]),
      bindingOfAsk([]),
      bindingOfAsk([a], { prompt: 'why?' }),
      bindingOfAsk([a], { prompt: 'why?', options: ['x'] }),
      bindingOfCall(a),
    ];
    expect(new Set(asks).size).toBe(asks.length);
  });

  it('differs for different calls and is equal for equal ones', () => {
    const tool = fc.string({ maxLength: 3 });
    const input = fc.dictionary(fc.string({ maxLength: 2 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    });
    const some = fc.record({ tool, input: input as fc.Arbitrary<JsonObject> });
    fc.assert(
      fc.property(some, some, (one, other) => {
        const equal =
          one.tool === other.tool && canonicalJson(one.input) === canonicalJson(other.input);
        expect(bindingOfCall(one) === bindingOfCall(other)).toBe(equal);
        expect(bindingOfCall(structuredClone(one))).toBe(bindingOfCall(one));
        expect(bindingOfAsk([one, other])).not.toBe(bindingOfAsk([one]));
      }),
      { numRuns: 2_000 },
    );
  });
});
