import type { CardAction } from '#console/wire.ts';

/** Cards in Feishu's JSON 2.0, as a bot might send them. */

const plain = (content: string) => ({ tag: 'plain_text', content });
const callback = (value: object) => [{ type: 'callback', value }];

const button = (content: string, type: string, value: object, more: object = {}) => ({
  tag: 'button',
  type,
  text: plain(content),
  behaviors: callback(value),
  ...more,
});

const column = (...elements: readonly object[]) => ({ tag: 'column', width: 'auto', elements });

const card = (template: string, title: string, elements: readonly object[]) => ({
  schema: '2.0',
  config: { update_multi: true, summary: { content: title } },
  header: { template, title: plain(title), text_tag_list: [] },
  body: { elements },
});

export const LONG_SQL = [
  'WITH old AS (',
  "  SELECT id FROM orders WHERE status = 1 AND created_at < now() - interval '90 days' AND customer_email LIKE '%@example.com' AND region IN ('cn-north-1', 'cn-northwest-1')",
  ')',
  "DELETE FROM order_items USING old WHERE order_items.order_id = old.id AND order_items.note = '<script>alert(1)</script>';",
].join('\n');

export const confirmCard = card('orange', '需要确认：修改数据', [
  {
    tag: 'markdown',
    content: "<at id=ou_mei></at> 要执行 **data_modify**，风险 <font color='red'>HIGH</font>",
  },
  { tag: 'markdown', content: `\`\`\`sql\n${LONG_SQL}\n\`\`\`` },
  {
    tag: 'div',
    text: {
      ...plain('将影响 3 行；请在 15:42 前回复。也可以直接回复 确认 / 取消。'),
      text_size: 'notation',
    },
  },
  {
    tag: 'collapsible_panel',
    expanded: false,
    header: { title: plain('完整参数') },
    elements: [{ tag: 'div', text: plain(`{"sql": ${JSON.stringify(LONG_SQL)}}`) }],
  },
  {
    tag: 'column_set',
    columns: [
      column(button('确认执行', 'primary_filled', { a: 'confirm', ask: 'a1' })),
      column(button('取消', 'danger', { a: 'cancel', ask: 'a1' })),
    ],
  },
  { tag: 'hr' },
  {
    tag: 'form',
    name: 'change',
    elements: [
      {
        tag: 'input',
        name: 'feedback',
        input_type: 'multiline_text',
        rows: 2,
        required: true,
        max_length: 500,
        label: plain('想怎么改'),
        placeholder: plain('例如：只删 2025 年以前的'),
      },
      button(
        '提交修改',
        'default',
        { a: 'modify', ask: 'a1' },
        { name: 'submit_a1', form_action_type: 'submit' },
      ),
    ],
  },
]);

export const formCard = card('blue', 'A few questions', [
  { tag: 'markdown', content: 'Please answer **all** of them.' },
  {
    tag: 'form',
    name: 'answers',
    elements: [
      { tag: 'input', name: 'reason', label: plain('Reason'), required: true },
      {
        tag: 'select_static',
        name: 'region',
        placeholder: plain('Pick a region'),
        required: true,
        options: [
          { text: plain('North'), value: 'n' },
          { text: plain('South'), value: 's' },
        ],
      },
      {
        tag: 'multi_select_static',
        name: 'tasks',
        label: plain('Tasks'),
        selected_values: ['2'],
        options: [
          { text: plain('1. write_note'), value: '1' },
          { text: plain('2. data_modify'), value: '2' },
          { text: plain('3. delete_file'), value: '3' },
        ],
      },
      { tag: 'checker', name: 'backup', checked: true, text: plain('There is a backup') },
      {
        tag: 'column_set',
        columns: [
          column(
            button(
              'Submit',
              'primary',
              { a: 'answer' },
              {
                name: 'submit_a2',
                form_action_type: 'submit',
                confirm: { title: plain('Sure?'), text: plain('This cannot be undone.') },
              },
            ),
          ),
          column(button('Reset', 'text', {}, { name: 'reset_a2', form_action_type: 'reset' })),
        ],
      },
    ],
  },
]);

export const doneCard = card('green', '已执行', [
  {
    tag: 'markdown',
    content: '由 <at id=ou_mei></at> 于 15:37 确认 · `data_modify`\n删除了 **3** 行',
  },
  button('确认执行', 'primary_filled', {}, { disabled: true, disabled_tips: plain('已处理') }),
]);

export const hostileCard = card('red', '<img src=x onerror=alert(1)>', [
  {
    tag: 'markdown',
    content:
      '<img src=x onerror="alert(1)"> </script><script>alert(1)</script> [bad](javascript:alert(1)) [data](data:text/html,x) [good](https://example.com/a?b=1&amp;c=2)',
  },
  {
    tag: 'markdown',
    content:
      '&#60;b&#62; &lt;at id=all&gt;&lt;/at&gt; &#42;&#42;not bold&#42;&#42; `&lt;code&gt; **x**` SELECT * FROM a * b',
  },
  { tag: 'div', text: plain('**plain** <at id=ou_mei></at> &lt;') },
  {
    tag: 'div',
    text: {
      tag: 'lark_md',
      content:
        '*slanted* ~~gone~~ <at id=ou_nobody></at><font color=\'x" onclick="alert(1)\'>odd</font>',
    },
  },
  { tag: 'table', columns: [] },
  { tag: '<b>' },
  { tag: 'constructor' },
  { tag: 'img', img_key: 'img_x', alt: plain('A chart') },
  { tag: 'person', user_id: 'ou_ann' },
  {
    tag: 'button',
    text: plain('Open'),
    behaviors: [{ type: 'open_url', default_url: 'javascript:alert(1)' }],
  },
  {
    tag: 'button',
    text: plain('Site'),
    behaviors: [{ type: 'open_url', default_url: 'https://example.com/' }],
  },
]);

export const submitted: CardAction = {
  value: { a: 'answer' },
  name: 'submit_a2',
  form: { reason: 'cleaning up', region: 's', tasks: ['2', '3'], backup: false },
};
