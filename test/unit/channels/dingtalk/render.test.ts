import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderActionCard } from '#channels/dingtalk/action-card.ts';
import { renderCard } from '#channels/dingtalk/card.ts';
import { inertInMarkdown, nameInMarkdown, nameOf } from '#channels/dingtalk/inert.ts';
import { createDingtalkWebhook } from '#channels/dingtalk/webhook.ts';
import type { Decision } from '#domain/ask.ts';
import { askCode } from '#domain/ids.ts';
import type { AskView } from '#ports/channel.ts';
import {
  ANN,
  cardEnvironment,
  cardRequest,
  click,
  environment,
  NOW,
  recordingLog,
  SESSION,
  task,
  view,
} from './given.ts';

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...['\u202e', '\u200b', '\u00a0', '\n', '\t', '  ', ' ', '⟨U+202E⟩', '＊', '｜', '［'],
      ...['**', '_', '~~', '`', '[x](dtmd://dingtalkclient/sendMessage?content=y)', '![](u)'],
      ...['dtmd://dingtalkclient/sendMessage?content=y', 'https://a.b', '://', '：//', ':', '//'],
      ...['<font color=red>', '&lt;', '\\', '# ', '> ', '- ', '1. ', '|', '删', '\ud800'],
    ),
    fc.string({ minLength: 1, maxLength: 4, unit: 'binary' }),
  ),
});

const TWINS = '＊*＿_～~｀`［[］]＜<＆&＼\\｜|';
const SCHEME = /[a-z][\w+.-]*:\/\//giu;
/** Reads twins, kept spaces and marks back: what can be read back was not lost. */
const readBack = (shown: string): string =>
  [...shown]
    .map((character) => {
      const at = TWINS.indexOf(character);
      return at >= 0 && at % 2 === 0 ? TWINS[at + 1] : character;
    })
    .join('')
    .replaceAll('：//', '://')
    .replaceAll('\u00a0', ' ')
    .replace(/⟨U\+([0-9A-F]{4,6})⟩/gu, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );

describe('text of strangers in markdown', () => {
  it.each([
    ['SELECT * FROM my_table', 'SELECT ＊ FROM my＿table'],
    ['[ok](dtmd://x)', '［ok］(dtmd：//x)'],
    ['see HTTPS://a.b:80/c', 'see HTTPS：//a.b:80/c'],
    ['注意：//', '注意⟨U+FF1A⟩//'],
    ['注意：a // b', '注意：a // b'],
    ['a  b', 'a\u00a0 b'],
    ['a\u00a0b', 'a⟨U+00A0⟩b'],
    ['＊', '⟨U+FF0A⟩'],
    ['\tx', '⟨U+0009⟩x'],
  ])('%j is shown as %j', (given, shown) => {
    expect(inertInMarkdown(given)).toBe(shown);
  });

  it('loses nothing, and leaves nothing that formats', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = inertInMarkdown(text);
        expect(readBack(shown)).toBe(text);
        expect(shown).not.toMatch(/[*_~`[\]<&\\|\t]| {2}|^ | $/mu);
        expect(shown).not.toMatch(SCHEME);
      }),
      { numRuns: 2000 },
    );
  });

  it('calls nobody but a plain id', () => {
    expect(nameOf(ANN)).toBe('@452523285939877041');
    expect(nameInMarkdown('dingtalk:a b')).toBe('dingtalk:a b');
    expect(nameInMarkdown('dingtalk:*x*')).toBe('dingtalk:＊x＊');
    expect(nameOf('feishu:ou_1')).toBe('feishu:ou_1');
  });
});

describe('an action card', () => {
  it('says what will run, who may decide, until when, and what to type', () => {
    const { card, whole } = renderActionCard(
      view([task({ sql: 'DELETE FROM a_b\nWHERE x' }), task({})]),
      'group',
    ) ?? { card: undefined };
    expect(whole).toBe(true);
    expect(card?.title).toBe('请确认 2 项操作');
    const lines = card?.text.split(/ {2}\n|\n\n/u);
    expect(lines).toContain('### 请确认 2 项操作');
    expect(lines).toContain('• 操作 1/2：data＿modify · 风险：高');
    expect(lines).toContain('│ DELETE FROM a＿b');
    expect(lines).toContain('│ WHERE x');
    expect(lines).toContain('可决定的人：@452523285939877041');
    expect(lines).toContain('截止时间：2026-11-18 10:05:07 UTC+8');
    expect(card?.text).toContain('全角显示');
    const address = renderActionCard(view([task({ to: 'https://a.b' })]), 'group')?.card.text;
    expect(address).toMatch(/│ https：\/\/a\.b.*全角显示/su);
    expect(card?.text).toContain('确认 1,2（只执行这几项）');
    expect(card?.buttons.map(({ title }) => title)).toEqual(['全部确认', '取消']);
  });

  it('in English sends words of the table too', () => {
    const english = view([task({ a: 1 })], { language: 'en' });
    const { buttons = [] } = renderActionCard(english, 'private')?.card ?? {};
    const code = askCode(english.ask.id);
    expect(buttons.map(({ url }) => url)).toEqual([
      `dtmd://dingtalkclient/sendMessage?content=confirm${code}`,
      `dtmd://dingtalkclient/sendMessage?content=cancel${code}`,
    ]);
  });

  it('has no link but its own, whatever is asked', () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (name, value, summary) => {
        const asked = view([task({ [name]: value }, { summary, tool: name || 't' })]);
        const { text = '' } = renderActionCard(asked, 'group')?.card ?? {};
        expect(text.match(/\]\(dtmd:\/\/dingtalkclient\/sendMessage\?content=%/gu)).toHaveLength(2);
        expect(text.match(/\]\(/gu)).toHaveLength(2);
        expect(text.match(SCHEME)).toHaveLength(2);
      }),
      { numRuns: 300 },
    );
  });

  it('never takes more than the platform does, and says what it leaves out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(12_000), { minLength: 1, maxLength: 60 }),
        fc.constantFrom('x', '删', '"', '\n'),
        (sizes, unit) => {
          const asked = view(sizes.map((size) => task({ sql: unit.repeat(size) })));
          const rendered = renderActionCard(asked, 'group');
          expect(rendered).toBeDefined();
          expect(Buffer.byteLength(JSON.stringify(rendered?.card))).toBeLessThanOrEqual(14_000);
          if (!rendered?.whole) expect(rendered?.card.text).toContain('全文已在上方');
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the variables of an interactive card', () => {
  it('hold the request, who may decide, what to type and what the buttons send', () => {
    const { params, whole } = renderCard(view([task({ sql: 'a *b* <c>' })]), 'private');
    expect(whole).toBe(true);
    expect(params).toMatchObject({
      title: '请确认操作',
      text_1: '• 操作：data_modify · 风险：高\n│ Change rows\n• sql:\n│ a *b* <c>',
      text_2: '',
      lines: '可决定的人：@452523285939877041\n截止时间：2026-11-18 10:05:07 UTC+8',
      waiting: 'true',
      confirm_label: '确认',
      cancel_label: '取消',
    });
    expect(params['hint']).toContain('文字回复：确认');
    expect(JSON.parse(params['pointer'] ?? '')).toEqual({
      v: 1,
      s: SESSION,
      a: 'aQ3r',
      b: 'bind',
      n: 1,
    });
  });

  it('never hold more than the platform takes, nor cut without a word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9000), { minLength: 1, maxLength: 50 }),
        fc.constantFrom('x', '删', '"', '\n', '😀'),
        (sizes, unit) => {
          const asked = view(sizes.map((size) => task({ sql: `a${unit.repeat(size)}b` })));
          const { params, whole } = renderCard(asked, 'group');
          for (const value of Object.values(params)) {
            expect(Buffer.byteLength(value)).toBeLessThanOrEqual(1024);
            expect(value.isWellFormed()).toBe(true);
          }
          const texts = Object.keys(params).filter((name) => name.startsWith('text_'));
          const text = texts.map((name) => params[name]).join('');
          if (whole)
            for (const { input } of asked.tasks) expect(linesIn(text)).toContain(input['sql']);
          else expect(text).toContain('全文已在上方');
        },
      ),
      { numRuns: 100 },
    );
  });
  const linesIn = (text: string) => text.replaceAll('\n│ ', '\n');

  const fieldsOf = (params: Readonly<Record<string, string>>) =>
    Array.from({ length: 8 }, (_, index) => params[`text_${index + 1}`] ?? '').filter(Boolean);
  const settled = (
    asked: AskView,
    kind: 'confirm' | 'modify',
    said: string,
    result = '',
  ): AskView => {
    const decision: Decision = { id: 'd', kind, by: ANN, at: NOW, via: 'click', text: said };
    const results = asked.tasks.map(() => ({ state: 'done' as const, text: result }));
    return {
      ...asked,
      ask: { ...asked.ask, ...(said === '' ? {} : { decision }) },
      card: { state: kind === 'modify' ? 'replaced' : 'done', kind, by: ANN, at: NOW, results },
    };
  };

  it('of a settled card keep what was asked, say what came of it below, and have no button', () => {
    const { params } = renderCard(
      settled(view([task({ sql: 'x' })]), 'confirm', '', '3 rows'),
      'elsewhere',
    );
    expect(params).toMatchObject({ title: '已执行', waiting: 'false', hint: '' });
    expect(params['text_1']).toMatch(/│ x$/u);
    expect(params['text_2']).toBe('• 操作：data_modify · 结果：已执行\n│ 3 rows');
    expect(params).not.toHaveProperty('pointer');
  });

  it('of a settled card show the whole request, however long the changes asked for', () => {
    const asked = view([task({ sql: `a${'x'.repeat(5_000)}b` })]);
    expect(renderCard(asked, 'group').whole).toBe(true);
    const feedback = '改'.repeat(4_000);
    const text = fieldsOf(renderCard(settled(asked, 'modify', feedback), 'group').params).join('');
    expect(text).toContain(asked.tasks[0]?.input['sql']);
    expect(text).toContain('修改意见：\n│ 改改改');
    const [, leftOut] = /此处省略 (\d+) 个字符/u.exec(text) ?? [];
    expect(text.match(/改{2,}/gu)?.[0]).toHaveLength(4_000 - Number(leftOut));
    expect(text).not.toContain('全文已在上方');
  });

  it('of a settled card leave what was shown as it was shown, and have room for all the rest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2000), { minLength: 1, maxLength: 50 }),
        fc.constantFrom('confirm' as const, 'modify' as const),
        fc.nat(20_000),
        fc.nat(600),
        fc.constantFrom('x', '删', '"', '\n', '😀'),
        (sizes, kind, said, result, unit) => {
          const asked = view(sizes.map((size) => task({ sql: `a${unit.repeat(size)}b` })));
          const before = fieldsOf(renderCard(asked, 'group').params);
          const decided = settled(asked, kind, unit.repeat(said), unit.repeat(result));
          const { params } = renderCard(decided, 'elsewhere');
          const after = fieldsOf(params);
          expect(after.slice(0, before.length)).toEqual(before);
          const rest = after.slice(before.length).join('');
          expect(rest).toContain('结果：');
          for (const value of Object.values(params)) {
            expect(Buffer.byteLength(value)).toBeLessThanOrEqual(1024);
            expect(value.isWellFormed()).toBe(true);
          }
          const told = rest.split(unit).length - 1 >= said + result * sizes.length;
          if (!told) expect(rest).toMatch(/此处省略 \d+ 个字符/u);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the template that is shipped', () => {
  const file = new URL('../../../../docs/dingtalk-card-template.json', import.meta.url);
  const { editorData } = JSON.parse(readFileSync(file, 'utf8'));
  const { schema, variableList, localList } = JSON.parse(editorData);
  interface Node {
    readonly componentName: string;
    readonly props: { readonly [name: string]: unknown };
    readonly children?: readonly Node[];
  }
  const nodes = (node: Node): readonly Node[] => [node, ...(node.children ?? []).flatMap(nodes)];
  const [root] = schema.componentsTree as readonly Node[];
  const all = root ? nodes(root) : [];
  interface Variable {
    readonly name: string;
    readonly private: boolean;
  }
  interface Button {
    readonly id: string;
    readonly params: readonly Readonly<Record<string, string>>[];
  }
  const buttons = all.flatMap(({ props }) => (props['buttons'] as readonly Button[]) ?? []);

  it('declares every variable the channel sets, and the private one as private', () => {
    const { params } = renderCard(view([task({ a: 1 })]), 'group');
    const names = (variableList as Variable[])
      .filter((one) => !one.private)
      .map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(params).sort());
    expect((variableList as Variable[]).filter((one) => one.private)).toMatchObject([
      { name: 'notice' },
    ]);
  });

  it('shows every text it declares', () => {
    const shown = JSON.stringify(all.map(({ props }) => props));
    for (const { name } of [...variableList, ...localList] as Variable[])
      expect(shown).toMatch(new RegExp(`\\$\\{${name}\\}|"variable":"${name}"`));
  });

  it('has buttons whose clicks the webhook reads', async () => {
    const { params } = renderCard(view([task({ a: 1 })]), 'group');
    const values: Readonly<Record<string, string>> = { ...params, feedback: 'fewer rows' };
    const webhook = createDingtalkWebhook({
      environment: { ...environment, ...cardEnvironment },
      language: 'zh-CN',
      log: recordingLog().log,
    });
    const kinds = [];
    for (const button of buttons) {
      const sent = button.params.map(({ name = '', type, value, variable = '' }) => [
        name,
        type === 'variable' ? values[variable] : value,
      ]);
      const received = await webhook.receive(cardRequest(click(Object.fromEntries(sent))), NOW);
      if (received.kind === 'received') kinds.push(received.inbound[0]);
    }
    expect(kinds).toMatchObject([
      { kind: 'confirm', ask: 'aQ3r' },
      { kind: 'cancel', ask: 'aQ3r' },
      { kind: 'modify', ask: 'aQ3r', text: 'fewer rows' },
    ]);
  });
});
