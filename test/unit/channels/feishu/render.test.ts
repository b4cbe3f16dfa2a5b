import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askText, fullText, outcomeText } from '#channels/feishu/plain.ts';
import { type Card, renderCard } from '#channels/feishu/render.ts';
import type { Decision, SettledState } from '#domain/ask.ts';
import type { Json, JsonObject } from '#domain/canonical-json.ts';
import type { PersonId } from '#domain/ids.ts';
import type { AskView, CardState } from '#ports/channel.ts';
import { brokenRules, interpreted, shownAsIs } from './card-rules.ts';
import { ANN, SESSION, task, view } from './given.ts';

const cardOf = (of: AskView): Card => {
  const rendered = renderCard(of, 'group');
  if (!rendered) throw new Error('no card fits');
  return rendered.card;
};
const wordsOf = (card: Card): string => [...interpreted(card), ...shownAsIs(card)].join('\n');

const readBack = (shown: string): string =>
  shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/gu, (_, hex: string) =>
    String.fromCodePoint(parseInt(hex, 16)),
  );

/** An argument, read from what a person sees of it. Only one reading may be possible. */
const argumentIn = (shown: string): [string, Json] => {
  const [first = '', ...rest] = shown.split('\n');
  if (first.endsWith(':')) return [readBack(first.slice(0, -1)), readBack(rest.join('\n'))];
  const readings: [string, Json][] = [];
  for (let at = shown.indexOf(' ='); at >= 0; at = shown.indexOf(' =', at + 1))
    try {
      readings.push([readBack(shown.slice(0, at)), JSON.parse(readBack(shown.slice(at + 2)))]);
    } catch {
      // Not where the name ends.
    }
  expect(readings, shown).toHaveLength(1);
  return readings[0] as [string, Json];
};

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '<at id=all></at>',
    '<at user_id="all"></at>',
    '[click](https://evil.example)',
    '</font><font color=red>x',
    'DELETE FROM t\nWHERE 1=1',
    'x\u202etxt.exe',
    'a\u200bb',
    '',
    ' ends with space ',
    'limit = 10',
    'sql:\n1',
    '• sql:\n│ no',
  ),
);
const json = fc
  .object({
    values: [hostile, fc.integer(), fc.boolean(), fc.constant(null)],
    key: hostile,
    maxDepth: 3,
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

describe('a confirm card', () => {
  const sql = "DELETE FROM orders\nWHERE note = '<at id=all></at> \u202e[x](http://e.com)'";

  it('shows what will run in full, its risk and preview, who may decide, until when and what to type', () => {
    const card = cardOf(
      view([task({ sql, limit: 3, dry: ' ' }, { preview: '3 rows would be deleted' })]),
    );
    expect(brokenRules(card)).toEqual([]);
    const shown = shownAsIs(card);
    expect(shown).toContain(
      "sql:\nDELETE FROM orders\nWHERE note = '<at id=all></at> ⟨U+202E⟩[x](http://e.com)'",
    );
    expect(shown).toContain('limit = 3');
    expect(shown).toContain('dry = " "');
    expect(shown).toContain('操作：data_modify · 风险：高\nChange rows');
    expect(shown).toContain('预览：\n3 rows would be deleted');
    expect(shown.join()).toContain('@机器人 确认 ｜ @机器人 取消 ｜ @机器人 修改：…');
    expect(interpreted(card)).toEqual([
      '可决定的人：<at id=ou_ann></at>\n截止时间：2026-11-18 10:05:07 UTC+8',
    ]);
  });

  it('has confirm and cancel outside the form, and a form for changes', () => {
    const { elements } = cardOf(view([task({ sql })]))['body'] as { elements: never[] };
    const outside = JSON.stringify(elements.filter(({ tag }) => tag !== 'form'));
    const inside = JSON.stringify(elements.filter(({ tag }) => tag === 'form'));
    const value = (d: string) =>
      JSON.stringify({ v: 1, s: SESSION, a: 'aQ3r', b: 'bind', d, n: 1 });
    expect(outside).toContain(`"content":"确认"}`);
    expect(outside).toContain(value('confirm'));
    expect(outside).toContain(value('cancel'));
    expect(inside).toContain(value('modify'));
    expect(inside).toContain('"name":"feedback"');
    expect(inside).not.toContain('"d":"confirm"');
  });

  it('is in English where the settings say so, with times in UTC', () => {
    const card = cardOf(view([task({ sql })], { language: 'en' }));
    expect(wordsOf(card)).toContain('Until: 2026-11-18 02:05:07 UTC');
    expect(wordsOf(card)).toContain('@bot confirm ｜ @bot cancel');
    expect(wordsOf(card).replace(/｜/gu, '')).not.toMatch(/[\u4e00-\u9fff，。：]/u);
  });

  it('numbers several tasks and offers to tick some, none ticked at first', () => {
    const card = cardOf(
      view([task({ a: 1 }), task({ b: 2 }, { tool: 'write_note', risk: 'LOW' })]),
    );
    expect(brokenRules(card)).toEqual([]);
    const text = JSON.stringify(card);
    expect(wordsOf(card)).toContain('操作 2/2：write_note · 风险：低');
    expect(wordsOf(card)).toContain('全部确认');
    expect(wordsOf(card)).toContain('确认 1,2');
    expect(text).toContain('"name":"task_0","checked":false');
    expect(text).toContain('"name":"task_1","checked":false');
    expect(text).toContain('"d":"pick","n":2');
  });

  it('says who may decide which task where that differs, and whom four eyes leave out', () => {
    const two = view([task({}), task({})]);
    const [first, second] = two.ask.tasks;
    const ask = {
      tasks: [
        { ...first, may: ['*'], not: [ANN] },
        { ...second, may: ['feishu:ou_bob', 'dingtalk:<at id=all>'], not: [] },
      ] as never,
    };
    const [markdown] = interpreted(cardOf(view(two.tasks, {}, ask)));
    expect(markdown).toContain('操作 1 可决定的人：本会话中除 <at id=ou_ann></at> 以外的任何人');
    expect(markdown).toContain('操作 2 可决定的人：<at id=ou_bob></at> dingtalk&#58;&#60;at id');
  });

  it('tells the arguments from each other, whatever is in them', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(json, hostile, hostile, (input, summary, preview) => {
        const rendered = renderCard(view([task(input, { summary, preview })]), 'group');
        if (!rendered?.whole) return;
        expect(brokenRules(rendered.card)).toEqual([]);
        for (const text of interpreted(rendered.card))
          expect(text.replace(/<at id=ou_[A-Za-z0-9]+><\/at>/gu, '')).not.toMatch(/[<>[\]*`]/u);
        const shown = shownAsIs(rendered.card['body'] as never);
        const count = Object.keys(input).length;
        const read = shown.slice(1, 1 + count).map(argumentIn);
        expect(Object.fromEntries(read)).toEqual(input);
        expect(shown.join()).not.toMatch(/[\p{Cf}\u2028\u2029]/u);
      }),
      { numRuns: 400 },
    );
  });

  it('does so in text too, where nothing is a tag or a link', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(json, hostile, (input, summary) => {
        const text = askText(view([task(input, { summary })]), 'group');
        expect(text.replace(/<at user_id="ou_[A-Za-z0-9]+"><\/at>/gu, '')).not.toMatch(/<|\]\(/u);
        const [, content = ''] = text.split('\n\n');
        const blocks = content
          .replaceAll('＜', '<')
          .replaceAll('］', ']')
          .split(/\n(?=• )/u);
        const read = blocks
          .slice(1)
          .map((block) => block.slice(2).replace(/\n│ /gu, '\n'))
          .filter((block) => block !== '（没有参数）')
          .map(argumentIn);
        expect(Object.fromEntries(read)).toEqual(input);
      }),
      { numRuns: 400 },
    );
  });
});

describe('content that is too much for a card', () => {
  const large = [
    ['one long argument', [task({ sql: 'x'.repeat(40_000) })]],
    ['long Chinese', [task({ text: '删'.repeat(12_000) })]],
    ['quotes, which JSON doubles', [task({ text: '"'.repeat(20_000) })]],
    [
      '300 arguments',
      [task(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])))],
    ],
    ['60 tasks', Array.from({ length: 60 }, (_, i) => task({ n: i }))],
    ['30 long tasks', Array.from({ length: 30 }, () => task({ sql: 'y'.repeat(3000) }))],
  ] as const;

  it.each(large)('%s: the card fits, says so, and the text holds all of it', (_, tasks) => {
    const of = view(tasks);
    const rendered = renderCard(of, 'group');
    expect(rendered?.whole).toBe(false);
    expect(brokenRules(rendered?.card as Card)).toEqual([]);
    expect(shownAsIs(rendered?.card as Card).join()).toMatch(/全文已在上方消息中发出/u);
    const full = fullText(of);
    for (const { input } of tasks)
      for (const value of Object.values(input))
        expect(full).toContain(typeof value === 'string' ? value : `= ${value}`);
  });

  it('names the number of characters it leaves out', () => {
    const of = view([task({ sql: 'x'.repeat(40_000) })], { language: 'en' });
    const shown = shownAsIs(cardOf(of)).join('\n');
    const left = Number(/… \((\d+) characters left out here\)/u.exec(shown)?.[1]);
    expect(left + (shown.match(/x/gu)?.length ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect(left).toBeLessThan(40_000);
  });

  it('gives no card at all when even who may decide is too much', () => {
    const may = (task: number) =>
      Array.from({ length: 20 }, (_, i) => `feishu:ou_${task}x${'p'.repeat(40)}${i}`);
    const tasks = Array.from({ length: 50 }, () => task({}));
    const base = view(tasks);
    const of = view(
      tasks,
      {},
      { tasks: base.ask.tasks.map((one, i) => ({ ...one, may: may(i) })) },
    );
    expect(renderCard(of, 'group')).toBeUndefined();
    expect(askText(of, 'group')).toContain('文字回复');
  });
});

describe('a card that was full when it waited', () => {
  const at = Date.UTC(2026, 10, 18, 2, 1, 2);
  const said = '中文结果'.repeat(125);
  const settledOf = (asked: AskView, kind: 'confirm' | 'modify', text?: string): AskView => ({
    ...asked,
    card: {
      state: kind === 'confirm' ? 'done' : 'replaced',
      kind,
      at,
      by: ANN,
      ...(kind === 'confirm' && {
        results: asked.tasks.map(() => ({ state: 'done', text: said })),
      }),
    },
    ask: { ...asked.ask, decision: { id: 'e', kind, at, via: 'click', ...(text && { text }) } },
  });
  const requestOn = (card: Card): string[] => {
    const { elements } = card['body'] as { elements: { tag: string }[] };
    return shownAsIs({
      elements: elements.slice(
        0,
        elements.findIndex(({ tag }) => tag === 'hr'),
      ),
    });
  };
  const fullCases: [string, number, AskView['tasks']][] = [
    ['one argument of 40 KB', 1, [task({ sql: 'x'.repeat(40_000) })]],
    ['8 arguments of 2.6 KB', 8, Array.from({ length: 8 }, () => task({ sql: 'x'.repeat(2600) }))],
    ['25 tasks of two arguments', 25, Array.from({ length: 25 }, (_, n) => task({ n, m: 'two' }))],
    ['60 tasks', 60, Array.from({ length: 60 }, (_, n) => task({ n }))],
    ['8 KB of Chinese', 1, [task({ text: '删'.repeat(8000) })]],
  ];

  it.each(fullCases)('shows still what it showed, and what came of it: %s', (_, count, tasks) => {
    const asked = view(tasks);
    const before = cardOf(asked);
    const rendered = renderCard(settledOf(asked, 'confirm'), 'elsewhere');
    const after = rendered?.card as Card;
    expect(brokenRules(after)).toEqual([]);
    expect(requestOn(after).slice(0, requestOn(before).length)).toEqual(requestOn(before));
    const shown = shownAsIs(after).join('\n');
    expect(shown.match(/结果：已执行/gu)).toHaveLength(count);
    // What is left out is counted: nothing of a result vanishes without a word.
    const kept = [
      ...shown.matchAll(/结果：已执行\n(?:│ )?(.*)(?:\n(?:│ )?…（此处省略 (\d+) 个字符）)?/gu),
    ];
    expect(kept.map(([, text, left]) => (text as string).length + Number(left ?? 0))).toEqual(
      tasks.map(() => said.length),
    );
    expect(interpreted(after).join()).toMatch(/由 <at id=ou_ann><\/at> 于 .* 确认/u);
    expect(shown.includes('全文已在上方消息中发出')).toBe(
      shownAsIs(before).join().includes('全文已在上方消息中发出'),
    );
  });

  it.each([
    ['a large one', [task({ text: '删'.repeat(5000) })]],
    ['a small one', [task({ a: 1 })]],
  ])(
    'shows the beginning of changes that are too long for %s, and the request still',
    (_, tasks) => {
      const asked = view(tasks);
      const after = cardOf(settledOf(asked, 'modify', '改'.repeat(20_000)));
      expect(brokenRules(after)).toEqual([]);
      const shown = shownAsIs(after).join('\n');
      for (const text of requestOn(cardOf(asked))) expect(shown).toContain(text);
      const [, text = '', left] =
        /修改意见：\n(改+)\n…（此处省略 (\d+) 个字符）/u.exec(shown) ?? expect.fail(shown);
      expect(text.length + Number(left)).toBe(20_000);
      expect(shown).not.toContain('全文已在上方消息中发出');
    },
  );

  it('loses nothing of the request whatever its size', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 12_000 }),
        fc.constantFrom('x', '删', '"', '\u0001', '😀'),
        fc.constantFrom('zh-CN', 'en'),
        (count, size, letter, language) => {
          const each = letter.repeat(Math.ceil(size / count));
          const tasks = Array.from({ length: count }, (_, n) =>
            task({ each, n }, { tool: 'jira__a_tool_of_a_long_name' }),
          );
          const asked = view(tasks, { language });
          const before = renderCard(asked, 'private');
          const after = renderCard(settledOf(asked, 'confirm'), 'elsewhere');
          if (!before) return expect(after).toBeUndefined();
          expect(after?.whole).toBe(before.whole);
          const [shown, still] = [requestOn(before.card), requestOn(after?.card as Card)];
          expect(still.slice(0, shown.length)).toEqual(shown);
          expect(brokenRules(after?.card as Card)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a card that is settled', () => {
  const settled = (state: SettledState, more: object = {}, decision: Partial<Decision> = {}) => {
    const kind = decision.kind ?? 'confirm';
    const at = Date.UTC(2026, 10, 18, 2, 1, 2);
    const card = { state, kind, at, by: 'feishu:ou_bob' as PersonId, ...more } as CardState;
    return view(
      [task({ a: 1 })],
      { card },
      {
        round: 2,
        state: 'decided',
        decision: { id: 'e', kind, at, via: 'click', ...decision },
      },
    );
  };
  const states: SettledState[] = [
    'running',
    'done',
    'failed',
    'unknown',
    'cancelled',
    'expired',
    'replaced',
    'answered',
    'lapsed',
    'changed',
    'gave-up',
  ];

  it.each(states)('shows %s with who and when, and offers nothing to click', (state) => {
    for (const language of ['zh-CN', 'en'] as const) {
      const of = { ...settled(state), language };
      const card = cardOf(of);
      expect(brokenRules(card)).toEqual([]);
      expect(JSON.stringify(card)).not.toContain('"callback"');
      expect(interpreted(card).join()).toContain('<at id=ou_bob></at>');
      expect(interpreted(card).join()).toContain(
        language === 'en' ? '2026-11-18 02:01:02 UTC' : '2026-11-18 10:01:02 UTC+8',
      );
      expect(shownAsIs(card)).toContain('a = 1');
      expect(outcomeText(of)).toContain('<at user_id="ou_bob"></at>');
    }
  });

  it('has a heading of its own for each state', () => {
    const titles = states.map((state) => JSON.stringify(cardOf(settled(state))['header']));
    expect(new Set(titles).size).toBe(states.length);
  });

  it('names the next round when changes were asked for, and what was asked, as inert text', () => {
    const of = settled(
      'replaced',
      { kind: 'modify' },
      { kind: 'modify', text: 'no <at id=all></at>' },
    );
    const card = cardOf(of);
    expect(shownAsIs(card).join()).toContain('第 3 轮');
    expect(shownAsIs(card)).toContain('修改意见：\nno <at id=all></at>');
    expect(interpreted(card).join()).not.toContain('id=all');
    expect(outcomeText(of)).toContain('no ＜at id=all>');
  });

  it('shows what came of each task and which were picked', () => {
    const of = settled(
      'done',
      { results: [{ state: 'failed', text: 'no such\ntable' }] },
      { picked: [0] },
    );
    expect(shownAsIs(cardOf(of))).toContain('结果：执行失败\nno such\ntable');
    expect(interpreted(cardOf(of)).join()).toContain('选中的操作：1');
    expect(outcomeText(of)).toContain('• 操作：data_modify · 结果：执行失败\n│ no such\n│ table');
  });

  it('expires without a person', () => {
    const { by: _, ...card } = settled('expired', { kind: 'timeout' }).card as never as Record<
      string,
      unknown
    >;
    const [line] = interpreted(cardOf({ ...settled('expired'), card: card as never }));
    expect(line).toBe('于 2026-11-18 10:01:02 UTC+8 超时');
  });
});

describe('a question', () => {
  const ask = (kind: 'input' | 'choice', question: AskView['question'] & object) =>
    view([task({}, { tool: 'ask_user', risk: 'LOW' })], { question }, { kind, question });

  it('for a text is a form with one field, and cancel beside it', () => {
    const card = cardOf(
      ask('input', { prompt: 'Which <b>one</b>?', placeholder: 'p'.repeat(300) }),
    );
    expect(brokenRules(card)).toEqual([]);
    expect(shownAsIs(card)).toContain('Which <b>one</b>?');
    expect(JSON.stringify(card)).toContain('"tag":"input","name":"answer"');
    expect(JSON.stringify(card)).toContain('"d":"answer"');
    expect(JSON.stringify(card)).toContain('"d":"cancel"');
    expect(shownAsIs(card).join()).toContain('@机器人 （你的回答） ｜ @机器人 取消');
  });

  it('never cuts a hint through the middle of a character', () => {
    for (const placeholder of ['😀'.repeat(60), `x${'😀'.repeat(60)}`]) {
      const card = cardOf(ask('input', { prompt: '?', placeholder }));
      expect(JSON.stringify(card).isWellFormed()).toBe(true);
      expect(JSON.stringify(card)).not.toContain('\\ud83d');
      expect(brokenRules(card)).toEqual([]);
    }
  });

  it.each([
    [false, 'select_static'],
    [true, 'multi_select_static'],
  ])(
    'with options (several: %s) is a %s whose values are read as the option they stand for',
    (multiple, tag) => {
      const card = cardOf(
        ask('choice', { prompt: 'Which?', options: ['a, b', '2', 'c'], multiple }),
      );
      expect(brokenRules(card)).toEqual([]);
      const text = JSON.stringify(card);
      expect(text).toContain(`"tag":"${tag}","name":"answer"`);
      // "2" is the second option by name and by number; "3" would be the third by number.
      expect([...text.matchAll(/"value":"([^"]*)"/gu)].map(([, value]) => value)).toEqual([
        '1',
        '2',
        '3',
      ]);
      expect(shownAsIs(card)).toEqual(expect.arrayContaining(['1. a, b', '2. 2', '3. c']));
    },
  );

  it('takes the label where a number would be read as another option', () => {
    const card = cardOf(ask('choice', { prompt: '?', options: ['2', '1'] }));
    const values = [...JSON.stringify(card).matchAll(/"value":"([^"]*)"/gu)].map(
      ([, value]) => value,
    );
    expect(values).toEqual(['2', '1']);
  });

  it('with hundreds of options is typed instead', () => {
    const options = Array.from({ length: 300 }, (_, i) => `option ${i}`);
    const of = ask('choice', { prompt: '?', options });
    const rendered = renderCard(of, 'private');
    expect(brokenRules(rendered?.card as Card)).toEqual([]);
    expect(JSON.stringify(rendered?.card)).toContain('"tag":"input","name":"answer"');
    expect(fullText(of)).toContain('• 300. option 299');
  });
});
