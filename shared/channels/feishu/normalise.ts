import * as z from 'zod/mini';
import { messageId, personId } from '#domain/ids.ts';
import type { InboundMessage } from '#domain/inbound.ts';
import { mention, readContent } from './message-text.ts';

/** Ids become keys, which hold 1 KB; the platform's are plain letters, digits and signs. */
const id = z.string().check(z.regex(/^[\x21-\x7e]{1,256}$/));
const optionalId = z.nullish(z.string().check(z.maxLength(256)));

export const envelope = z.object({
  header: z.object({ event_id: id, event_type: z.string(), app_id: id }),
  event: z.unknown(),
});

const messageEvent = z.object({
  sender: z.object({
    sender_id: z.nullish(z.object({ open_id: optionalId })),
    sender_type: z.string(),
  }),
  message: z.object({
    message_id: id,
    chat_id: id,
    thread_id: optionalId,
    parent_id: optionalId,
    chat_type: z.string(),
    message_type: z.string(),
    create_time: z.union([z.string(), z.number()]),
    content: z.string(),
    mentions: z.nullish(z.array(mention)),
  }),
});

/** `undefined` for what has not the documented shape. The bot's own mention is taken out of the text, others become names. */
export const readMessage = (app: string, event: unknown): InboundMessage | undefined => {
  const parsed = messageEvent.safeParse(event);
  if (!parsed.success) return undefined;
  const { sender, message } = parsed.data;
  const mentions = message.mentions ?? [];
  const said = readContent(message.message_type, message.content, mentions);
  const sentAt = millisecondsOf(message.create_time);
  const from = sender.sender_id?.open_id ?? '';
  const bot = sender.sender_type !== 'user';
  if (said === undefined || sentAt === undefined || (from === '' && !bot)) return undefined;
  return {
    type: 'message',
    id: messageId(message.message_id),
    from: personId('feishu', from),
    bot,
    to: {
      channel: 'feishu',
      app,
      chat: message.chat_id,
      ...(message.thread_id && { thread: message.thread_id }),
      replyTo: message.message_id,
      group: message.chat_type !== 'p2p',
    },
    text: said.text,
    ...(said.unreadable && { unreadable: true }),
    sentAt,
    mentions: mentions.map((one) => one.id?.open_id ?? '').filter((one) => one !== ''),
    ...(said.mentionNames.length > 0 && { mentionNames: said.mentionNames }),
    mentionsSomeBot: mentions.some((one) => one.mentioned_type === 'bot'),
    ...(message.parent_id && { parent: message.parent_id }),
  };
};

/** The platform writes seconds, milliseconds and microseconds on different pages; they differ in size. */
const millisecondsOf = (time: string | number): number | undefined => {
  const value = Number(time);
  if (!Number.isFinite(value) || value <= 0) return undefined;
  if (value < 1e11) return value * 1000;
  return value < 1e14 ? value : Math.floor(value / 1000);
};
