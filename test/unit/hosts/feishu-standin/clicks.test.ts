import { describe, expect, it } from 'vitest';
import type { Click } from '#hosts/local/standins/stand-in.ts';
import { button, cardOf, DAY, MINUTE, openFeishu, plain, startBot } from './given.ts';

const KEY = 'a key of this test';
const FORM = {
  tag: 'form',
  name: 'f1',
  elements: [
    { tag: 'input', name: 'why', required: true, max_length: 5 },
    { tag: 'input', name: 'note' },
    {
      tag: 'select_static',
      name: 'choice',
      options: [
        { text: plain('A'), value: 'a' },
        { text: plain('B'), value: 'b' },
      ],
    },
    {
      tag: 'multi_select_static',
      name: 'tasks',
      required: false,
      options: [
        { text: plain('1'), value: '1' },
        { text: plain('2'), value: '2' },
      ],
    },
    { tag: 'checker', name: 'sure', text: plain('sure'), checked: true },
    button({ a: 'modify' }, { name: 'send', form_action_type: 'submit' }),
    button({ a: 'clear' }, { name: 'clear', form_action_type: 'reset' }),
  ],
};
const CARD = cardOf(
  button({ a: 'yes' }),
  button({ a: 'off' }, { disabled: true }),
  button({}, { name: 'docs', behaviors: [{ type: 'open_url', default_url: 'https://x.cn' }] }),
  { tag: 'input', name: 'alone', behaviors: [{ type: 'callback', value: { a: 'alone' } }] },
  FORM,
);
const DECIDED = cardOf({ tag: 'markdown', content: 'done' });
const raw = (data: unknown) => ({ type: 'raw', data });

const open = async (options: Parameters<typeof openFeishu>[0] = {}) => {
  const bot = await startBot(KEY);
  const opened = await openFeishu({
    callbackUrl: bot.url,
    secrets: { encryptKey: KEY },
    ...options,
  });
  const sent = await opened.api.send(opened.ops, 'interactive', CARD);
  expect(sent.code).toBe(0);
  const message = sent.data.message_id as string;
  const click = (made: Partial<Click>) =>
    opened.feishu.click({ message, by: opened.wang, value: undefined, ...made });
  const yes = () => click({ value: { a: 'yes' } });
  const shown = () =>
    opened.feishu.posts(opened.ops).map(({ content }) => content.kind === 'card' && content.card);
  return { bot, ...opened, message, click, yes, shown };
};

describe('a click', () => {
  it('says who used what where, and shows the toast', async () => {
    const { bot, yes, shown, wang, ops, message, feishu } = await open();
    bot.answer(() => ({ body: { toast: { type: 'warning', content: 'late' } } }));
    expect(await yes()).toEqual({ toast: { type: 'warning', content: 'late' } });
    expect(shown()).toEqual([CARD]);
    const { header, event } = bot.requests[0]?.event ?? {};
    expect(header.event_type).toBe('card.action.trigger');
    expect(header.create_time).toMatch(/^\d{16}$/);
    expect(event).toMatchObject({
      operator: { open_id: wang },
      token: expect.stringMatching(/^c-\w+$/),
      action: { value: { a: 'yes' }, tag: 'button' },
      host: 'im_message',
      context: { open_message_id: message, open_chat_id: ops },
    });
    expect(event.action).not.toHaveProperty('form_value');
    expect(feishu.deliveries()).toMatchObject([
      { type: 'card.action.trigger', message, tries: [{ status: 200 }] },
    ]);
  });

  it('replaces the card for everybody', async () => {
    const { bot, yes, shown } = await open();
    bot.answer(() => ({ body: { card: raw(DECIDED) } }));
    expect(await yes()).toEqual({});
    expect(shown()).toEqual([DECIDED]);
  });

  it('from a screen that is behind is sent all the same, for the bot to answer', async () => {
    const { bot, yes, click } = await open();
    bot.answer(() => ({ body: { card: raw(DECIDED) } }));
    await Promise.all([yes(), yes()]);
    await yes();
    expect(bot.requests.map(({ event }) => event.event.action.value)).toEqual([
      { a: 'yes' },
      { a: 'yes' },
      { a: 'yes' },
    ]);
    expect(await click({ name: 'send', value: { a: 'modify' }, form: { why: 'x' } })).toEqual({});
    expect(bot.requests[3]?.event.event.action).toMatchObject({ form_value: { why: 'x' } });
  });

  it('is never sent again', async () => {
    const { bot, feishu, yes, pass } = await open();
    bot.answer(() => ({ status: 500 }));
    await yes();
    await pass(DAY);
    await feishu.tick();
    expect(bot.requests).toHaveLength(1);
  });

  it.each<[string, object, number]>([
    ['another status than 200', { status: 500 }, 200671],
    ['a redirect', { status: 302, headers: { location: '/' } }, 200671],
    ['no JSON', { body: 'ok' }, 200672],
    ['nothing', { body: '' }, 200672],
    ['a list', { body: [] }, 200672],
    ['the card itself, as to the old callback', { body: DECIDED }, 200672],
    ['a toast of no kind', { body: { toast: { type: 'fine', content: 'x' } } }, 200672],
    ['a card in a string', { body: { card: raw(JSON.stringify(DECIDED)) } }, 200672],
    ['a card of JSON 1.0', { body: { card: raw({ elements: [] }) } }, 200830],
    ['a card with an unknown property', { body: { card: raw({ ...DECIDED, x: 1 }) } }, 200673],
    [
      'a card over 30 KB',
      { body: { card: raw(cardOf({ tag: 'markdown', content: 'x'.repeat(30_720) })) } },
      200673,
    ],
  ])('answered with %s shows the error and leaves the card', async (_, answer, code) => {
    const { bot, yes, shown } = await open();
    bot.answer(() => answer);
    expect((await yes()).error).toMatch(new RegExp(`^${code} `));
    expect(shown()).toEqual([CARD]);
  });

  it('shows an error when the bot is late, gone or unknown', async () => {
    const { bot, feishu, yes } = await open({ answerWithinMs: 30 });
    bot.answer(() => undefined);
    expect((await yes()).error).toMatch(/^200341 /);
    feishu.setCallbackUrl('http://127.0.0.1:1/');
    expect((await yes()).error).toMatch(/^200342 /);
    const nowhere = await openFeishu();
    const sent = await nowhere.api.send(nowhere.ops, 'interactive', CARD);
    const message = sent.data.message_id as string;
    const lost = await nowhere.feishu.click({ message, by: nowhere.wang, value: { a: 'yes' } });
    expect(lost.error).toMatch(/^200340 /);
  });

  it('undoes an update that came before its answer', async () => {
    const { bot, api, yes, shown, message } = await open();
    const early = cardOf({ tag: 'markdown', content: 'early' });
    bot.answer(async () => {
      expect(await api.patch(message, early)).toMatchObject({ code: 0 });
      expect(shown()).toEqual([early]);
      return {};
    });
    await yes();
    expect(shown()).toEqual([CARD]);
    const next = cardOf({ tag: 'markdown', content: 'next' }, button({ a: 'yes' }));
    expect(await api.patch(message, next)).toMatchObject({ code: 0 });
    bot.answer(() => ({}));
    await yes();
    expect(shown()).toEqual([next]);
  });

  it('that loses leaves the card that another one’s answer brought', async () => {
    const { bot, yes, shown } = await open();
    bot.answer(async () => {
      if (bot.requests.length > 1) return { body: { card: raw(DECIDED) } };
      await yes();
      return { body: { toast: { type: 'info', content: 'already decided' } } };
    });
    expect((await yes()).toast?.content).toBe('already decided');
    expect(shown()).toEqual([DECIDED]);
  });

  it('is possible for 14 days, and not on a recalled message', async () => {
    const { bot, feishu, yes, pass, message } = await open();
    await pass(14 * DAY);
    expect(await yes()).toEqual({});
    await pass(1);
    expect((await yes()).error).toContain('14');
    expect(bot.requests).toHaveLength(1);
    feishu.recall(message);
    expect((await yes()).error).toContain('recalled');
  });

  it('is impossible on what is not there, disabled, or not shown to that person', async () => {
    const { bot, click, feishu, api, han, data } = await open();
    await expect(click({ value: { a: 'forged' } })).rejects.toThrow('no control {"a":"forged"}');
    expect((await click({ value: { a: 'off' } })).error).toContain('disabled');
    expect(await click({ name: 'docs' })).toEqual({});
    const other = await api.send(data, 'interactive', CARD);
    await expect(
      feishu.click({ message: other.data.message_id, by: han, value: { a: 'yes' } }),
    ).rejects.toThrow('is not in the chat');
    expect(bot.requests).toHaveLength(0);
  });
});

describe('a form', () => {
  it('is sent whole: what was entered, what stood there, and the button’s own value', async () => {
    const { bot, click } = await open();
    await click({ name: 'send', form: { why: 'short', choice: 'b', tasks: ['2'], sure: false } });
    expect(bot.requests[0]?.event.event.action).toEqual({
      value: { a: 'modify' },
      tag: 'button',
      name: 'send',
      timezone: 'Asia/Shanghai',
      form_value: { why: 'short', note: '', choice: 'b', tasks: ['2'], sure: false },
    });
    await click({ name: 'send', form: { why: 'x' } });
    expect(bot.requests[1]?.event.event.action.form_value).toEqual({
      why: 'x',
      note: '',
      sure: true,
    });
  });

  it('is kept back by its client while a required field is empty, or a text too long', async () => {
    const { bot, click } = await open();
    expect((await click({ name: 'send' })).error).toContain('有必填项未填写');
    expect((await click({ name: 'send', form: { why: '123456' } })).error).toContain('too long');
    expect(await click({ name: 'clear', form: { why: 'x' } })).toEqual({});
    expect(bot.requests).toHaveLength(0);
  });

  it('takes nothing its client could not send', async () => {
    const { click } = await open();
    const send = (form: NonNullable<Click['form']>) =>
      click({ name: 'send', form: { why: 'x', ...form } });
    await expect(send({ other: 'x' })).rejects.toThrow('the form has no field other');
    await expect(send({ choice: 'c' })).rejects.toThrow('choice has no option c');
    await expect(send({ sure: 'true' })).rejects.toThrow('sure takes a boolean');
  });

  it('needs no form for a field that stands alone', async () => {
    const { bot, click } = await open();
    await click({ name: 'alone', form: { alone: 'words' } });
    expect(bot.requests[0]?.event.event.action).toMatchObject({
      tag: 'input',
      name: 'alone',
      value: { a: 'alone' },
      input_value: 'words',
    });
  });
});

describe('the token of a click', () => {
  it('updates the card twice within 30 minutes', async () => {
    const { bot, api, yes, shown, pass } = await open();
    await yes();
    await yes();
    const [first, second] = bot.requests.map(({ event }) => event.event.token as string);
    const update = (token: string | undefined, card: unknown = DECIDED) =>
      api.call('POST', '/interactive/v1/card/update', { token, card });
    expect(await update(first, { ...DECIDED, x: 1 })).toMatchObject({ code: 11311 });
    expect(await update(first)).toMatchObject({ code: 0 });
    expect(shown()).toEqual([DECIDED]);
    expect(await update(first, CARD)).toMatchObject({ code: 0 });
    expect(await update(first)).toMatchObject({ code: 300040 });
    expect(await update('x')).toMatchObject({ code: 300020 });
    await pass(30 * MINUTE);
    expect(await update(second)).toMatchObject({ code: 300030 });
  });
});
