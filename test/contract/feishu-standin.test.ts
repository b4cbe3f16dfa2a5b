import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adaptDefault, Client, EventDispatcher, LoggerLevel } from '@larksuiteoapi/node-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type FeishuStandInOptions,
  startFeishuStandIn,
} from '#hosts/local/standins/feishu/index.ts';

// The official SDK as the judge: its dispatcher takes what the stand-in sends, its client speaks to the stand-in's API.

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

const silent = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };

/** A bot written with the SDK alone. */
const startBot = async (
  settings: Readonly<Record<string, string>>,
  onCard: (data: Record<string, unknown>) => unknown = () => ({}),
  autoChallenge = true,
) => {
  const events: Record<string, unknown>[] = [];
  const dispatcher = new EventDispatcher({
    encryptKey: settings['FEISHU_ENCRYPT_KEY'] ?? '',
    verificationToken: settings['FEISHU_VERIFICATION_TOKEN'] ?? '',
    logger: silent,
  }).register({
    'im.message.receive_v1': async (data: unknown) => {
      events.push(data as Record<string, unknown>);
      return {};
    },
    'card.action.trigger': async (data: unknown) => {
      events.push(data as Record<string, unknown>);
      return onCard(data as Record<string, unknown>);
    },
  });
  const server = createServer(adaptDefault('/webhook/feishu', dispatcher, { autoChallenge }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { events, url: `http://127.0.0.1:${port}/webhook/feishu` };
};

const startFeishu = async (options: Partial<FeishuStandInOptions> = {}) => {
  const feishu = await startFeishuStandIn(options);
  cleanUp.push(feishu.stop);
  const [wang] = feishu.people;
  const single = feishu.chats.find(({ kind }) => kind === 'single');
  const group = feishu.chats.find(({ kind }) => kind === 'group');
  if (!wang || !single || !group) throw new Error('the stand-in has nobody in it');
  return { feishu, wang, single, group };
};

const clientOf = (settings: Readonly<Record<string, string>>) => {
  // The SDK shares one cache between clients: each stand-in has tokens of its own.
  const kept = new Map<unknown, unknown>();
  return new Client({
    appId: settings['FEISHU_APP_ID'] ?? '',
    appSecret: settings['FEISHU_APP_SECRET'] ?? '',
    domain: settings['FEISHU_BASE_URL'] ?? '',
    logger: silent,
    loggerLevel: LoggerLevel.fatal,
    cache: {
      get: async (key) => kept.get(key),
      set: async (key, value) => Boolean(kept.set(key, value)),
    },
  });
};

const card = (text: string) => ({
  schema: '2.0',
  config: { update_multi: true },
  header: { template: 'orange', title: { tag: 'plain_text', content: 'Approval' } },
  body: {
    elements: [
      { tag: 'markdown', content: text },
      {
        tag: 'button',
        type: 'primary',
        text: { tag: 'plain_text', content: 'Approve' },
        behaviors: [{ type: 'callback', value: { do: 'approve' } }],
      },
    ],
  },
});

describe('the stand-in, to the official SDK', () => {
  it("is verified, and its events are decrypted and their signature accepted by the SDK's dispatcher", async () => {
    const { feishu, wang, single, group } = await startFeishu();
    const bot = await startBot(feishu.environment);
    feishu.setCallbackUrl(bot.url);
    expect(await feishu.verifyUrl()).toEqual({ kind: 'verified' });

    const said = await feishu.write({
      chat: single.id,
      from: wang.id,
      text: '删除 "旧" 记录\n第二行',
      mention: false,
    });
    await feishu.settled();
    await feishu.write({ chat: group.id, from: wang.id, text: '部署 @李雷', mention: true });
    await feishu.settled();

    expect(bot.events).toMatchObject([
      {
        event_type: 'im.message.receive_v1',
        app_id: feishu.environment['FEISHU_APP_ID'],
        sender: { sender_id: { open_id: wang.id }, sender_type: 'user' },
        message: {
          message_id: said.id,
          chat_id: single.id,
          chat_type: 'p2p',
          message_type: 'text',
          content: JSON.stringify({ text: '删除 "旧" 记录\n第二行' }),
        },
      },
      {
        message: {
          chat_type: 'group',
          content: JSON.stringify({ text: '@_user_1 部署 @_user_2' }),
          mentions: [
            { key: '@_user_1', mentioned_type: 'bot', name: 'Countersign' },
            { key: '@_user_2', mentioned_type: 'user', name: '李雷' },
          ],
        },
      },
    ]);
    expect(feishu.deliveries().map(({ tries }) => tries.map(({ status }) => status))).toEqual([
      [200],
      [200],
    ]);
  });

  it('is not believed by the SDK under another Encrypt Key', async () => {
    const { feishu, wang, single } = await startFeishu();
    const other = { ...feishu.environment, FEISHU_ENCRYPT_KEY: 'another' };
    const bot = await startBot(other, undefined, false);
    feishu.setCallbackUrl(bot.url);
    await feishu.write({ chat: single.id, from: wang.id, text: 'hi', mention: false });
    await feishu.settled();
    expect(feishu.deliveries()).toHaveLength(1);
    expect(bot.events).toEqual([]);
  });

  it("takes the SDK client's token, messages, replies, updates, reactions and reads", async () => {
    const { feishu, wang, single, group } = await startFeishu();
    const client = clientOf(feishu.environment);
    const { im } = client;

    const text = await im.message.create({
      params: { receive_id_type: 'open_id' },
      data: { receive_id: wang.id, msg_type: 'text', content: '{"text":"你好"}', uuid: 'u1' },
    });
    expect(text).toMatchObject({ code: 0, data: { chat_id: single.id, msg_type: 'text' } });
    const messageId = text.data?.message_id ?? '';

    const again = await im.message.create({
      params: { receive_id_type: 'open_id' },
      data: { receive_id: wang.id, msg_type: 'text', content: '{"text":"你好"}', uuid: 'u1' },
    });
    expect(again.data?.message_id).toBe(messageId);

    const asked = await im.message.reply({
      path: { message_id: messageId },
      data: { msg_type: 'interactive', content: JSON.stringify(card('**删除 3 行?**')) },
    });
    expect(asked).toMatchObject({ code: 0, data: { parent_id: messageId, root_id: messageId } });
    const cardId = asked.data?.message_id ?? '';

    await im.message.patch({
      path: { message_id: cardId },
      data: { content: JSON.stringify(card('已同意')) },
    });
    await im.message.update({
      path: { message_id: messageId },
      data: { msg_type: 'text', content: '{"text":"再见"}' },
    });
    const reaction = await im.messageReaction.create({
      path: { message_id: messageId },
      data: { reaction_type: { emoji_type: 'OnIt' } },
    });
    const read = await im.message.get({ path: { message_id: messageId } });
    expect(read.data?.items).toMatchObject([
      { updated: true, body: { content: '{"text":"再见"}' } },
    ]);

    expect(feishu.posts(single.id)).toMatchObject([
      { id: messageId, content: { kind: 'text', text: '再见' }, reactions: ['OnIt'] },
      { id: cardId, from: 'bot', replyTo: messageId, content: { card: card('已同意') } },
    ]);
    await im.messageReaction.delete({
      path: { message_id: messageId, reaction_id: reaction.data?.reaction_id ?? '' },
    });
    expect(feishu.posts(single.id)[0]?.reactions).toEqual([]);

    const info = await client.request({ method: 'GET', url: '/open-apis/bot/v3/info' });
    expect(info).toMatchObject({ code: 0, bot: { app_name: 'Countersign', activate_status: 2 } });
    expect(feishu.posts(group.id)).toEqual([]);
  });

  it("shows the card that the SDK's dispatcher answers a click with, to everybody", async () => {
    const { feishu, wang, group } = await startFeishu();
    const bot = await startBot(feishu.environment, () => ({
      toast: { type: 'success', content: 'Approved', i18n: { zh_cn: '已同意' } },
      card: { type: 'raw', data: card('decided') },
    }));
    feishu.setCallbackUrl(bot.url);
    const client = clientOf(feishu.environment);
    const asked = await client.im.message.create({
      params: { receive_id_type: 'chat_id' },
      data: { receive_id: group.id, msg_type: 'interactive', content: JSON.stringify(card('ask')) },
    });
    const message = asked.data?.message_id ?? '';

    const shown = await feishu.click({ message, by: wang.id, value: { do: 'approve' } });

    expect(shown).toEqual({ toast: { type: 'success', content: '已同意' } });
    expect(feishu.posts(group.id)).toMatchObject([{ content: { card: card('decided') } }]);
    expect(bot.events).toMatchObject([
      {
        event_type: 'card.action.trigger',
        operator: { open_id: wang.id },
        action: { tag: 'button', value: { do: 'approve' } },
        context: { open_message_id: message, open_chat_id: group.id },
      },
    ]);
    const { token } = bot.events[0] as { token: string };
    expect(
      await client.request({
        method: 'POST',
        url: '/open-apis/interactive/v1/card/update',
        data: { token, card: card('later') },
      }),
    ).toMatchObject({ code: 0 });
    expect(feishu.posts(group.id)).toMatchObject([{ content: { card: card('later') } }]);
  });
});
