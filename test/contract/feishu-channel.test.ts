import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { textsIn } from '#domain/texts.ts';
import { startBot } from './channel-bot.ts';
import { feishu, resealed } from './channel-feishu.ts';

/** What only Feishu has: topics, kinds of messages, and errors that its client shows at a click. */

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

type Bot = Awaited<ReturnType<typeof startBot>>;

describe('a topic', () => {
  const writeIn = async (bot: Bot, text: string, replyTo?: string) => {
    bot.clock.advance(1_500);
    const post = await bot.standIn.write({
      chat: bot.chats.group,
      from: bot.people.wang,
      text,
      mention: true,
      inTopic: true,
      ...(replyTo !== undefined && { replyTo }),
    });
    await bot.work();
    return post;
  };

  it('is a session of its own, with its card, its answer and its decision in it', async () => {
    const bot = await startBot(feishu);
    const { group } = bot.chats;
    await bot.write(group, 'in the chat');
    const inChat = bot.cardIn(group);
    const { topic } = await writeIn(bot, 'in the topic');
    expect(topic).toBeTypeOf('string');
    const inTopic = bot.cardIn(group);
    expect([inChat.topic, inTopic.topic]).toEqual([undefined, topic]);

    await bot.press(group, 'confirm', bot.people.wang, inTopic);
    expect(bot.ran).toEqual(['in the topic']);
    const last = bot.botPosts(group).at(-1);
    expect(last).toMatchObject({ topic, content: { text: 'all done' } });
    expect((await bot.sessionOf(group)).id).toMatch(new RegExp(`:${topic}$`));

    await bot.press(group, 'confirm', bot.people.wang, inChat);
    expect(bot.ran).toEqual(['in the topic', 'in the chat']);
    expect(bot.botPosts(group).at(-1)?.topic).toBeUndefined();
  });

  it('takes words for the card that stands in it, and for no other', async () => {
    const bot = await startBot(feishu);
    const { group } = bot.chats;
    const first = await writeIn(bot, 'one');
    const second = await writeIn(bot, 'two');
    expect(second.topic).not.toBe(first.topic);
    await writeIn(bot, '确认', first.id);
    expect(bot.ran).toEqual(['one']);
    await writeIn(bot, '确认', bot.cardIn(group).id);
    expect(bot.ran).toEqual(['one', 'two']);
  });
});

describe('what is no text', () => {
  const { onlyText } = textsIn('zh-CN');
  const open = async () => {
    const bot = await startBot(feishu);
    const { group } = bot.chats;
    await bot.write(group, 'drop it');
    const [genuine] = bot.requests;
    if (!genuine) throw new Error('nothing was delivered');
    let count = 0;
    /** As the platform sends it where the bot hears every message: without a mention, which a picture cannot hold. */
    const sendAs = async (message: object) => {
      bot.clock.advance(1_500);
      count += 1;
      const made = resealed(genuine, (event) => ({
        ...event,
        message: {
          ...event.message,
          message_id: `om_made${count}`,
          create_time: String(bot.clock.now()),
          mentions: undefined,
          ...message,
        },
      }));
      expect(await bot.post(made)).toBe(200);
      await bot.work();
    };
    const said = bot.textsIn(group).length;
    return { ...bot, group, sendAs, told: () => bot.textsIn(group).slice(said) };
  };
  const picture = { message_type: 'image', content: '{"image_key":"img_1"}' };
  const pictureInPost = {
    message_type: 'post',
    content: '{"title":"","content":[[{"tag":"img","image_key":"img_1"}]]}',
  };
  const forwarded = { message_type: 'merge_forward', content: 'Merged and Forwarded Message' };

  it.each([picture, pictureInPost, forwarded])(
    'decides nothing as a reply to a card, and gets the polite answer: $message_type',
    async (message) => {
      const bot = await open();
      await bot.sendAs({ ...message, parent_id: bot.cardIn(bot.group).id });
      expect(bot.told()).toEqual([onlyText]);
      expect((await bot.sessionOf(bot.group)).ask?.state).toBe('open');
      await bot.press(bot.group, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual(['drop it']);
    },
  );

  it('is none of its business where it is not meant for it', async () => {
    const bot = await open();
    for (const message of [picture, forwarded]) await bot.sendAs(message);
    expect(bot.told()).toEqual([]);
  });

  it.each([
    ['audio', '{"file_key":"f","duration":2000}'],
    ['file', '{"file_key":"f","file_name":"a.pdf"}'],
    ['media', '{"file_key":"f","image_key":"i","file_name":"a.mp4"}'],
    ['sticker', '{"file_key":"f"}'],
    ['share_chat', '{"chat_id":"oc_0"}'],
    ['merge_forward', 'Merged and Forwarded Message'],
  ])('gets the polite answer in a single chat: %s', async (message_type, content) => {
    const bot = await open();
    const { single } = bot.chats;
    await bot.sendAs({ message_type, content, chat_type: 'p2p', chat_id: single });
    expect(bot.textsIn(single)).toEqual([onlyText]);
    expect(bot.heard).toHaveLength(1);
  });
});

describe('an error at a click, as people see it', () => {
  /** The bot behind something that answers in its place, after the bot has answered; never, if there is no answer. */
  const answeredFor = async (bot: Bot, answer?: { status: number; body: string }) => {
    const door = createServer(async (incoming, outgoing) => {
      const headers = incoming.headers as Record<string, string>;
      await bot.post({ path: incoming.url ?? '', headers, body: await buffer(incoming) });
      if (answer) outgoing.writeHead(answer.status).end(answer.body);
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    cleanUp.push(() => {
      door.close();
      door.closeAllConnections();
    });
    bot.standIn.setCallbackUrl(
      `http://127.0.0.1:${(door.address() as AddressInfo).port}/webhook/feishu`,
    );
  };
  const open = async () => {
    const bot = await startBot(feishu);
    await bot.write(bot.chats.group, 'drop it');
    const title = () => JSON.stringify(bot.cardIn(bot.chats.group).content).includes('已执行');
    const press = () => bot.press(bot.chats.group, 'confirm', bot.people.wang);
    return { bot, press, isDone: title };
  };
  const badCard = { card: { type: 'raw', data: { schema: '2.0', elements: [] } } };

  it.each([
    [200341, undefined],
    [200671, { status: 502, body: '<html>bad gateway</html>' }],
    [200672, { status: 200, body: '{"toast":"done"}' }],
    [200673, { status: 200, body: JSON.stringify(badCard) }],
  ])('%i: the click has counted, and the card is updated a moment later', async (code, answer) => {
    const { bot, press, isDone } = await open();
    await answeredFor(bot, answer);
    expect((await press()).error).toMatch(new RegExp(`^${code} `));
    expect(bot.ran).toEqual(['drop it']);
    expect(isDone()).toBe(true);
  });

  it.each([
    [200342, 'http://127.0.0.1:1/webhook/feishu'],
    [200343, 'http://no..host/webhook/feishu'],
  ])('%i: the click never came, and can be made again', async (code, address) => {
    const { bot, press, isDone } = await open();
    bot.standIn.setCallbackUrl(address);
    expect((await press()).error).toMatch(new RegExp(`^${code} `));
    expect(bot.ran).toEqual([]);
    await answeredFor(bot, { status: 200, body: '{}' });
    expect(await press()).toEqual({});
    expect(bot.ran).toEqual(['drop it']);
    expect(isDone()).toBe(true);
  });
});
