import { expect, it } from 'vitest';
import { viewOf } from '#hosts/local/standins/dingtalk/card-view.ts';
import { readTemplate, shippedTemplate } from '#hosts/local/standins/dingtalk/template.ts';

const VISIBLE = { valueType: 'fixed', condition: { op: 'and', conditions: [] } };

const exportOf = (children: readonly object[]) =>
  JSON.stringify({
    editorData: JSON.stringify({
      schema: { componentsTree: [{ componentName: 'Card', children }] },
      variableList: [
        { name: 'a', private: false },
        { name: 'mine', private: true },
      ],
      localList: [],
    }),
  });
const text = (content: string, conditions: readonly object[] = []) => ({
  componentName: 'BaseTextBlock',
  props: {
    text: { content },
    visible: { valueType: 'condition', condition: { op: 'and', conditions } },
  },
});

it('draws a card for all, and what is different for one, where the variable is private', () => {
  const template = readTemplate(
    exportOf([
      text(`a is \${a}`, [{ op: 'notEmpty', variable: 'a' }]),
      text(`\${mine}`, [{ op: 'isTrue', variable: 'a' }]),
      { componentName: 'DividerBlock', props: { visible: VISIBLE } },
    ]),
  );
  const card = { outTrackId: 'x', userIdType: 1, at: 0 } as const;
  const draw = (params: Record<string, string>) =>
    viewOf(template, { ...card, params, private: { p1: { mine: 'yours', a: 'ignored' }, p2: {} } });
  const divider = { kind: 'divider' };
  expect(draw({ a: '', odd: '1' })).toEqual({
    parts: [divider],
    alone: [],
    unplaced: { odd: '1' },
  });
  expect(draw({ a: 'true', mine: 'all' })).toEqual({
    parts: [{ kind: 'text', text: 'a is true' }, { kind: 'text', text: 'all' }, divider],
    alone: [{ person: 'p1', parts: [{ kind: 'text', text: 'yours' }] }],
    unplaced: {},
  });
});

it('refuses what it could only draw by halves, and says what', () => {
  const chart = { componentName: 'Chart', props: {} };
  expect(() => readTemplate(exportOf([chart]))).toThrow(/componentsTree\.0\.children\.0/);
  expect(() => readTemplate('{}')).toThrow('cannot draw this card template');
});

it('can draw the template that is shipped', () => {
  const { components, local } = shippedTemplate();
  const buttons = components.flatMap((one) =>
    one.componentName === 'ButtonBlock' ? one.props.buttons.map(({ id }) => id) : [],
  );
  expect(buttons).toContain('confirm');
  expect(local).toContain('feedback');
});

it('tells one person "nothing was decided" on the card that is shipped only while that is so', () => {
  const seen = (waiting: string) =>
    viewOf(shippedTemplate(), {
      outTrackId: 'x',
      userIdType: 1,
      at: 0,
      params: { waiting },
      private: { p1: { notice: 'nothing was decided' } },
    }).alone;
  expect(seen('true')).toEqual([
    { person: 'p1', parts: [{ kind: 'text', text: 'nothing was decided' }] },
  ]);
  expect(seen('false')).toEqual([]);
});
