import { cardTextsIn } from '#domain/card-texts.ts';
import type { Webhook, WebhookAnswer, WebhookSetup } from '#ports/channel.ts';
import { renderCard } from './card.ts';
import { readClick } from './click.ts';
import { readMessage } from './normalise.ts';
import { inboundSettings } from './settings.ts';
import { dingtalkTextsIn } from './texts.ts';
import { verify } from './verify.ts';

type Received = Awaited<ReturnType<Webhook['receive']>>;

const answered = (status: number, body: unknown = {}): Received => ({
  kind: 'answered',
  answer: { status, body },
});
/** The platform shows what stands in the answer to a message; it costs no call. */
const said = (content: string): Received => answered(200, { msgtype: 'text', text: { content } });

/** `shown` is for everybody, `notice` only for who clicked: the platform has no toast in an answer. */
const cardAnswer = (notice: string, shown?: Readonly<Record<string, string>>) => ({
  cardUpdateOptions: { updateCardDataByKey: true, updatePrivateDataByKey: true },
  ...(shown && { cardData: { cardParamMap: shown } }),
  userPrivateData: { cardParamMap: { notice } },
});

/** DingTalk, inward. Every request that starts nothing leaves one line that says why. */
export const createDingtalkWebhook = ({
  environment,
  language,
  log,
}: WebhookSetup): Omit<Webhook, 'name'> => {
  const settings = inboundSettings(environment);
  const texts = dingtalkTextsIn(language);

  const refused = (status: number, why: string): Received => {
    log.warn('dingtalk-refused', { status, why });
    return answered(status);
  };
  const ignored = (why: string, answer: Received = answered(200)): Received => {
    log.info('dingtalk-ignored', { why });
    return answer;
  };

  const receiveMessage = (body: unknown): Received => {
    const read = readMessage(settings, body);
    switch (read.kind) {
      case 'message':
        return { kind: 'received', inbound: [read.message] };
      case 'elsewhere':
        return ignored(read.why);
      case 'nobody':
        return ignored(
          'a sender without senderStaffId: not of the organisation, or the app is not published',
          said(texts.unknownPerson),
        );
      case 'held-back':
        log.error('dingtalk-quota', {
          why: 'the monthly quota of robot messages is used up: content is held back',
          todo: 'buy more, or wait for the next month',
        });
        return said(texts.quotaUsedUp);
      case 'malformed':
        return refused(400, 'the message has not the documented shape');
      default:
        return read satisfies never;
    }
  };

  const receiveClick = (body: unknown): Received => {
    const click = readClick(settings, body, cardTextsIn(language));
    switch (click.kind) {
      case 'decision':
        return { kind: 'received', inbound: [click.decision] };
      case 'incomplete':
        return ignored('a click with nothing filled in', answered(200, cardAnswer(click.text)));
      case 'not-ours':
        return ignored(click.why);
      case 'malformed':
        return refused(400, 'the click has not the documented shape');
      default:
        return click satisfies never;
    }
  };

  return {
    receive: async (request, now) => {
      const verified = verify(request, settings, now);
      if (verified.kind === 'rejected') return refused(verified.status, verified.why);
      return verified.kind === 'card' ? receiveClick(verified.body) : receiveMessage(verified.body);
    },
    answer: ([outcome]): WebhookAnswer => {
      if (!outcome) return { status: 200, body: { msgtype: 'empty' } };
      // A click that lost gets words only: the card is for those who may still decide.
      const view = outcome.kind === 'claimed' ? outcome.view : undefined;
      const shown = view && renderCard(view, 'elsewhere').params;
      return { status: 200, body: cardAnswer(outcome.text, shown) };
    },
  };
};
