import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvedRows, type Count, cardText, knownFrom, moreThanShown } from '#tools/sql/card.ts';

const NOTHING = { cascades: [], triggers: [] };
const LANGUAGES = ['zh-CN', 'en'] as const;

describe('the number on the card', () => {
  it('is read back as it was written, in either language, whatever stands below it', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(...LANGUAGES),
        fc.array(fc.string()),
        (rows, language, names) => {
          const effects = { cascades: names, triggers: names };
          expect(approvedRows(cardText({ kind: 'exact', rows }, effects, language))).toBe(rows);
          const estimate = cardText({ kind: 'estimate', rows }, effects, language);
          expect(approvedRows(estimate)).toBe(Math.max(rows, 1) * 10);
          expect(estimate).toContain(`≈ ${rows} `);
        },
      ),
    );
  });

  it('is none where the card named none, or was not ours', () => {
    const none: readonly Count[] = [
      { kind: 'none', why: 'slow' },
      { kind: 'none', why: 'alone' },
      { kind: 'refused', why: 'Postgres 42P01: relation "37 rows" does not exist' },
    ];
    for (const count of none)
      for (const language of LANGUAGES)
        expect(approvedRows(cardText(count, NOTHING, language))).toBeUndefined();
    expect(approvedRows(undefined)).toBeUndefined();
    expect(approvedRows('(no preview: stopped at its limit of 10000 ms)')).toBeUndefined();
    expect(approvedRows('Would affect 37 rows or so')).toBeUndefined();
  });
});

describe('a guess that a run found to be wrong', () => {
  it.each(LANGUAGES)('gives way to what was found, and only a guess does (%s)', (language) => {
    const found = moreThanShown(1234, 50, language);
    expect(knownFrom({ kind: 'estimate', rows: 5 }, found)).toEqual({ kind: 'exact', rows: 1234 });
    expect(knownFrom({ kind: 'exact', rows: 5 }, found)).toEqual({ kind: 'exact', rows: 5 });
    expect(knownFrom({ kind: 'estimate', rows: 5 }, undefined).kind).toBe('estimate');
  });
});
