import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, fitContext, sizeOf } from '#models/ai-sdk/fit-context.ts';
import type { ModelMessage } from '#ports/model.ts';

const text = fc.oneof(
  fc.nat(9_000).map((length) => 'x'.repeat(length)),
  fc.nat(3_000).map((length) => '长'.repeat(length)),
);
const step = fc.record({ said: text, results: fc.array(text, { maxLength: 3 }) });
const turn = fc.record({ asked: text, steps: fc.array(step, { maxLength: 4 }) });

/** Ids repeat from step to step, as some servers make them. */
const messagesOf = ({ asked, steps }: typeof turn extends fc.Arbitrary<infer T> ? T : never) => [
  { role: 'user', text: asked } as const,
  ...steps.flatMap(({ said, results }): ModelMessage[] => {
    const calls = results.map((_, index) => ({ id: `call_${index}`, tool: 'look', input: {} }));
    return [
      { role: 'assistant', text: said, calls },
      ...calls.map(
        (call, index): ModelMessage => ({
          role: 'result',
          call,
          outcome: 'done',
          text: results[index] ?? '',
        }),
      ),
    ];
  }),
];

const identity = (message: ModelMessage) =>
  message.role === 'result' ? { role: 'result', call: message.call } : message;

describe('a conversation made to fit', () => {
  it('is a row of whole turns up to the newest, and fits unless the newest alone does not', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.nat(20_000),
        (turns, budget) => {
          const all = turns.map(messagesOf);
          const before = all.flat();
          const fitted = fitContext(before, budget);
          const kept = all.findIndex(
            (_, index) => all.slice(index).flat().length === fitted.length,
          );
          expect(kept).toBeGreaterThanOrEqual(0);
          expect(fitted.map(identity)).toEqual(all.slice(kept).flat().map(identity));
          const isLast = kept === all.length - 1;
          if (!isLast) expect(sizeOf(...fitted)).toBeLessThanOrEqual(budget);
          // Nothing is dropped or shortened that would have fitted.
          if (kept > 0) expect(sizeOf(...all.slice(kept - 1).flat())).toBeGreaterThan(budget);
          if (sizeOf(...all.slice(kept).flat()) <= budget)
            expect(fitted).toEqual(all.slice(kept).flat());
          // What does not fit has nothing left to shorten.
          if (sizeOf(...fitted) > budget)
            for (const message of fitted)
              if (message.role === 'result') expect(message.text.length).toBeLessThan(2_200);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('shortens the oldest results first, on a character, with a note', () => {
    const call = { id: '1', tool: 'look', input: {} };
    const result = (text: string): ModelMessage => ({
      role: 'result',
      call,
      outcome: 'done',
      text,
    });
    const messages: ModelMessage[] = [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls: [call, call] },
      result(`x${'😀'.repeat(4_000)}`),
      result('y'.repeat(8_000)),
    ];
    const [, , first, second] = fitContext(messages, 5_000);
    expect(first?.text).toMatch(/^x(😀){999}\n\[shortened .*: 2000 of 8001 characters\]$/u);
    expect(second).toBe(messages[3]);
  });

  it('counts four letters or one Chinese character as a token', () => {
    expect(estimateTokens('abcdefgh')).toBe(2);
    expect(estimateTokens('订单已付款')).toBe(5);
    expect(estimateTokens('')).toBe(0);
  });
});
