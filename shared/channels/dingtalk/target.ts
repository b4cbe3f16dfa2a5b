import { platformKey } from '#domain/ids.ts';
import { type AskView, ChannelError, type Receiver, type Sent } from '#ports/channel.ts';
import { staffIn } from './inert.ts';
import { isOurs } from './normalise.ts';

/** Where a message goes. */
export interface Target {
  readonly space: { readonly group: string } | { readonly staff: string } | undefined;
  /** Costs no call of the API, so it is used as long as it lives. */
  readonly webhook: string | undefined;
}

/** Before its end a `sessionWebhook` is not trusted any more. */
const WEBHOOK_SPARE_MS = 300_000;

export const targetOf = (receiver: Receiver, oapiUrl: string, now: number): Target => {
  if (receiver.kind === 'person')
    return { space: { staff: staffOf(receiver.person) }, webhook: undefined };
  const { chat, group, own = {} } = receiver.to;
  const { webhook, until, staff } = own;
  const alive = Number(until) - WEBHOOK_SPARE_MS > now;
  const usable = typeof webhook === 'string' && alive && isOurs(webhook, oapiUrl);
  const single = typeof staff === 'string' ? { staff } : undefined;
  return { space: group ? { group: chat } : single, webhook: usable ? webhook : undefined };
};

const staffOf = (person: string): string => {
  const staff = staffIn(person);
  if (staff !== undefined) return staff;
  throw new ChannelError(
    `${person} is not a person of DingTalk; an approver is written dingtalk:<userId>`,
    'DINGTALK_NOT_A_PERSON',
    false,
  );
};

/** The ask's own id; each person's copy is a card of its own. */
export const trackOf = ({ ask }: AskView, receiver: Receiver): string =>
  receiver.kind === 'chat' ? ask.id : `${ask.id}-${platformKey(receiver.person).slice(0, 12)}`;

/**
 * The platform gives messages no id that could be used later, so a message is called by its card or its code. Behind it
 * stands who is in a single chat: an update knows the place by nothing else.
 */
export const sentAs = (name: string, receiver: Receiver, time: number): Sent => {
  if (receiver.kind === 'person') return { chat: receiver.person, message: name, time };
  const { chat, group, own } = receiver.to;
  const staff = !group && own?.['staff'];
  return { chat, message: staff ? `${name}@${staff}` : name, time };
};

/** What comes of an ask goes the way the answers of its turn go, if it was shown there: so they keep their order. */
export const sentTo = (
  { chat, message }: Sent,
  turn: Target | undefined,
): { name: string; target: Target } => {
  const [, name = '', single] = /^([^@]*)@?(.*)$/su.exec(message) ?? [];
  const staff = single || staffIn(chat);
  const webhook = turn?.webhook;
  return { name, target: { space: staff ? { staff } : { group: chat }, webhook } };
};
