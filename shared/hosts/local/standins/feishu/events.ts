import type { Outgoing } from '../deliveries.ts';
import { newId } from './crypto.ts';
import type { Mention, Message } from './state.ts';
import { BOT, type Chat, type FeishuSecrets, type Person, personOf, TENANT_KEY } from './world.ts';

const headerOf = (
  { verificationToken, appId }: FeishuSecrets,
  type: string,
  createTime: string,
) => ({
  event_id: newId(''),
  event_type: type,
  create_time: createTime,
  token: verificationToken,
  app_id: appId,
  tenant_key: TENANT_KEY,
});

const idsOf = ({ id, unionId, userId }: Person) => ({
  union_id: unionId,
  user_id: userId,
  open_id: id,
});

/** The bot has no user_id; `@_all` has no id at all. */
const mentionedIds = (openId: string) => {
  const person = personOf(openId);
  if (person) return idsOf(person);
  return { union_id: openId && BOT.unionId, user_id: '', open_id: openId };
};

const mentionOf = ({ key, id, name }: Mention) => ({
  key,
  id: mentionedIds(id),
  mentioned_type: id === BOT.openId ? 'bot' : 'user',
  name,
  tenant_key: TENANT_KEY,
});

export interface Event {
  readonly schema: '2.0';
  readonly header: { readonly event_id: string; readonly event_type: string };
  readonly event: object;
}

/** An event about a message, to be sent. */
export const outgoing = (event: Event, message: string): Outgoing => ({
  id: event.header.event_id,
  type: event.header.event_type,
  message,
  payload: JSON.stringify(event),
});

/** Page message/events/receive: what a person wrote. */
export const messageReceived = (
  secrets: FeishuSecrets,
  message: Message,
  chat: Chat,
  sender: Person,
): Event => {
  const { root, parent, thread, mentions } = message;
  return {
    schema: '2.0',
    header: headerOf(secrets, 'im.message.receive_v1', String(message.at)),
    event: {
      sender: { sender_id: idsOf(sender), sender_type: 'user', tenant_key: TENANT_KEY },
      message: {
        message_id: message.id,
        ...(root && { root_id: root }),
        ...(parent && { parent_id: parent }),
        create_time: String(message.at),
        update_time: String(message.updatedAt ?? message.at),
        chat_id: chat.id,
        ...(thread && { thread_id: thread }),
        chat_type: chat.kind === 'single' ? 'p2p' : 'group',
        message_type: message.type,
        content: message.content,
        ...(mentions.length > 0 && { mentions: mentions.map(mentionOf) }),
        user_agent: 'Mozilla/5.0 (stand-in) Lark/7.50.0 LarkLocale/zh_CN',
      },
    },
  };
};

/** Page card-callback-communication: a person used a card. Its time is in microseconds. */
export const cardUsed = (
  secrets: FeishuSecrets,
  used: {
    readonly message: Message;
    readonly operator: Person;
    readonly token: string;
    readonly action: object;
    readonly at: number;
  },
): Event => ({
  schema: '2.0',
  header: headerOf(secrets, 'card.action.trigger', String(used.at * 1000)),
  event: {
    operator: { tenant_key: TENANT_KEY, ...idsOf(used.operator) },
    token: used.token,
    action: used.action,
    host: 'im_message',
    context: { open_message_id: used.message.id, open_chat_id: used.message.chat },
  },
});
