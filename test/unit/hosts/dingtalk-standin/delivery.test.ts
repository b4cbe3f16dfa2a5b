import { describe, expect, it } from 'vitest';
import golden from '../../../fixtures/golden/dingtalk.json' with { type: 'json' };
import {
  DAY,
  HOUR,
  MINUTE,
  newFile,
  openDingtalk,
  openWithBot,
  SECOND,
  START,
  startBot,
} from './given.ts';

describe('a robot message', () => {
  it.each(golden.robot_http_sign.cases)(
    'is signed as DingTalk signs at $timestamp',
    async (vector) => {
      const bot = await startBot();
      const now = Number(vector.timestamp);
      const secrets = { appSecret: vector.appSecret };
      const options = { callbackUrl: bot.url, secrets };
      const { dingtalk, single, wang } = await openDingtalk(options, now);
      await dingtalk.write({ chat: single, from: wang, text: 'hi', mention: false });
      await dingtalk.settled();
      expect(bot.requests[0]?.headers).toMatchObject({
        timestamp: vector.timestamp,
        sign: vector.sign,
      });
    },
  );

  it('comes to the secret path with every field of the published sample', async () => {
    const { bot, dingtalk, say, ops, wang, han } = await openWithBot();
    const post = await say('删除 @韩梅梅 的笔记', { chat: ops, mention: true });
    expect(post.content).toEqual({ kind: 'text', text: '@Countersign 删除 @韩梅梅 的笔记' });
    const [{ path, body } = expect.fail()] = bot.requests;
    expect(path).toBe('/webhook/dingtalk/standin-path-secret');
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining(Object.keys(golden.robot_http_sign.sample_request.body)),
    );
    expect(body).toMatchObject({
      conversationId: ops,
      conversationType: '2',
      conversationTitle: '运维值班群',
      isInAtList: true,
      atUsers: [{ dingtalkId: body.chatbotUserId }, { staffId: han }],
      msgId: post.id,
      createAt: START,
      senderStaffId: wang,
      sessionWebhookExpiredTime: START + 90 * MINUTE,
      robotCode: dingtalk.environment['DINGTALK_ROBOT_CODE'],
      chatbotCorpId: dingtalk.environment['DINGTALK_CORP_ID'],
      msgtype: 'text',
      text: { content: ' 删除 @韩梅梅 的笔记' },
    });
    const old = dingtalk.environment['DINGTALK_OAPI_BASE_URL'];
    expect(body.sessionWebhook).toMatch(`${old}/robot/sendBySession?session=`);
  });

  it('comes from a single chat without what only groups have', async () => {
    const { bot, say } = await openWithBot();
    await say('你好');
    const { body } = bot.requests[0] ?? expect.fail();
    expect(body).toMatchObject({ conversationType: '1', text: { content: '你好' } });
    for (const name of ['conversationTitle', 'isInAtList', 'atUsers'])
      expect(body).not.toHaveProperty(name);
  });

  it('comes from a group only when it mentions the bot, and from its members', async () => {
    const { bot, dingtalk, say, ops, data, han } = await openWithBot();
    await say('just talking', { chat: ops });
    expect(bot.requests).toHaveLength(0);
    const written = dingtalk.write({ chat: data, from: han, text: 'x', mention: true });
    await expect(written).rejects.toThrow(`${han} is not in a chat ${data}`);
  });

  it('may be a picture or rich text; sound, film and files come from single chats only', async () => {
    const { bot, dingtalk, single, ops, wang } = await openWithBot();
    const attach = async (
      chat: string,
      msgtype: 'picture' | 'file' | 'richText',
      content: object,
    ) => {
      await dingtalk.attach({ chat, from: wang, mention: true, msgtype, content: { ...content } });
      await dingtalk.settled();
    };
    await attach(ops, 'picture', { downloadCode: 'x' });
    await attach(ops, 'file', { downloadCode: 'x', fileName: 'a.pdf' });
    await attach(single, 'file', { downloadCode: 'x', fileName: 'a.pdf' });
    await attach(single, 'richText', {
      richText: [{ text: 'see ' }, { type: 'picture', downloadCode: 'x' }],
    });
    expect(bot.requests.map(({ body }) => [body.conversationId, body.msgtype])).toEqual([
      [ops, 'picture'],
      [single, 'file'],
      [single, 'richText'],
    ]);
    expect(bot.requests[0]?.body).not.toHaveProperty('text');
    expect(dingtalk.posts(single).map(({ content }) => content)).toEqual([
      { kind: 'text', text: '[文件] a.pdf' },
      { kind: 'text', text: 'see [图片]' },
    ]);
  });

  it('may be answered with a message on the spot', async () => {
    const { bot, say, shown, single } = await openWithBot();
    bot.answer(() => ({ body: { msgtype: 'text', text: { content: 'at once' } } }));
    await say('hi');
    bot.answer(() => ({ status: 500, body: { msgtype: 'text', text: { content: 'no' } } }));
    await say('hi');
    bot.answer(() => ({ body: '' }));
    await say('hi');
    expect(shown(single).map((content) => content.kind === 'text' && content.text)).toEqual([
      'hi',
      'at once',
      'hi',
      'hi',
    ]);
  });

  it('loses its content when the month is used up, until the next month', async () => {
    const { bot, dingtalk, say, turn } = await openWithBot();
    dingtalk.rateLimit({ messagesPerMonth: 1 });
    await say('one');
    await say('two');
    const { body } = bot.requests[1] ?? expect.fail();
    expect(body).toMatchObject({ errorCode: 20001, errorMessage: expect.stringContaining('超量') });
    expect(body).not.toHaveProperty('text');
    turn(13 * DAY);
    await say('three');
    expect(bot.requests[2]?.body.text).toEqual({ content: 'three' });
  });

  it('comes once, whatever is answered: redelivery is not documented', async () => {
    const { bot, dingtalk, say, turn } = await openWithBot({ answerWithinMs: 50 });
    bot.answer(() => ({ status: 500 }));
    await say('one');
    bot.answer(() => undefined);
    await say('two');
    turn(1000 * HOUR);
    await dingtalk.tick();
    expect(bot.requests).toHaveLength(2);
    expect(dingtalk.deliveries()).toMatchObject([
      { tries: [{ status: 500 }] },
      { tries: [{ error: 'late' }] },
    ]);
  });

  it('comes again where a test wants that, the same but freshly signed', async () => {
    const { bot, dingtalk, say, turn } = await openWithBot({ redeliveryPausesMs: [SECOND] });
    bot.answer(() => ({ status: 500 }));
    await say('hello');
    bot.answer(() => ({}));
    turn(SECOND);
    await dingtalk.tick();
    const [{ body } = expect.fail()] = bot.requests;
    await dingtalk.redeliver(body.msgId);
    expect(bot.requests.map((request) => request.body)).toEqual([body, body, body]);
    expect(bot.requests.map(({ headers }) => headers['timestamp'])).toEqual([
      String(START),
      String(START + SECOND),
      String(START + SECOND),
    ]);
  });

  it('waits for a bot that has not said yet where it is, also over a restart', async () => {
    const bot = await startBot();
    const stateFile = newFile();
    const { dingtalk, wang, single } = await openDingtalk({ stateFile });
    await dingtalk.write({ chat: single, from: wang, text: 'early', mention: false });
    await dingtalk.stop();
    const later = await openDingtalk({ stateFile });
    expect(bot.requests).toHaveLength(0);
    later.dingtalk.setCallbackUrl(bot.url);
    await later.dingtalk.tick();
    expect(bot.requests).toHaveLength(1);
  });
});

describe('a session webhook', () => {
  const opened = async () => {
    const given = await openWithBot();
    await given.say('hi', { chat: given.ops, mention: true });
    const { sessionWebhook } = given.bot.requests[0]?.body ?? expect.fail();
    const send = (message: unknown, headers?: Record<string, string>) =>
      given.api.session(sessionWebhook, message, headers);
    return { ...given, send };
  };
  const text = { msgtype: 'text', text: { content: 'hello' } };

  it('writes to its chat without a token, with people named in it', async () => {
    const { send, shown, ops, li } = await opened();
    const named = { msgtype: 'text', text: { content: `@${li} look` }, at: { atUserIds: [li] } };
    expect(await send(named)).toMatchObject({ status: 200, errcode: 0, errmsg: 'ok' });
    expect(await send({ ...text, text: { content: `@${li} look` } })).toMatchObject({ errcode: 0 });
    expect(shown(ops).slice(1)).toEqual([
      { kind: 'text', text: '@李雷 look' },
      { kind: 'text', text: `@${li} look` },
    ]);
  });

  it('takes markdown and action cards, of one button or several', async () => {
    const { send, shown, ops } = await opened();
    const markdown = { title: 't', text: '**b**' };
    const card = { title: 't', text: 'x' };
    const btns = [{ title: 'Yes', actionURL: 'dtmd://dingtalkclient/sendMessage?content=yes' }];
    const single = { ...card, singleTitle: 'Open', singleURL: 'https://example.com' };
    for (const message of [
      { msgtype: 'markdown', markdown },
      { msgtype: 'actionCard', actionCard: { ...card, btns, btnOrientation: '1' } },
      { msgtype: 'actionCard', actionCard: single },
    ])
      expect(await send(message)).toMatchObject({ errcode: 0 });
    expect(shown(ops).slice(1)).toEqual([
      { kind: 'card', card: { msgtype: 'markdown', markdown } },
      {
        kind: 'card',
        card: { msgtype: 'actionCard', actionCard: { ...card, btns, btnOrientation: '1' } },
      },
      {
        kind: 'card',
        card: {
          msgtype: 'actionCard',
          actionCard: {
            ...card,
            btnOrientation: '0',
            btns: [{ title: 'Open', actionURL: 'https://example.com' }],
          },
        },
      },
    ]);
  });

  it.each<[string, unknown, Record<string, string> | undefined, number]>([
    ['no msgtype', {}, undefined, 40035],
    ['another msgtype than its content', { msgtype: 'text', markdown: {} }, undefined, 40035],
    ['an empty text', { msgtype: 'text', text: { content: '' } }, undefined, 40035],
    ['no JSON type', text, { 'content-type': 'text/plain' }, 43004],
  ])('refuses %s with HTTP 200 and an errcode', async (_, message, headers, errcode) => {
    const { send } = await opened();
    expect(await send(message, headers)).toMatchObject({ status: 200, errcode });
  });

  it('ends after 90 minutes', async () => {
    const { send, turn } = await opened();
    turn(90 * MINUTE - 1);
    expect(await send(text)).toMatchObject({ errcode: 0 });
    turn(1);
    expect(await send(text)).toMatchObject({ errcode: 300001, errmsg: 'session 不存在' });
  });

  it('is no address of the other host', async () => {
    const { bot, api, dingtalk } = await opened();
    const url = String(bot.requests[0]?.body.sessionWebhook);
    const elsewhere = url.replace(/^http:\/\/[^/]+/, dingtalk.endpoint);
    expect(await api.session(elsewhere, text)).toMatchObject({ status: 404 });
  });
});

describe('a dtmd link', () => {
  const link = (content: string) => `dtmd://dingtalkclient/sendMessage?content=${content}`;
  const show = async (url: string, orientation = '0') => {
    const given = await openWithBot();
    const title = { title: 't', text: `[or here](${link('here')})` };
    await given.api.toGroup(given.ops, 'sampleActionCard', {
      ...title,
      singleTitle: 'Yes',
      singleURL: url,
      btnOrientation: orientation,
    });
    const [{ id } = expect.fail()] = given.dingtalk.posts(given.ops);
    const click = async (value: unknown, by = given.li) => {
      const shown = await given.dingtalk.click({ message: id, by, value });
      await given.dingtalk.settled();
      return shown;
    };
    return { ...given, click };
  };

  it('makes the one who clicks write its text, with the bot mentioned', async () => {
    const url = link(encodeURIComponent('确认-AB12'));
    const { bot, click, dingtalk, ops, li } = await show(url);
    expect(await click(url)).toEqual({});
    expect(dingtalk.posts(ops)[1]).toMatchObject({
      from: li,
      content: { text: '@Countersign 确认-AB12' },
    });
    expect(bot.requests[0]?.body).toMatchObject({
      senderStaffId: li,
      isInAtList: true,
      text: { content: ' 确认-AB12' },
    });
    await click(link('here'));
    expect(bot.requests[1]?.body.text.content).toBe(' here');
  });

  it.each([
    ['a host that is not lower-case', 'dtmd://dingtalkClient/sendMessage?content=x'],
    ['a broken escape', link('%E0%A4%A')],
    ['a space in the text', link('confirm%20AB12')],
    ['a line break in the text', link('confirm%0AAB12')],
    ['a page', 'https://example.com'],
  ])('does nothing for %s, and says nothing', async (_, url) => {
    const { bot, click, dingtalk, ops } = await show(url);
    expect(await click(url)).toEqual({});
    expect(dingtalk.posts(ops)).toHaveLength(1);
    expect(bot.requests).toHaveLength(0);
  });

  it('has to be in the message, and the person in the chat', async () => {
    const { click } = await show(link('yes'));
    await expect(click(link('forged'))).rejects.toThrow('has no link');
    await expect(click(link('yes'), 'nobody')).rejects.toThrow('is not in the chat');
  });
});

it('tells who watches of every change, until they stop', async () => {
  const { dingtalk, api, ops, single, say } = await openWithBot();
  const seen: string[] = [];
  const stop = dingtalk.watch((chat) => seen.push(chat));
  await say('hello');
  await api.toGroup(ops, 'sampleText', { content: 'x' });
  await api.card('c1', ops, { title: 'x' });
  await api.update({ outTrackId: 'c1', cardData: { cardParamMap: { title: 'y' } } });
  stop();
  await api.toGroup(ops, 'sampleText', { content: 'y' });
  expect(seen).toEqual([single, ops, ops, ops]);
});
