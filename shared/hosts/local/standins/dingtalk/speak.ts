import type { Deliveries } from '../deliveries.ts';
import type { Written } from '../stand-in.ts';
import { newHexId } from './crypto.ts';
import { robotMessage, type Said } from './events.ts';
import type { Platform } from './platform.ts';
import type { Message } from './state.ts';
import { BOT, chatOf, personOf } from './world.ts';

/** In every published sample the session ends 90 minutes after the message. */
const SESSION_LIVES_MS = 5_400_000;
/** Page receive-message: not from a group. */
const NOT_IN_GROUPS = ['audio', 'video', 'file'];

const isHeard = (said: Said): boolean =>
  typeof said !== 'object' || !('msgtype' in said) || !NOT_IN_GROUPS.includes(said.msgtype);

/** Lets people speak: the chat sees it, and the bot if it is for it. `text` is what the chat sees. */
export const createSpeaker =
  (platform: Platform, deliveries: Deliveries, oldHost: string) =>
  (written: Omit<Written, 'text'>, text: string, said: Said): Message => {
    const { secrets, state, limits, now } = platform;
    const { chat: chatId, from, mention, replyTo } = written;
    const chat = chatOf(chatId);
    const sender = personOf(from);
    if (!chat || !sender || !chat.members.includes(from))
      throw new Error(`${from} is not in a chat ${chatId}`);
    if (replyTo !== undefined && state.messages.get(replyTo)?.chat !== chatId)
      throw new Error(`there is no message ${replyTo} in ${chatId}`);
    const called = chat.kind === 'group' && mention;
    const message = platform.post({
      chat: chatId,
      from,
      content: { msgtype: 'text', text: called ? `@${BOT.name} ${text}` : text },
      ...(replyTo !== undefined && { replyTo }),
    });
    if (chat.kind === 'group' && !(called && isHeard(said))) return message;

    const session = newHexId();
    const expiresAt = now() + SESSION_LIVES_MS;
    state.sessions.put(session, { chat: chatId, expiresAt });
    const url = `${oldHost}/robot/sendBySession?session=${session}`;
    const read = limits.mayRead() ? said : 'over-quota';
    deliveries.send(robotMessage(secrets, message, chat, sender, read, { url, expiresAt }));
    return message;
  };
