import { expect, it } from 'vitest';
import { cardTextsIn } from '#domain/card-texts.ts';

it.each(['zh-CN', 'en'] as const)(
  'says of a turn that was given up neither that it ran nor that it did not (%s)',
  (language) => {
    // One of several calls may have run; the text message beside the card lists which.
    expect(cardTextsIn(language).state('gave-up', 2)).not.toMatch(/未执行|已执行|not run|done/i);
    expect(cardTextsIn(language).state('cancelled', 2)).toMatch(/未执行|not run/i);
  },
);
