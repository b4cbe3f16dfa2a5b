import * as z from 'zod/mini';
import { messageId, personId } from '#domain/ids.ts';
import type { InboundMessage } from '#domain/inbound.ts';
import { buttonIn } from '#domain/reply.ts';
import type { Address } from '#domain/session.ts';
import type { InboundSettings } from './settings.ts';

/** Ids become keys, which hold 1 KB; the platform's are plain letters, digits and signs. */
const id = z.string().check(z.regex(/^[\x21-\x7e]{1,256}$/));
const optionalId = z.nullish(z.string().check(z.maxLength(256)));
const number = z.union([z.string(), z.number()]);

const robotMessage = z.object({
  msgId: id,
  robotCode: id,
  chatbotCorpId: id,
  chatbotUserId: optionalId,
  conversationId: id,
  conversationType: number,
  senderId: optionalId,
  senderStaffId: optionalId,
  isInAtList: z.nullish(z.boolean()),
  createAt: number,
  sessionWebhook: z.nullish(z.string()),
  sessionWebhookExpiredTime: z.nullish(number),
  msgtype: z.nullish(z.string()),
  text: z.nullish(z.object({ content: z.string() })),
  content: z.optional(z.unknown()),
  errorCode: z.nullish(number),
});
type RobotMessage = z.infer<typeof robotMessage>;

const richText = z.object({
  richText: z.array(z.object({ text: z.nullish(z.string()), type: z.nullish(z.string()) })),
});
const file = z.object({ fileName: z.nullish(z.string()) });

type Read =
  | { readonly kind: 'message'; readonly message: InboundMessage }
  | { readonly kind: 'elsewhere'; readonly why: string }
  /** The organisation's quota is used up: the platform held the content back. */
  | { readonly kind: 'held-back' }
  /** Somebody outside the organisation, or anybody before the app was published. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'malformed' };

const QUOTA_USED_UP = '20001';

export const readMessage = (settings: InboundSettings, body: unknown): Read => {
  const parsed = robotMessage.safeParse(body);
  if (!parsed.success) return { kind: 'malformed' };
  const given = parsed.data;
  if (given.robotCode !== settings.robotCode)
    return { kind: 'elsewhere', why: 'for another robot: is DINGTALK_ROBOT_CODE right?' };
  if (given.chatbotCorpId !== settings.corp)
    return { kind: 'elsewhere', why: 'from another organisation: is DINGTALK_CORP_ID right?' };
  if (String(given.errorCode) === QUOTA_USED_UP) return { kind: 'held-back' };
  const said = textOf(given);
  const sentAt = Number(given.createAt);
  const bot = Boolean(given.senderId) && given.senderId === given.chatbotUserId;
  if (said === undefined || !(sentAt > 0)) return { kind: 'malformed' };
  if (!given.senderStaffId && !bot) return { kind: 'nobody' };
  const to = addressOf(settings, given);
  const code = buttonIn(said.text)?.code;
  return {
    kind: 'message',
    message: {
      type: 'message',
      id: messageId(given.msgId),
      from: personId('dingtalk', given.senderStaffId ?? ''),
      bot,
      to,
      ...said,
      sentAt,
      mentions: given.chatbotUserId ? [given.chatbotUserId] : [],
      // In groups only what mentions the robot arrives.
      mentionsSomeBot: to.group && given.isInAtList !== false,
      ...(code !== undefined && { parent: code }),
    },
  };
};

/** What a message says; what is no text is named in brackets. */
const textOf = (
  given: RobotMessage,
): { readonly text: string; readonly unreadable?: true } | undefined => {
  const { msgtype, text, content } = given;
  const said = text?.content ?? (typeof content === 'string' ? content : undefined);
  if (said !== undefined) return { text: said.trim() };
  if (!msgtype || msgtype === 'text') return undefined;
  const rich = richText.safeParse(content);
  if (rich.success) {
    const { richText: parts } = rich.data;
    const said = parts.map((part) => part.text ?? `[${part.type ?? 'part'}]`).join('');
    // A picture that mentions the robot comes as rich text without a word.
    const worded = said.trim() === '' || parts.some((part) => part.text?.trim());
    return { text: said.trim(), ...(!worded && { unreadable: true }) };
  }
  const named = file.safeParse(content);
  const name = named.success && named.data.fileName;
  return { text: name ? `[${msgtype}: ${name}]` : `[${msgtype}]`, unreadable: true };
};

const addressOf = ({ app, oapiUrl }: InboundSettings, given: RobotMessage): Address => {
  const group = String(given.conversationType) !== '1';
  const { sessionWebhook: url, sessionWebhookExpiredTime: until } = given;
  const own = {
    ...(!group && given.senderStaffId && { staff: given.senderStaffId }),
    ...(url && isOurs(url, oapiUrl) && { webhook: url, until: Number(until) || 0 }),
  };
  return {
    channel: 'dingtalk',
    app,
    chat: given.conversationId,
    group,
    ...(Object.keys(own).length > 0 && { own }),
  };
};

/**
 * No signature covers the body: an address anywhere else would have us call whatever a stranger likes, and one of
 * another robot on the same host would have us answer in a stranger's group.
 */
export const isOurs = (url: string, oapiUrl: string): boolean => {
  if (url.length > 2048 || !URL.canParse(url)) return false;
  const { origin, pathname, username, password } = new URL(url);
  const ours = origin === new URL(oapiUrl).origin && pathname === '/robot/sendBySession';
  return ours && username === '' && password === '';
};
