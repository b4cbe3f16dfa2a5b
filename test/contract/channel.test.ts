import { dingtalk as dingtalkChannel } from '#channels/dingtalk/index.ts';
import { feishu as feishuChannel } from '#channels/feishu/index.ts';
import { startDingtalkStandIn } from '#hosts/local/standins/dingtalk/index.ts';
import { startFeishuStandIn } from '#hosts/local/standins/feishu/index.ts';
import type { Post } from '#hosts/local/standins/stand-in.ts';
import type { WebhookRequest } from '#ports/channel.ts';
import { type ChannelUnderTest, describeChannel } from './channel.suite.ts';

const ALWAYS = 1_000;
const withHeader = (request: WebhookRequest, name: string, value: string | undefined) => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});
const cardOf = ({ content }: Post): unknown => (content.kind === 'card' ? content.card : undefined);

interface Button {
  readonly name: string;
  readonly behaviors: readonly [{ readonly value: { readonly d: string } }];
}
/** Every button anywhere in a card. */
const buttonsIn = (card: unknown): readonly Button[] => {
  if (typeof card !== 'object' || card === null) return [];
  const own = (card as { readonly tag?: string }).tag === 'button' ? [card as Button] : [];
  return [...own, ...Object.values(card).flatMap(buttonsIn)];
};

/** On a card that was updated the buttons are gone; a screen that is behind still has them. */
const remembered = new Map<string, readonly Button[]>();

const feishu: ChannelUnderTest = {
  definition: feishuChannel,
  forgeries: (request) => [
    withHeader(request, 'x-lark-signature', undefined),
    withHeader(request, 'x-lark-signature', '0'.repeat(64)),
    withHeader(request, 'x-lark-request-nonce', 'another'),
    { ...request, body: Buffer.from('{"schema":"2.0"}') },
    { ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) },
  ],
  start: async (now) => {
    const standIn = await startFeishuStandIn({ now });
    standIn.watch((chat) => {
      for (const post of standIn.posts(chat)) {
        const buttons = buttonsIn(cardOf(post));
        if (buttons.length > 0) remembered.set(post.id, buttons);
      }
    });
    return {
      standIn,
      handshake: async () => (await standIn.verifyUrl()).kind === 'verified',
      press: (card, decision, by) => {
        const button = remembered
          .get(card.id)
          ?.find(({ behaviors: [{ value }] }) => value.d === decision);
        if (!button) throw new Error(`${card.id} has no button ${decision}`);
        const { name, behaviors } = button;
        return standIn.click({ message: card.id, by, name, value: behaviors[0].value });
      },
      limitNext: () =>
        standIn.fail({
          path: '/open-apis/im/v1/messages',
          code: 99991400,
          status: 429,
          headers: { 'x-ogw-ratelimit-reset': '1' },
          times: 1,
        }),
      // The sign of life on a message is the first call on that path; the card is the second.
      refuseCards: () => {
        standIn.fail({ path: '/open-apis/im/v1/messages', times: 1 });
        standIn.fail({ path: '/open-apis/im/v1/messages', code: 230099, times: 1 });
      },
      refuseAll: () =>
        standIn.fail({ path: '/open-apis/im/v1/messages', code: 230002, times: ALWAYS }),
    };
  },
};

interface ActionCard {
  readonly actionCard: {
    readonly btns: readonly { readonly title: string; readonly actionURL: string }[];
  };
}
const SESSION = '/robot/sendBySession';

const dingtalk = (cards: 'interactive' | 'action'): ChannelUnderTest => ({
  definition: dingtalkChannel,
  windowMs: 3_600_000,
  forgeries: (request) => [
    withHeader(request, 'sign', undefined),
    withHeader(request, 'sign', 'A'.repeat(43)),
    withHeader(request, 'timestamp', '1'),
    { ...request, path: '/webhook/dingtalk/guessed' },
    { ...request, path: `${request.path}/card` },
  ],
  start: async (now) => {
    const standIn = await startDingtalkStandIn({ now, cards });
    return {
      standIn,
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
        // The next message is the action card, which is not taken either.
        standIn.fail({ path: SESSION, code: 40035, times: 1 });
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
