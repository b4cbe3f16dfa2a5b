import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askUser } from '#tools/ask-user.ts';

describe('ask_user', () => {
  const questions = [
    { kind: 'input', prompt: '填什么？', placeholder: '数字', pattern: '\\d+' },
    { kind: 'input', prompt: 'What?' },
    { kind: 'choice', prompt: 'Which?', options: ['a', 'b'], multiple: true },
  ];
  it.each(questions)('puts the question as it was given: %j', (input) => {
    const parsed = askUser.parse(input);
    if (parsed.kind === 'wrong') throw new Error(parsed.why);
    expect(askUser.question?.(parsed.input)).toEqual(input);
    expect(askUser.summary(parsed.input, 'en')).toBe(input.prompt);
  });

  it('runs nothing', () => {
    expect(askUser.work).toBeUndefined();
  });

  it.each([
    [{ kind: 'choice', prompt: 'Which?' }, 'options'],
    [{ kind: 'choice', prompt: 'Which?', options: ['only one'] }, 'options'],
    [{ kind: 'input', prompt: ' ' }, 'prompt'],
    [{ kind: 'input' }, 'prompt'],
    [{ kind: 'form', prompt: 'What?' }, 'kind'],
    [{ kind: 'input', prompt: 'What?', pattern: '(' }, 'pattern'],
  ])('refuses %j, naming the field', (input, field) => {
    const parsed = askUser.parse(input);
    expect(parsed.kind === 'wrong' && parsed.why).toContain(field);
  });

  it('tells the model what it takes', () => {
    expect(askUser.schema).toMatchObject({
      required: ['kind', 'prompt'],
      properties: { kind: { enum: ['input', 'choice'] }, options: { type: 'array' } },
    });
  });
});

/** Every one takes seconds to years for some answer of up to 1,000 characters. */
const EVIL = [
  ...[
    '(\\w+\\s?)*',
    '(a+)+',
    '(a*)*b',
    '(a|aa)+',
    '(a|a)*',
    '(?:\\d+,?)+',
    '([a-z]+\\.?){1,9}',
    '(x+x+)+y',
  ],
  ...['\\d*\\d*\\d*', '\\d+\\d+\\d+x', '.*.*.*=.*', '\\w*_\\w*_\\w*', 'a{0,900}a{0,900}a{900}'],
  ...[`${'a?'.repeat(30)}a{30}`, '(?:a|a)'.repeat(25), `${'(a?)'.repeat(25)}b`, '[^x]+[😀]+\\S+!'],
  ...['(.+)\\1', '(?<word>.+)\\k<word>', '(?=(a+))a*b', '(?<!a*)b', '(?i:a+)', '\\ud83d\\ude00+'],
  ...['(\\+\\d+)+', '(\\(\\d*\\))*', '([)]*a)*', '\\d+,?\\d+,?\\d+,?\\d+x'],
];
const ORDINARY = [
  ...[
    '\\d+',
    '.+',
    '\\S+',
    '[A-Za-z ]{2,40}',
    '[\\u4e00-\\u9fa5]{2,10}',
    '\\p{Script=Han}+',
    'https?://\\S+',
  ],
  ...[
    '^[A-Z]{2}\\d{6}$',
    '^(yes|no)$',
    '(?:是|否|不确定)',
    'ORD-\\d{4,10}',
    '#?[0-9a-fA-F]{6}',
    '\\d+(?:\\.\\d{1,2})?',
  ],
  ...[
    '1[3-9]\\d{9}',
    '(?:\\+86[- ]?)?1\\d{10}',
    '\\+?\\d{1,3}[- ]?\\d{3,4}[- ]?\\d{4}',
    '\\(\\d{3}\\) \\d{3}-\\d{4}',
  ],
  ...[
    '\\d{4}-\\d{2}-\\d{2}',
    '\\d{4}[-/]\\d{1,2}[-/]\\d{1,2}',
    '(?<day>\\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)',
  ],
  ...[
    '[^@\\s]+@[^@\\s]+\\.[^@\\s]+',
    '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$',
    '[\\w.-]+@[\\w.-]+\\.[a-z]{2,}',
    '.*@example\\.com',
  ],
  ...[
    '\\d+ ?(?:kg|g|t)',
    '\\d+ x \\d+ x \\d+',
    '\\w+\\+\\w+',
    '[01]?\\d:[0-5]\\d',
    '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}',
  ],
];
const asks = (pattern: string) => askUser.parse({ kind: 'input', prompt: 'What?', pattern });

describe('a pattern, which runs on what strangers write', () => {
  it.each(EVIL)('is refused where an answer could keep it busy: %s', (pattern) => {
    const parsed = asks(pattern);
    expect(parsed.kind === 'wrong' && parsed.why).toContain('could take too long');
  });

  it.each(ORDINARY)('is taken where it is ordinary: %s', (pattern) => {
    expect(asks(pattern).kind).toBe('input');
  });

  it('takes few steps whatever the answer is, once it is taken', () => {
    let taken = 0;
    fc.assert(
      fc.property(expressions, fc.constantFrom('a', 'ab', 'aab'), (expression, unit) => {
        if (asks(expression.source).kind !== 'input') return;
        taken += 1;
        expect(stepsOf(expression, `${unit.repeat(60)}!`)).toBeLessThan(1_000_000);
      }),
      { numRuns: 3_000 },
    );
    expect(taken).toBeGreaterThan(500);
  });
});

/** The plainest backtracking, whose steps can be counted, so that no clock is needed. */
interface Expression {
  readonly source: string;
  run(text: string, at: number, go: (at: number) => boolean): boolean;
}
let steps = 0;
const stepsOf = ({ run }: Expression, text: string): number => {
  steps = 0;
  run(text, 0, (at) => at === text.length);
  return steps;
};
const oneOf = (source: string): Expression => ({
  source,
  run: (text, at, go) => {
    steps += 1;
    if (steps > 1_000_000) return true;
    return at < text.length && new RegExp(source, 'u').test(text.charAt(at)) && go(at + 1);
  },
});
const repeated = (one: Expression, [times, least, most]: Times): Expression => {
  const run = (text: string, at: number, go: (at: number) => boolean, done = 0): boolean => {
    const more = (to: number) => (to > at || done < least) && run(text, to, go, done + 1);
    return (done < most && one.run(text, at, more)) || (done >= least && go(at));
  };
  return { source: `${one.source}${times}`, run };
};
const sequence = (all: readonly Expression[]): Expression => ({
  source: all.map(({ source }) => source).join(''),
  run: (text, at, go) =>
    all.reduceRight<typeof go>((next, one) => (to) => one.run(text, to, next), go)(at),
});
const either = (one: Expression, other: Expression): Expression => ({
  source: `${one.source}|${other.source}`,
  run: (text, at, go) => one.run(text, at, go) || other.run(text, at, go),
});
const group = (one: Expression): Expression => ({ ...one, source: `(${one.source})` });

type Times = readonly [string, number, number];
const TIMES: readonly Times[] = [
  ...([
    ['', 1, 1],
    ['*', 0, 999],
    ['+', 1, 999],
    ['?', 0, 1],
    ['{2}', 2, 2],
  ] as const),
  ...([
    ['{1,3}', 1, 3],
    ['{2,}', 2, 999],
  ] as const),
];
const { expressions } = fc.letrec<{ expressions: Expression; part: Expression }>((tie) => {
  const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '[^]').map(oneOf);
  const inner = fc.oneof(
    { weight: 4, arbitrary: atom },
    { weight: 1, arbitrary: tie('expressions').map(group) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('part'), tie('part')).map((two) => group(either(...two))),
    },
  );
  return {
    part: fc.tuple(inner, fc.constantFrom(...TIMES)).map((one) => repeated(...one)),
    expressions: fc.array(tie('part'), { minLength: 1, maxLength: 5 }).map(sequence),
  };
});
