import type { ActionCard } from './action-card.ts';

/** One message in both forms the platform takes: to a `sessionWebhook`, and by the API, which can call nobody. */
export interface Message {
  readonly body: object;
  readonly msgKey: string;
  readonly msgParam: object;
}

const at = (called: readonly string[]) =>
  called.length > 0 ? { at: { atUserIds: called, isAtAll: false } } : {};

export const textMessage = (content: string, called: readonly string[]): Message => ({
  body: { msgtype: 'text', text: { content }, ...at(called) },
  msgKey: 'sampleText',
  msgParam: { content },
});

/** Two buttons, side by side. */
export const actionCardMessage = (
  { title, text, buttons }: ActionCard,
  called: readonly string[],
): Message => ({
  body: {
    msgtype: 'actionCard',
    actionCard: {
      title,
      text,
      btnOrientation: '1',
      btns: buttons.map((one) => ({ title: one.title, actionURL: one.url })),
    },
    ...at(called),
  },
  msgKey: 'sampleActionCard6',
  msgParam: {
    title,
    text,
    ...Object.fromEntries(
      buttons.flatMap((one, index) => [
        [`buttonTitle${index + 1}`, one.title],
        [`buttonUrl${index + 1}`, one.url],
      ]),
    ),
  },
});
