import { describe, expect, it } from 'vitest';
import { apiOf, button, cardOf, DAY, HOUR, MINUTE, openFeishu, SECOND } from './given.ts';

const KB = 1024;
const card = cardOf(button({ do: 'yes' }));
const text = (words: string) => ({ text: words });

describe('tokens', () => {
  it('gives one token for two hours, a new one in its last half hour, and lets both live', async () => {
    const { feishu, api, pass, turn, ops } = await openFeishu();
    const first = await api.logIn();
    expect(first).toMatchObject({ code: 0, expire: 7200 });
    await pass(89 * MINUTE);
    expect(await api.logIn()).toMatchObject({
      tenant_access_token: first.tenant_access_token,
      expire: 31 * 60,
    });
    await pass(2 * MINUTE);
    const second = await api.logIn();
    expect(second.tenant_access_token).not.toBe(first.tenant_access_token);
    const withFirst = () =>
      apiOf(feishu).call('GET', '/bot/v3/info', undefined, {
        authorization: `Bearer ${first.tenant_access_token}`,
      });
    expect(await withFirst()).toMatchObject({ code: 0 });
    turn(29 * MINUTE - 1);
    expect(await withFirst()).toMatchObject({ code: 0 });
    turn(1);
    expect(await withFirst()).toMatchObject({ status: 400, code: 99991663 });
    expect(await api.send(ops, 'text', text('still'))).toMatchObject({ code: 0 });
  });

  it('refuses a call without token, and a token for a wrong secret', async () => {
    const { feishu } = await openFeishu();
    const api = apiOf(feishu);
    expect(await api.call('GET', '/bot/v3/info')).toMatchObject({ status: 400, code: 99991661 });
    const path = '/auth/v3/tenant_access_token/internal';
    const id = feishu.environment['FEISHU_APP_ID'];
    expect(await api.call('POST', path, { app_id: id, app_secret: 'x' })).toMatchObject({
      code: 10014,
    });
    expect(await api.call('POST', path, { app_id: 'cli_x' })).toMatchObject({ code: 10003 });
  });

  it('names the request in every answer, as support asks for it', async () => {
    const { api, ops } = await openFeishu();
    const good = await api.send(ops, 'text', text('x'));
    expect(good.headers.get('x-tt-logid')).toMatch(/^\w+$/);
    const bad = await api.send(ops, 'sticker', {});
    expect(bad.error.log_id).toBe(bad.headers.get('x-tt-logid'));
  });
});

describe('sending', () => {
  it('sends a text, a post and a card to a chat, and a text to a person', async () => {
    const { feishu, api, ops, single, wang } = await openFeishu();
    await api.send(ops, 'text', text(`<at user_id="${wang}">王</at> <b>好</b>`));
    await api.send(ops, 'post', {
      zh_cn: {
        title: '标题',
        content: [[{ tag: 'text', text: 'a' }], [{ tag: 'md', text: '*b*' }]],
      },
    });
    await api.send(ops, 'interactive', card);
    const body = { receive_id: wang, msg_type: 'text', content: '{"text":"hi"}' };
    const sent = await api.call('POST', '/im/v1/messages?receive_id_type=open_id', body);
    expect(sent).toMatchObject({ code: 0, msg: 'success', data: { chat_id: single } });
    expect(sent.data.message_id).toMatch(/^om_\w+$/);
    expect(feishu.posts(ops).map(({ content }) => content)).toEqual([
      { kind: 'text', text: '@王 好' },
      { kind: 'text', text: '标题\na\n*b*' },
      { kind: 'card', card },
    ]);
    expect(feishu.posts(single)).toMatchObject([{ from: 'bot', content: { text: 'hi' } }]);
  });

  it('sends one message for a uuid within an hour, for sends and replies apart', async () => {
    const { feishu, api, ops, pass } = await openFeishu();
    const first = await api.send(ops, 'text', text('once'), { uuid: 'job-1' });
    const repeat = await api.send(ops, 'text', text('other words'), { uuid: 'job-1' });
    expect(repeat).toMatchObject({ code: 0, data: { message_id: first.data.message_id } });
    const reply = await api.reply(first.data.message_id, 'text', text('re'), { uuid: 'job-1' });
    expect(reply.data.message_id).not.toBe(first.data.message_id);
    await pass(HOUR - SECOND);
    await api.send(ops, 'text', text('once'), { uuid: 'job-1' });
    expect(feishu.posts(ops)).toHaveLength(2);
    await pass(SECOND);
    const later = await api.send(ops, 'text', text('once'), { uuid: 'job-1' });
    expect(later.data.message_id).not.toBe(first.data.message_id);
    expect(feishu.posts(ops)).toHaveLength(3);
  });

  it('does not take a refused message for sent', async () => {
    const { api, ops } = await openFeishu();
    expect(await api.send(ops, 'text', text(''), { uuid: 'u' })).toMatchObject({ code: 230001 });
    expect(await api.send(ops, 'text', text('now'), { uuid: 'u' })).toMatchObject({ code: 0 });
  });

  it('measures the body as it comes: 150 KB for a text, 30 KB for a card', async () => {
    const { api, ops } = await openFeishu();
    const long = (bytes: number) => text('x'.repeat(bytes));
    expect(await api.send(ops, 'text', long(149 * KB))).toMatchObject({ code: 0 });
    expect(await api.send(ops, 'text', long(150 * KB))).toMatchObject({
      status: 400,
      code: 230025,
    });
    const big = (bytes: number) => cardOf({ tag: 'markdown', content: 'x'.repeat(bytes) });
    expect(await api.send(ops, 'interactive', big(29 * KB))).toMatchObject({ code: 0 });
    expect(await api.send(ops, 'interactive', big(30 * KB))).toMatchObject({ code: 230025 });
    const sent = await api.send(ops, 'interactive', card);
    expect(await api.patch(sent.data.message_id, big(30 * KB))).toMatchObject({ code: 230025 });
  });

  it('refuses a bad card with the sub code, the place and the reason', async () => {
    const { feishu, api, ops, data } = await openFeishu();
    const bad = await api.send(ops, 'interactive', { ...card, elements: [] });
    expect(bad).toMatchObject({ status: 400, code: 230099 });
    expect(bad.msg).toMatch(/ErrCode: 200621; .*unknown property, property: elements/);
    const toAll = cardOf({ tag: 'markdown', content: '<at id=all></at>' });
    expect(await api.send(ops, 'interactive', toAll)).toMatchObject({ code: 0 });
    expect((await api.send(data, 'interactive', toAll)).msg).toContain('ErrCode: 100290');
    expect(feishu.posts(data)).toEqual([]);
  });

  it('says which field is wrong', async () => {
    const { api, ops } = await openFeishu();
    const violation = async (body: object, query = 'receive_id_type=chat_id') => {
      const answer = await api.call('POST', `/im/v1/messages?${query}`, body);
      expect(answer).toMatchObject({ status: 400, code: 99992402 });
      return answer.error.field_violations[0].field;
    };
    const body = { receive_id: ops, msg_type: 'text', content: '{"text":"x"}' };
    expect(await violation({ ...body, receive_id: undefined })).toBe('receive_id');
    expect(await violation({ ...body, content: { text: 'x' } })).toBe('content');
    expect(await violation({ ...body, uuid: 'u'.repeat(51) })).toBe('uuid');
    expect(await violation(body, '')).toBe('receive_id_type');
  });

  it.each([
    ['a chat the bot is not in', 'chat_id', 'oc_ffffffffffffffffffffffffffffffff', 230002],
    ['a person as a chat', 'chat_id', 'ou_a0000000000000000000000000000001', 230001],
    ['nobody', 'open_id', 'ou_ffffffffffffffffffffffffffffffff', 99992351],
  ])('refuses to send to %s', async (_, type, id, code) => {
    const { api } = await openFeishu();
    const body = { receive_id: id, msg_type: 'text', content: '{"text":"x"}' };
    expect(await api.call('POST', `/im/v1/messages?receive_id_type=${type}`, body)).toMatchObject({
      status: 400,
      code,
    });
  });

  it('replies under a message, in its topic, and where the group has topics', async () => {
    const { api, ops, data } = await openFeishu();
    const root = await api.send(ops, 'text', text('root'));
    const plainReply = await api.reply(root.data.message_id, 'text', text('re'));
    expect(plainReply.data.thread_id).toBeUndefined();
    const inThread = await api.reply(plainReply.data.message_id, 'text', text('re'), {
      reply_in_thread: true,
    });
    expect(inThread.data).toMatchObject({
      root_id: root.data.message_id,
      parent_id: plainReply.data.message_id,
    });
    const stays = await api.reply(inThread.data.message_id, 'text', text('re'));
    expect(stays.data.thread_id).toBe(inThread.data.thread_id);
    const elsewhere = await api.send(data, 'text', text('root'));
    const refused = await api.reply(elsewhere.data.message_id, 'text', text('re'), {
      reply_in_thread: true,
    });
    expect(refused).toMatchObject({ status: 400, code: 230071 });
    expect(await api.reply('om_none', 'text', text('re'))).toMatchObject({ code: 99992354 });
  });
});

describe('updating', () => {
  const shown = async (start = card) => {
    const opened = await openFeishu();
    const sent = await opened.api.send(opened.ops, 'interactive', start);
    expect(sent.code).toBe(0);
    return { ...opened, id: sent.data.message_id as string };
  };
  const decided = cardOf({ tag: 'markdown', content: 'done' });

  it('replaces a card for 14 days', async () => {
    const { feishu, api, ops, id, pass } = await shown();
    await pass(14 * DAY);
    expect(await api.patch(id, decided)).toMatchObject({ code: 0, data: {} });
    expect(feishu.posts(ops)).toMatchObject([{ content: { card: decided } }]);
    await pass(SECOND);
    expect(await api.patch(id, card)).toMatchObject({ status: 400, code: 230031 });
  });

  it('asks for update_multi written out before and after, and for JSON 2.0 after 2.0', async () => {
    const { config: _, ...bare } = decided;
    const { api, id } = await shown();
    expect((await api.patch(id, bare)).msg).toContain('ErrCode: 300302');
    const { schema: __, ...old } = { ...decided, elements: [] };
    expect((await api.patch(id, old)).msg).toContain('ErrCode: 200830');
    const unshared = await shown(bare as typeof card);
    expect((await unshared.api.patch(unshared.id, decided)).msg).toContain('ErrCode: 300302');
  });

  it('refuses what is no card, another sender’s message, a recalled and an unknown one', async () => {
    const { feishu, api, ops, wang, id } = await shown();
    const words = await api.send(ops, 'text', text('x'));
    expect(await api.patch(words.data.message_id, decided)).toMatchObject({ code: 230001 });
    const theirs = await feishu.write({ chat: ops, from: wang, text: 'x', mention: false });
    expect(await api.patch(theirs.id, decided)).toMatchObject({ code: 230001 });
    feishu.recall(id);
    expect(await api.patch(id, decided)).toMatchObject({ code: 230011 });
    expect(await api.reply(id, 'text', text('x'))).toMatchObject({ code: 230011 });
    expect(await api.patch('om_none', decided)).toMatchObject({ code: 99992354 });
    expect(feishu.posts(ops).map((post) => post.id)).not.toContain(id);
  });

  it('edits a text twenty times, never a card', async () => {
    const { api, ops, id, pass } = await shown();
    const sent = await api.send(ops, 'text', text('0'));
    const edit = (message: string) =>
      api.call('PUT', `/im/v1/messages/${message}`, { msg_type: 'text', content: '{"text":"n"}' });
    for (let count = 0; count < 20; count += 1) {
      await pass(SECOND);
      expect((await edit(sent.data.message_id)).code).toBe(0);
    }
    expect(await edit(sent.data.message_id)).toMatchObject({ code: 230072 });
    expect(await edit(id)).toMatchObject({ code: 230054 });
  });

  it('takes only faces that there are', async () => {
    const { feishu, api, ops, id } = await shown();
    const react = (emoji_type: string) =>
      api.call('POST', `/im/v1/messages/${id}/reactions`, { reaction_type: { emoji_type } });
    expect(await react('OnIt')).toMatchObject({ code: 0 });
    expect(await react('ONIT')).toMatchObject({ code: 231001 });
    expect(feishu.posts(ops)).toMatchObject([{ reactions: ['OnIt'] }]);
  });
});

describe('limits that are always on', () => {
  it('takes five messages a second to one chat', async () => {
    const { api, ops, data, pass } = await openFeishu();
    for (let count = 0; count < 5; count += 1)
      expect((await api.send(ops, 'text', text('x'))).code).toBe(0);
    expect(await api.send(ops, 'text', text('x'))).toMatchObject({ status: 400, code: 230020 });
    expect(await api.send(data, 'text', text('x'))).toMatchObject({ code: 0 });
    await pass(SECOND);
    expect(await api.send(ops, 'text', text('x'))).toMatchObject({ code: 0 });
  });

  it('takes fifty calls a second of one API, and says when to come back', async () => {
    const { api, ops, pass } = await openFeishu();
    const info = () => api.call('GET', '/bot/v3/info');
    for (let count = 0; count < 50; count += 1) expect((await info()).code).toBe(0);
    const refused = await info();
    expect(refused).toMatchObject({ status: 429, code: 99991400 });
    expect(refused.headers.get('x-ogw-ratelimit-limit')).toBe('50');
    expect(refused.headers.get('x-ogw-ratelimit-reset')).toBe('1');
    expect(await api.send(ops, 'text', text('x'))).toMatchObject({ code: 0 });
    await pass(SECOND);
    expect((await info()).code).toBe(0);
  });
});

describe('what tests switch on', () => {
  it('fails the calls it is told to, as often as it is told to', async () => {
    const { feishu, api, ops } = await openFeishu();
    const path = '/open-apis/im/v1/messages';
    feishu.fail({ path, method: 'POST', code: 230049, times: 2, headers: { 'x-why': 'test' } });
    const failed = await api.send(ops, 'text', text('x'));
    expect(failed).toMatchObject({ status: 400, code: 230049 });
    expect(failed.headers.get('x-why')).toBe('test');
    expect(await api.call('GET', '/bot/v3/info')).toMatchObject({ code: 0 });
    expect(await api.send(ops, 'text', text('x'))).toMatchObject({ code: 230049 });
    expect(await api.send(ops, 'text', text('x'))).toMatchObject({ code: 0 });
    expect(feishu.posts(ops)).toHaveLength(1);
  });

  it('carries a call out and loses its answer', async () => {
    const { feishu, api, ops } = await openFeishu();
    feishu.fail({ code: 500, status: 502, times: 1, afterwards: true });
    expect(await api.send(ops, 'text', text('x'), { uuid: 'u' })).toMatchObject({ status: 502 });
    const again = await api.send(ops, 'text', text('x'), { uuid: 'u' });
    expect(feishu.posts(ops).map(({ id }) => id)).toEqual([again.data.message_id]);
  });

  it('has lower rates and a quota when asked to', async () => {
    const { feishu, api, ops } = await openFeishu();
    feishu.rateLimit({ perChatPerSecond: 1, calls: 3 });
    expect(await api.send(ops, 'text', text('x'))).toMatchObject({ code: 0 });
    expect(await api.send(ops, 'text', text('x'))).toMatchObject({ code: 230020 });
    expect(await api.call('GET', '/bot/v3/info')).toMatchObject({ code: 0 });
    expect(await api.call('GET', '/bot/v3/info')).toMatchObject({ code: 99991403 });
  });

  it('answers late when asked to, and stops all the same', async () => {
    const { feishu, api } = await openFeishu();
    feishu.fail({ times: 1, delayMs: HOUR });
    const waiting = expect(api.call('GET', '/bot/v3/info')).rejects.toThrow('fetch failed');
    await feishu.stop();
    await waiting;
  });
});
