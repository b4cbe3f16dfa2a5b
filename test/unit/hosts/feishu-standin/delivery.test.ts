import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  button,
  cardOf,
  HOUR,
  MINUTE,
  newFile,
  openFeishu,
  SECOND,
  START,
  startBot,
} from './given.ts';

const KEY = 'a key of this test';

const open = async (options: Parameters<typeof openFeishu>[0] = {}) => {
  const bot = await startBot(KEY);
  const opened = await openFeishu({
    callbackUrl: bot.url,
    secrets: { encryptKey: KEY },
    ...options,
  });
  const say = async (text: string, more: object = {}) => {
    const { single: chat, wang: from } = opened;
    const post = await opened.feishu.write({ chat, from, text, mention: false, ...more });
    await opened.feishu.settled();
    return post;
  };
  return { bot, ...opened, say };
};

describe('an event', () => {
  it('is encrypted, and signed over the bytes that are sent', async () => {
    const { bot, say } = await open();
    const post = await say('hello');
    const [request] = bot.requests;
    const { headers, raw, event } = request ?? expect.fail();
    const [timestamp, nonce] = [
      String(headers['x-lark-request-timestamp']),
      String(headers['x-lark-request-nonce']),
    ];
    expect(timestamp).toBe(String(START / SECOND));
    expect(headers['x-lark-signature']).toBe(
      createHash('sha256')
        .update(timestamp + nonce + KEY + raw)
        .digest('hex'),
    );
    expect(event).toMatchObject({
      schema: '2.0',
      header: {
        event_type: 'im.message.receive_v1',
        create_time: String(START),
        token: 'standin-feishu-verification-token',
        app_id: 'cli_standin000000001',
      },
      event: { message: { message_id: post.id, create_time: String(START) } },
    });
  });

  it('comes again 15 s, 5 min, 1 h and 6 h later until it is taken, then no more', async () => {
    const { bot, feishu, say, pass } = await open();
    bot.answer(() => ({ status: 500 }));
    await say('hello');
    const triesAfter = async (ms: number) => {
      await pass(ms);
      await feishu.tick();
      return bot.requests.length;
    };
    expect(bot.requests).toHaveLength(1);
    expect(await triesAfter(15 * SECOND - 1)).toBe(1);
    expect(await triesAfter(1)).toBe(2);
    expect(await triesAfter(5 * MINUTE - 1)).toBe(2);
    expect(await triesAfter(1)).toBe(3);
    expect(await triesAfter(HOUR)).toBe(4);
    expect(await triesAfter(6 * HOUR - 1)).toBe(4);
    expect(await triesAfter(1)).toBe(5);
    expect(await triesAfter(1000 * HOUR)).toBe(5);
    expect(new Set(bot.requests.map(({ plain }) => plain)).size).toBe(1);
    // Sealed anew each time.
    expect(new Set(bot.requests.map(({ raw }) => raw)).size).toBe(5);
    const [delivery] = feishu.deliveries();
    expect(delivery?.tries.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
    expect(delivery?.nextAt).toBeUndefined();
  });

  it('is over once it is taken with HTTP 200, and only then', async () => {
    const { bot, feishu, say, pass } = await open();
    const statuses = [302, 204, 200];
    bot.answer(() => ({ status: statuses[bot.requests.length - 1] ?? 500, body: '' }));
    await say('hello');
    await pass(15 * SECOND);
    await feishu.tick();
    await pass(5 * MINUTE);
    await feishu.tick();
    await pass(1000 * HOUR);
    await feishu.tick();
    expect(feishu.deliveries()).toMatchObject([
      { tries: [{ status: 302 }, { status: 204 }, { status: 200 }] },
    ]);
  });

  it('comes again by itself, as fast as it is told to', async () => {
    const { bot, feishu, wang, single } = await open({ redeliveryScale: 1e-5, now: Date.now });
    const taken = new Promise<void>((resolve) => {
      bot.answer(() => {
        if (bot.requests.length < 4) return { status: 503 };
        resolve();
        return {};
      });
    });
    await feishu.write({ chat: single, from: wang, text: 'hi', mention: false });
    await taken;
    await feishu.settled();
    expect(feishu.deliveries()[0]?.tries).toHaveLength(4);
  });

  it('comes again when no answer came in time, or no bot was there', async () => {
    const { bot, feishu, say } = await open({ answerWithinMs: 30 });
    bot.answer(() => undefined);
    await say('slow');
    feishu.setCallbackUrl('http://127.0.0.1:1/');
    await say('gone');
    expect(feishu.deliveries()).toMatchObject([
      { tries: [{ error: 'late' }], nextAt: START + 15 * SECOND },
      { tries: [{ error: 'unreachable' }], nextAt: START + 15 * SECOND },
    ]);
  });

  it('waits for a bot that has not said yet where it is', async () => {
    const bot = await startBot(KEY);
    const { feishu, wang, single } = await openFeishu({ secrets: { encryptKey: KEY } });
    await feishu.write({ chat: single, from: wang, text: 'early', mention: false });
    expect(feishu.deliveries()).toMatchObject([{ tries: [] }]);
    feishu.setCallbackUrl(bot.url);
    await feishu.tick();
    expect(bot.requests).toHaveLength(1);
  });

  it('comes twice when asked to, although it was taken', async () => {
    const { bot, feishu, say } = await open();
    await say('hello');
    await feishu.redeliver(bot.requests[0]?.event.header.event_id);
    expect(bot.requests).toHaveLength(2);
    expect(bot.requests[1]?.plain).toBe(bot.requests[0]?.plain);
  });

  it('outlives the process that was to send it', async () => {
    const stateFile = newFile();
    const { bot, feishu, say } = await open({ stateFile });
    bot.answer(() => ({ status: 500 }));
    const post = await say('hello');
    await feishu.stop();
    bot.answer(() => ({}));

    const secrets = { encryptKey: KEY };
    const later = await openFeishu({ stateFile, callbackUrl: bot.url, secrets }, START + MINUTE);
    await later.feishu.tick();
    await later.feishu.settled();
    expect(bot.requests.map(({ plain }) => plain)).toEqual([
      bot.requests[0]?.plain,
      bot.requests[0]?.plain,
    ]);
    expect(later.feishu.posts(later.single)).toEqual([post]);
    expect(later.feishu.deliveries()).toMatchObject([
      { tries: [{ status: 500 }, { status: 200 }] },
    ]);
  });

  it('is sent on the next start when the process ended before its answer', async () => {
    const stateFile = newFile();
    const { bot, feishu, single, wang } = await open({ stateFile });
    const arrived = new Promise<void>((resolve) => {
      bot.answer(() => void resolve());
    });
    await feishu.write({ chat: single, from: wang, text: 'hi', mention: false });
    await arrived;
    await feishu.stop();
    const { feishu: later } = await openFeishu({ stateFile });
    expect(later.deliveries()).toMatchObject([{ tries: [], nextAt: START }]);
  });
});

describe('a group', () => {
  it('passes on only what mentions the bot', async () => {
    const { bot, feishu, api, ops, say } = await open();
    await say('just talking', { chat: ops });
    const card = await api.send(ops, 'interactive', cardOf(button({ a: 1 })));
    const replyTo = card.data.message_id as string;
    await say('yes', { chat: ops, replyTo });
    expect(bot.requests).toHaveLength(0);
    const post = await say('yes @李雷', { chat: ops, replyTo, mention: true });
    expect(post.content).toEqual({ kind: 'text', text: '@Countersign yes @李雷' });
    expect(bot.requests.map(({ event }) => event.event.message)).toMatchObject([
      {
        chat_type: 'group',
        parent_id: replyTo,
        root_id: replyTo,
        content: '{"text":"@_user_1 yes @_user_2"}',
        mentions: [
          { key: '@_user_1', mentioned_type: 'bot' },
          { key: '@_user_2', mentioned_type: 'user', id: { open_id: feishu.people[1]?.id } },
        ],
      },
    ]);
  });

  it('stands in a topic: of its own, of the message it replies to, or one that it opens there', async () => {
    const { bot, feishu, ops, data, say } = await open();
    const inTopic = { chat: ops, mention: true, inTopic: true };
    const own = await say('a topic of my own', inTopic);
    const first = await say('just a message', { chat: ops });
    const opened = await say('a topic about it', { ...inTopic, replyTo: first.id });
    await say('more of it', { chat: ops, mention: true, replyTo: opened.id });
    const [alone, opening, more] = bot.requests.map(({ event }) => event.event.message);
    expect(alone.thread_id).toMatch(/^omt_/);
    expect(alone).not.toHaveProperty('root_id');
    expect(opening).toMatchObject({ root_id: first.id, parent_id: first.id });
    expect(opening.thread_id).not.toBe(alone.thread_id);
    expect(more).toMatchObject({
      root_id: first.id,
      parent_id: opened.id,
      thread_id: opening.thread_id,
    });
    expect(feishu.posts(ops).map(({ topic }) => topic)).toEqual([
      own.topic,
      ...Array.from({ length: 3 }, () => opened.topic),
    ]);
    await expect(say('here', { ...inTopic, chat: data })).rejects.toThrow('has no topics');
  });

  it('passes on everything with the scope for it', async () => {
    const { bot, ops, say } = await open({ allGroupMessages: true });
    await say('just talking to @所有人', { chat: ops });
    expect(bot.requests[0]?.event.event.message).toMatchObject({
      content: '{"text":"just talking to @_all"}',
      mentions: [{ key: '@_all', id: { open_id: '' } }],
    });
  });

  it('is for its members', async () => {
    const { feishu, data, han } = await open();
    const written = feishu.write({ chat: data, from: han, text: 'x', mention: true });
    await expect(written).rejects.toThrow(`${han} is not in a chat ${data}`);
  });
});

describe('the check of the URL', () => {
  it('is encrypted and not signed, and wants its challenge back', async () => {
    const { bot, feishu } = await open();
    bot.answer(({ event }) => ({ body: { challenge: event.challenge } }));
    expect(await feishu.verifyUrl()).toEqual({ kind: 'verified' });
    expect(bot.requests[0]?.headers['x-lark-signature']).toBeUndefined();
    expect(bot.requests[0]?.event).toMatchObject({
      type: 'url_verification',
      token: 'standin-feishu-verification-token',
    });
    bot.answer(() => ({ body: { challenge: 'another' } }));
    expect(await feishu.verifyUrl()).toMatchObject({ kind: 'failed' });
    bot.answer(() => ({ status: 401 }));
    expect(await feishu.verifyUrl()).toEqual({ kind: 'failed', why: 'HTTP 401' });
  });
});

it('tells who watches of every change, until they stop', async () => {
  const { feishu, api, ops, single, say } = await open();
  const seen: string[] = [];
  const stop = feishu.watch((chat) => seen.push(chat));
  await say('hello');
  await api.send(ops, 'text', { text: 'x' });
  stop();
  await api.send(ops, 'text', { text: 'y' });
  expect(seen).toEqual([single, ops]);
});
