import { describe, expect, it } from 'vitest';
import { checkCard } from '#hosts/local/standins/feishu/card-rules.ts';
import { PEOPLE } from '#hosts/local/standins/feishu/world.ts';
import { button, cardOf, plain } from './given.ts';

const check = (card: unknown, atAll = false) => checkCard(card, { atAll })?.errCode;

const submit = button({ a: 'modify' }, { name: 'send', form_action_type: 'submit' });
const form = (...elements: object[]) => ({ tag: 'form', name: 'f1', elements });
const markdown = (content: string) => ({ tag: 'markdown', content });
const TABLE = '| a | b |\n|---|---|\n| 1 | 2 |\n\n';
const nested = (levels: number): object =>
  levels === 0
    ? markdown('deep')
    : {
        tag: 'collapsible_panel',
        header: { title: plain('more') },
        elements: [nested(levels - 1)],
      };

const APPROVAL = {
  ...cardOf(
    markdown('**Delete 3 rows?** [docs](https://example.com) `<at id=all>` <br>'),
    nested(1),
    {
      tag: 'column_set',
      flex_mode: 'flow',
      columns: [
        { tag: 'column', width: 'auto', elements: [button({ a: 'yes' }, { type: 'primary' })] },
        { tag: 'column', width: 'auto', elements: [button({ a: 'no' }, { type: 'danger' })] },
      ],
    },
    form(
      {
        tag: 'select_static',
        name: 'choice',
        placeholder: plain('Pick'),
        options: [
          { text: plain('A'), value: 'a' },
          { text: plain('B'), value: 'b' },
        ],
      },
      { tag: 'checker', name: 't1', checked: true, text: plain('task 1') },
      { tag: 'input', name: 'why', input_type: 'multiline_text', rows: 3, max_length: 1000 },
      submit,
    ),
    { tag: 'hr' },
    { tag: 'person', user_id: PEOPLE[0]?.id },
    {
      tag: 'div',
      text: { ...plain('note'), text_size: 'notation', text_color: 'grey' },
      icon: { tag: 'standard_icon', token: 'info_outlined', color: 'grey' },
    },
  ),
  config: { update_multi: true, summary: { content: 'Approval needed' }, width_mode: 'fill' },
};

it('accepts a card of everything an approval needs', () => {
  expect(checkCard(APPROVAL, { atAll: false })).toBeUndefined();
});

describe('the rules of JSON 2.0', () => {
  const texts = (count: number) => Array.from({ length: count }, () => markdown('x'));
  // The header's title is an element too.
  it('takes 200 elements and refuses the 201st', () => {
    expect(check(cardOf(...texts(199)))).toBeUndefined();
    expect(check(cardOf(...texts(200)))).toBe(11310);
    // A button with a text counts for two.
    expect(check(cardOf(...Array.from({ length: 100 }, () => button({ a: 1 }))))).toBe(11310);
  });

  it('takes five levels of containers and refuses the sixth', () => {
    expect(check(cardOf(nested(5)))).toBeUndefined();
    expect(check(cardOf(nested(6)))).toBe(200621);
  });

  it.each<[string, unknown, number, string]>([
    ['elements at the top, as in 1.0', { ...cardOf(), elements: [] }, 200621, 'property: elements'],
    [
      'an unknown setting',
      { ...cardOf(), config: { wide_screen_mode: true } },
      200621,
      'property: wide_screen_mode',
    ],
    [
      'an unknown property of a component',
      cardOf({ tag: 'hr', color: 'red' }),
      200621,
      'property: color',
    ],
    [
      'an unknown property of a text',
      cardOf({ tag: 'div', text: { ...plain('x'), bold: true } }),
      200621,
      'property: bold',
    ],
    [
      'a string where a flag belongs',
      cardOf(button({}, { disabled: 'no' })),
      200621,
      'true or false',
    ],
    [
      'a header without title',
      { ...cardOf(), header: { template: 'red' } },
      200621,
      'title is required',
    ],
    [
      'a colour that is none',
      { ...cardOf(), header: { title: plain('x'), template: 'pink' } },
      200621,
      'one of blue',
    ],
    ['the action tag of 1.0', cardOf({ tag: 'action', actions: [] }), 200861, 'unsupported tag'],
    ['the note tag of 1.0', cardOf({ tag: 'note', elements: [] }), 200861, 'unsupported tag'],
    ['a tag that is none', cardOf({ tag: 'buton' }), 200621, 'unknown tag'],
    ['a component without tag', cardOf({ content: 'x' }), 200621, 'no tag'],
    ['an element_id with a dash', cardOf({ tag: 'hr', element_id: 'a-b' }), 200621, 'element_id'],
    [
      'an element_id of 21 characters',
      cardOf({ tag: 'hr', element_id: 'a'.repeat(21) }),
      200621,
      'element_id',
    ],
    [
      'an element_id used twice',
      cardOf({ tag: 'hr', element_id: 'a' }, { tag: 'hr', element_id: 'a' }),
      300301,
      'a',
    ],
    [
      'a button text of 101 characters',
      cardOf(button({}, { text: plain('字'.repeat(101)) })),
      200621,
      'longer than 100',
    ],
    [
      'a callback value that is no object',
      cardOf({ tag: 'button', behaviors: [{ type: 'callback', value: 'x' }] }),
      200621,
      'not an object',
    ],
    [
      'a confirmation without title',
      cardOf(button({}, { confirm: { text: plain('sure?') } })),
      200621,
      'title is required',
    ],
    [
      'a column outside a column_set',
      cardOf({ tag: 'column', elements: [] }),
      200621,
      'may not stand in',
    ],
    [
      'a column_set of other things',
      cardOf({ tag: 'column_set', columns: [{ tag: 'hr' }] }),
      200621,
      'may not stand in',
    ],
    [
      'a form in a container',
      cardOf({ ...nested(1), elements: [form(submit)] }),
      200621,
      'only in the body',
    ],
    [
      'a form in a form',
      cardOf(form({ ...form(submit), name: 'f2' }, submit)),
      200621,
      'only in the body',
    ],
    ['a form without name', cardOf({ tag: 'form', elements: [submit] }), 200530, 'no name'],
    [
      'a form that nothing submits',
      cardOf(form({ tag: 'input', name: 'why' })),
      200621,
      'no button that submits',
    ],
    ['a field without name in a form', cardOf(form({ tag: 'input' }, submit)), 200530, 'no name'],
    [
      'a name used twice',
      cardOf(form({ tag: 'input', name: 'send' }, submit)),
      200530,
      'used twice',
    ],
    [
      'a plain button in a form',
      cardOf(form(button({}, { name: 'b' }), submit)),
      200621,
      'submits or resets',
    ],
    [
      'a multiple choice outside a form',
      cardOf({ tag: 'multi_select_static', name: 'm', options: [] }),
      200621,
      'only in a form',
    ],
    [
      'a max_length over 1000',
      cardOf({ tag: 'input', name: 'i', max_length: 1001 }),
      200621,
      'max_length',
    ],
    [
      'two options of one value',
      cardOf({
        tag: 'select_static',
        options: [
          { text: plain('A'), value: 'a' },
          { text: plain('B'), value: 'a' },
        ],
      }),
      200621,
      'same value',
    ],
    ['@all where it is off', cardOf(markdown('<at id=all></at>')), 100290, 'all'],
    [
      '@all in quotes, in a lark_md',
      cardOf({ tag: 'div', text: { tag: 'lark_md', content: '<at id="all"></at>' } }),
      100290,
      'all',
    ],
    ['a mention of nobody', cardOf(markdown('<at id=ou_nobody></at>')), 100290, 'ou_nobody'],
    [
      'a person who is nobody',
      cardOf({ tag: 'person', user_id: 'ou_nobody' }),
      100290,
      'ou_nobody',
    ],
    ['@all after a code block', cardOf(markdown('```\nx\n```\n<at id=all></at>')), 100290, 'all'],
    ['a link that is not http', cardOf(markdown('[x](file:///etc/passwd)')), 200621, 'file:'],
    ['a link without scheme', cardOf(markdown('[x](example.com)')), 200621, 'example.com'],
    [
      'a tag with such a link',
      cardOf(markdown("<a href='javascript:x'>x</a>")),
      200621,
      'javascript:',
    ],
    [
      'a button to such a link',
      cardOf(button({}, { behaviors: [{ type: 'open_url', default_url: 'ftp://x' }] })),
      200621,
      'ftp:',
    ],
    [
      'an address glued to Chinese',
      cardOf(markdown('见https://example.com/a请看')),
      200621,
      '请看',
    ],
    [
      'four markdown tables',
      cardOf(markdown(TABLE.repeat(3)), markdown(TABLE)),
      11310,
      'table number',
    ],
    [
      'a sixth table',
      cardOf(...Array.from({ length: 6 }, () => ({ tag: 'table', columns: [], rows: [] }))),
      11310,
      'table number',
    ],
    ['no object', 'card', 200621, 'an object'],
  ])('refuses %s', (_, card, errCode, about) => {
    expect(checkCard(card, { atAll: false })).toMatchObject({
      errCode,
      value: expect.stringContaining(about),
    });
  });

  it.each([
    ['@all where it is on', markdown('<at id=all></at>'), true],
    ['a mention of somebody', markdown(`<at id=${PEOPLE[0]?.id}></at>`), false],
    ['an @all in a code block', markdown('```\n<at id=all></at> [x](file:///y)\n```'), false],
    ['an @all in the other fence', markdown('~~~ sql\n<at id=all></at>\n~~~'), false],
    ['an @all in a fence left open', markdown('```\n<at id=all></at>'), false],
    ['an @all in a longer fence', markdown('````\n```\n<at id=all></at>\n```\n````'), false],
    [
      'an @all in plain text',
      { tag: 'div', text: plain('<at id=all></at> [x](file:///y)') },
      false,
    ],
    ['an escaped link', markdown('&#91;x&#93;&#40;file:///y&#41;'), false],
    ['an address beside Chinese', markdown('见 https://example.com/a 请看'), false],
    ['three markdown tables', markdown(TABLE.repeat(3)), false],
    [
      'the button that closes a client',
      button(
        {},
        {
          behaviors: [
            {
              type: 'open_url',
              default_url: 'https://x.cn',
              ios_url: 'lark://msgcard/unsupported_action',
            },
          ],
        },
      ),
      false,
    ],
    [
      'the historic way to submit',
      form({ ...submit, form_action_type: undefined, action_type: 'form_submit' }),
      false,
    ],
  ])('accepts %s', (_, element, atAll) => {
    expect(checkCard(JSON.parse(JSON.stringify(cardOf(element))), { atAll })).toBeUndefined();
  });
});
