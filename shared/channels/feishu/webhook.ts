import { cardTextsIn } from '#domain/card-texts.ts';
import type { Webhook, WebhookAnswer, WebhookSetup } from '#ports/channel.ts';
import { readClick } from './click.ts';
import { envelope, readMessage } from './normalise.ts';
import { renderCard } from './render.ts';
import { inboundSettings } from './settings.ts';
import { verify } from './verify.ts';

type Received = Awaited<ReturnType<Webhook['receive']>>;

const answered = (status: number, body: unknown = {}): Received => ({
  kind: 'answered',
  answer: { status, body },
});
const toast = (type: 'success' | 'warning', content: string) => ({ toast: { type, content } });

/** Feishu and Lark, inward. Every request that starts nothing leaves one line that says why. */
export const createFeishuWebhook = ({
  environment,
  language,
  log,
}: WebhookSetup): Omit<Webhook, 'name'> => {
  const settings = inboundSettings(environment);
  const texts = cardTextsIn(language);
  if (settings.encryptKeys.length === 0)
    log.warn('feishu-unsealed', {
      why: 'FEISHU_ENCRYPT_KEY is empty: only the token guards the bot',
    });

  const refused = (status: number, why: string): Received => {
    log.warn('feishu-refused', { status, why });
    return answered(status);
  };
  const ignored = (why: string, type?: string): Received => {
    log.info('feishu-ignored', { why, type: type?.slice(0, 100) });
    return answered(200);
  };

  const read = (body: unknown): Received => {
    const parsed = envelope.safeParse(body);
    if (!parsed.success)
      return (body as { readonly type?: unknown }).type === 'event_callback'
        ? ignored('an event of version 1.0: subscribe to version 2.0')
        : refused(400, 'the envelope has not the documented shape');
    const { header, event } = parsed.data;
    if (header.app_id !== settings.app) return ignored('for another app', header.event_type);
    switch (header.event_type) {
      case 'im.message.receive_v1': {
        const message = readMessage(header.app_id, event);
        return message
          ? { kind: 'received', inbound: [message] }
          : refused(400, 'the message has not the documented shape');
      }
      case 'card.action.trigger': {
        const click = readClick(header.app_id, event, header.event_id, texts);
        if (click.kind === 'decision') return { kind: 'received', inbound: [click.decision] };
        if (click.kind === 'incomplete') {
          log.info('feishu-ignored', {
            why: 'a form with nothing in it, or a card out of its chat',
          });
          return answered(200, toast('warning', click.text));
        }
        return click.kind === 'malformed'
          ? refused(400, 'the click has not the documented shape')
          : ignored('a button that is not ours', header.event_type);
      }
      default:
        return ignored('an event nobody asked for', header.event_type);
    }
  };

  return {
    receive: async (request) => {
      const verified = verify(request, settings);
      if (verified.kind === 'rejected') return refused(verified.status, verified.why);
      if (verified.kind === 'handshake') return answered(200, { challenge: verified.challenge });
      return read(verified.body);
    },
    answer: ([outcome]): WebhookAnswer => {
      if (!outcome) return { status: 200, body: {} };
      // A click that lost gets words only: the card is for those who may still decide.
      if (outcome.kind === 'refused') return { status: 200, body: toast('warning', outcome.text) };
      const rendered = outcome.view && renderCard(outcome.view, 'elsewhere');
      return {
        status: 200,
        body: {
          ...toast('success', outcome.text),
          ...(rendered && { card: { type: 'raw', data: rendered.card } }),
        },
      };
    },
  };
};
