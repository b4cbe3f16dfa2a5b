import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dingtalk as dingtalkChannel } from '#channels/dingtalk/index.ts';
import { startDingtalkStandIn } from '#hosts/local/standins/dingtalk/index.ts';
import { BOT } from '#hosts/local/standins/dingtalk/world.ts';
import { newId } from '#hosts/local/standins/feishu/crypto.ts';
import type { Post } from '#hosts/local/standins/stand-in.ts';
import type { WebhookRequest } from '#ports/channel.ts';
import { describeChannel } from './channel.suite.ts';
import { type ChannelUnderTest, cardOf, startBot, withHeader } from './channel-bot.ts';
import { feishu } from './channel-feishu.ts';

const ALWAYS = 1_000;
interface ActionCard {
  readonly actionCard: {
    readonly btns: readonly { readonly title: string; readonly actionURL: string }[];
  };
}
const SESSION = '/robot/sendBySession';

const privateNotice = (posts: readonly Post[], card: string, by: string): string => {
  const shown = cardOf(posts.find(({ id }) => id === card) as Post);
  const { privateData } = shown as { privateData: Record<string, { notice?: string }> };
  return privateData[by]?.notice ?? '';
};
const lastText = (posts: readonly Post[]): string => {
  const content = posts.at(-1)?.content;
  return content?.kind === 'text' ? content.text : '';
};

/** The signature does not cover the body. */
const rewritten = (request: WebhookRequest, change: object): WebhookRequest => {
  const body = JSON.parse(String(Buffer.from(request.body)));
  const fresh = { ...body, msgId: newId('msg'), createAt: Date.UTC(2030, 0), ...change };
  return { ...request, body: Buffer.from(JSON.stringify(fresh)) };
};

const dingtalk = (cards: 'interactive' | 'action'): ChannelUnderTest => ({
  definition: dingtalkChannel,
  buttons: cards === 'interactive' ? 'call' : 'write',
  forms: cards === 'interactive' ? ['modify'] : [],
  windowMs: 3_600_000,
  forgeries: (request) => [
    withHeader(request, 'sign', undefined),
    withHeader(request, 'sign', 'A'.repeat(43)),
    withHeader(request, 'timestamp', '1'),
    { ...request, path: '/webhook/dingtalk/guessed' },
    { ...request, path: `${request.path}/card` },
  ],
  remade: (request, as) =>
    rewritten(
      request,
      as === 'picture'
        ? { msgtype: 'picture', text: undefined, content: { downloadCode: 'c' } }
        : { senderId: BOT.dingtalkId, senderStaffId: '', text: { content: as.botSays } },
    ),
  start: async (now) => {
    const standIn = await startDingtalkStandIn({ now, cards });
    return {
      standIn,
      submit: (card, name, feedback, by) =>
        standIn.click({ message: card.id, by, value: undefined, name, form: { feedback } }),
      toldWhy: (card, by) =>
        cards === 'interactive'
          ? privateNotice(standIn.posts(card.chat), card.id, by)
          : lastText(standIn.posts(card.chat)),
      press: (card, decision, by) => {
        const shown = cardOf(card);
        if (cards === 'interactive')
          return standIn.click({ message: card.id, by, value: undefined, name: decision });
        const { btns } = (shown as ActionCard).actionCard;
        const value = btns[decision === 'confirm' ? 0 : 1]?.actionURL;
        return standIn.click({ message: card.id, by, value });
      },
      limitNext: () => standIn.fail({ path: SESSION, code: 90018, times: 1 }),
      refuseCards: () => {
        standIn.fail({ path: '/v1.0/card', code: 'param.templateUnpublished', times: ALWAYS });
        // The next message is the action card, which is not taken either, one way or the other.
        standIn.fail({ path: SESSION, code: 40035, times: 1 });
        standIn.fail({ path: '/v1.0/robot', code: 'invalidParameter.param.invalid', times: 1 });
      },
      refuseAll: () => {
        standIn.fail({ path: SESSION, code: 300001, times: ALWAYS });
        for (const path of ['/v1.0/robot', '/v1.0/card'])
          standIn.fail({ path, code: 'bot.stopped', times: ALWAYS });
      },
    };
  },
});

describeChannel('feishu', feishu);
describeChannel('dingtalk, with a card template', dingtalk('interactive'));
describeChannel('dingtalk, without one', dingtalk('action'));

/** Calls that count for the month: all of the API but for its token; a sessionWebhook is another host. */
const countCalls = () => {
  const called: string[] = [];
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((...request) => {
    called.push(String(request[0]));
    return elsewhere(...request);
  });
  onTestFinished(() => spy.mockRestore());
  return (api: string) =>
    called.filter((url) => url.startsWith(api) && !url.includes('/oauth2/')).length;
};
const elsewhere = globalThis.fetch;

it('an interactive card in a group calls the person who may decide', async () => {
  const bot = await startBot(dingtalk('interactive'));
  await bot.write(bot.chats.group, 'drop it');
  expect(cardOf(bot.cardIn(bot.chats.group))).toMatchObject({ called: [bot.people.wang] });
  await bot.write(bot.chats.single, 'drop it');
  expect(cardOf(bot.cardIn(bot.chats.single))).toMatchObject({ called: [] });
});

// The numbers of the guide's first table.
describe('a whole turn on DingTalk costs so many calls of the month', () => {
  it.each([
    ['action', 'by a button', 0],
    ['action', 'in words', 0],
    ['interactive', 'by a button', 2],
    ['interactive', 'in words', 3],
  ] as const)('with %s cards, confirmed %s: %i', async (cards, how, calls) => {
    const counted = countCalls();
    const bot = await startBot(dingtalk(cards));
    const { group } = bot.chats;
    await bot.write(group, 'drop it');
    if (how === 'in words') await bot.write(group, '确认');
    else await bot.press(group, 'confirm', bot.people.wang);
    expect(bot.textsIn(group).at(-1)).toBe('all done');
    expect(counted(bot.standIn.endpoint)).toBe(calls);
  });

  it('with an answer alone: none', async () => {
    const counted = countCalls();
    const bot = await startBot(dingtalk('interactive'));
    await bot.write(bot.chats.single, 'say hi');
    expect(bot.textsIn(bot.chats.single)).not.toEqual([]);
    expect(counted(bot.standIn.endpoint)).toBe(0);
  });
});
