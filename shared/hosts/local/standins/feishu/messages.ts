import * as z from 'zod/mini';
import { isObject, parseJson } from '../json.ts';
import { type Answer, refuse, refuseFields, refuseWith, succeed } from './answers.ts';
import { faultOfCard, isMessageType, isV2, refuseCard, refuseContent, tooLong } from './content.ts';
import { newId } from './crypto.ts';
import type { ApiCall, Platform } from './platform.ts';
import { type Message, UUID_HOLDS_MS } from './state.ts';
import { CHATS, type Chat, chatOf, PEOPLE, TENANT_KEY } from './world.ts';

const DAY = 86_400_000;
/** Page message/patch; cards of JSON 2.0 can be used as long. */
export const CARD_LIVES_MS = 14 * DAY;
/** Page message/update. */
const MOST_EDITS = 20;

const uuid = z.optional(z.string().check(z.maxLength(50)));
const contentSchema = z.object({ msg_type: z.string(), content: z.string(), uuid });
const sendSchema = z.extend(contentSchema, { receive_id: z.string() });
const replySchema = z.extend(contentSchema, { reply_in_thread: z.optional(z.boolean()) });
const patchSchema = z.object({ content: z.string() });

/** The body by its schema, or the refusal that names the fields. */
export const readBody = <T>(
  schema: z.core.$ZodType<T>,
  body: unknown,
): { readonly data: T } | { readonly refusal: Answer } => {
  const parsed = z.safeParse(schema, body);
  if (parsed.success) return { data: parsed.data };
  const violations = parsed.error.issues.map(({ path, message }) => ({
    field: path.join('.'),
    description: message,
  }));
  return { refusal: refuseFields(violations) };
};

/** A message as the API shows it. */
const toWire = ({ secrets }: Platform, message: Message) => {
  const { from, root, parent, thread } = message;
  const sender =
    from === 'bot'
      ? { id: secrets.appId, id_type: 'app_id', sender_type: 'app' }
      : { id: from, id_type: 'open_id', sender_type: 'user' };
  return {
    message_id: message.id,
    ...(root && { root_id: root }),
    ...(parent && { parent_id: parent }),
    ...(thread && { thread_id: thread }),
    msg_type: message.type,
    create_time: String(message.at),
    update_time: String(message.updatedAt ?? message.at),
    deleted: message.recalled === true,
    updated: message.updatedAt !== undefined,
    chat_id: message.chat,
    sender: { ...sender, tenant_key: TENANT_KEY },
    body: { content: message.recalled ? 'This message was recalled' : message.content },
    ...(message.mentions.length > 0 && {
      mentions: message.mentions.map(({ key, id, name }) => ({
        key,
        id,
        id_type: 'open_id',
        name,
        tenant_key: TENANT_KEY,
      })),
    }),
  };
};

interface Sending {
  readonly api: 'send' | 'reply';
  readonly chat: Chat;
  readonly bytes: number;
  readonly body: z.infer<typeof contentSchema>;
  readonly place?: Pick<Message, 'root' | 'parent' | 'thread'>;
}

const post = (platform: Platform, { api, chat, bytes, body, place }: Sending): Answer => {
  const { state, limits, now } = platform;
  const { msg_type: type, content } = body;
  if (!isMessageType(type)) return refuse(230001, `msg_type ${type} is not known to the stand-in`);
  // Page message/create: at most one message for a uuid within an hour; live tenants answer with the first one.
  const key = body.uuid && `${api}:${body.uuid}`;
  const sent = key ? state.uuids.get(key) : undefined;
  const first = sent && now() - sent.at < UUID_HOLDS_MS && state.messages.get(sent.message);
  if (first) return succeed(toWire(platform, first));
  const refusal =
    tooLong(type, bytes) ?? refuseContent(type, content, chat) ?? limits.ofChat(chat.id);
  if (refusal) return refusal;

  const id = newId('om_');
  const bare = { id, chat: chat.id, from: 'bot', type, content, at: now() };
  const message: Message = { ...bare, edits: 0, mentions: [], reactions: [], ...place };
  state.messages.put(id, message);
  if (key) state.uuids.put(key, { message: id, at: now() });
  platform.changed(chat.id);
  return succeed(toWire(platform, message));
};

const RECEIVERS = ['chat_id', 'open_id', 'union_id', 'user_id', 'email'];

const receiverOf = (type: string, id: string): Chat | Answer => {
  if (!RECEIVERS.includes(type))
    return refuseFields([{ field: 'receive_id_type', description: 'receive_id_type is required' }]);
  if (type === 'chat_id') {
    if (!/^oc_\w+$/.test(id)) return refuse(230001, 'invalid receive_id');
    return chatOf(id) ?? refuse(230002);
  }
  const key = ({ open_id: 'id', union_id: 'unionId', user_id: 'userId' } as const)[type];
  const person = key && PEOPLE.find((one) => one[key] === id);
  const found = CHATS.find(({ kind, members }) => kind === 'single' && members[0] === person?.id);
  return person && found ? found : refuseWith(99992351, `these open ids not existed: [${id}]`);
};

export const send = (platform: Platform, { query, body, bytes }: ApiCall): Answer => {
  const read = readBody(sendSchema, body);
  if ('refusal' in read) return read.refusal;
  const chat = receiverOf(query.get('receive_id_type') ?? '', read.data.receive_id);
  return 'status' in chat ? chat : post(platform, { api: 'send', chat, bytes, body: read.data });
};

/** A message that still stands, or the refusal. */
const standing = ({ state }: Platform, id: string): Message | Answer => {
  const message = state.messages.get(id);
  if (!message) return refuseWith(99992354, `these ids not existed: [${id}]`);
  return message.recalled ? refuse(230011) : message;
};

export const reply = (platform: Platform, { body, bytes }: ApiCall, id: string): Answer => {
  const read = readBody(replySchema, body);
  if ('refusal' in read) return read.refusal;
  const parent = standing(platform, id);
  if ('status' in parent) return parent;
  const chat = chatOf(parent.chat);
  if (!chat) return refuse(230002);
  const inThread = read.data.reply_in_thread === true;
  if (inThread && !chat.topics)
    return refuseWith(
      230071,
      'The group to which the message belongs does not support reply in thread.',
    );
  const thread = parent.thread ?? (inThread ? newId('omt_') : undefined);
  const place = { root: parent.root ?? id, parent: id, ...(thread && { thread }) };
  return post(platform, { api: 'reply', chat, bytes, body: read.data, place });
};

const isShared = (card: unknown) =>
  isObject(card) && isObject(card['config']) && card['config']['update_multi'] === true;

const V2_TO_V1 = {
  errCode: 200830,
  errMsg: 'a card of schema V2 cannot be updated to schema V1',
  path: 'ROOT',
  value: 'schema',
};

/** Updates a card by its message. */
export const patch = (platform: Platform, { body, bytes }: ApiCall, id: string): Answer => {
  const read = readBody(patchSchema, body);
  if ('refusal' in read) return read.refusal;
  const message = standing(platform, id);
  if ('status' in message) return message;
  const chat = chatOf(message.chat);
  if (message.from !== 'bot' || !chat) return refuse(230001, 'The message is NOT sent by this app');
  if (message.type !== 'interactive') return refuse(230001, 'This message is NOT a card');
  if (platform.now() - message.at > CARD_LIVES_MS) return refuse(230031);
  const [old, card] = [parseJson(message.content), parseJson(read.data.content)];
  if (isV2(old) && isObject(card) && !isV2(card)) return refuseCard(V2_TO_V1);
  const refusal =
    tooLong('interactive', bytes) ?? refuseContent('interactive', read.data.content, chat);
  if (refusal) return refusal;
  // Page message/patch: "write out update_multi: true in the card before and after".
  if (!isShared(old) || !isShared(card))
    return refuseCard({
      ...V2_TO_V1,
      errCode: 300302,
      errMsg: 'update_multi property is false',
      value: 'update_multi',
    });
  const tooOften = platform.limits.ofMessage(id);
  if (tooOften) return tooOften;
  platform.cards.replace(message, card);
  return succeed({});
};

/** Edits a text or a post. */
export const edit = (platform: Platform, { body, bytes }: ApiCall, id: string): Answer => {
  const read = readBody(contentSchema, body);
  if ('refusal' in read) return read.refusal;
  const { msg_type: type, content } = read.data;
  const message = standing(platform, id);
  if ('status' in message) return message;
  const chat = chatOf(message.chat);
  if (message.from !== 'bot' || !chat) return refuse(230071);
  if (message.type === 'interactive') return refuse(230054);
  if (type !== 'text' && type !== 'post')
    return refuse(230001, 'msg_type is neither text nor post');
  if (message.edits >= MOST_EDITS) return refuse(230072);
  const refusal =
    tooLong(type, bytes) ?? refuseContent(type, content, chat) ?? platform.limits.ofMessage(id);
  if (refusal) return refusal;
  const changed: Message = {
    ...message,
    type,
    content,
    edits: message.edits + 1,
    updatedAt: platform.now(),
  };
  platform.state.messages.put(id, changed);
  platform.changed(message.chat);
  return succeed(toWire(platform, changed));
};

export const get = (platform: Platform, _: ApiCall, id: string): Answer => {
  const message = platform.state.messages.get(id);
  if (!message) return refuseWith(99992354, `these ids not existed: [${id}]`);
  return succeed({ items: [toWire(platform, message)] });
};

/** Why the card of a message cannot become this one, where no message API is in between. */
export const faultOfUpdate = (message: Message, card: unknown) => {
  const chat = chatOf(message.chat);
  if (isV2(parseJson(message.content)) && !isV2(card)) return V2_TO_V1;
  return chat && faultOfCard(card, chat);
};
