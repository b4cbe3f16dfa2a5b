import type { ApiAnswer } from '../api-server.ts';
import { isObject, parseJson } from '../json.ts';
import { answerOld, refuse, succeed } from './answers.ts';
import { kindOfKey, readSent, readTemplate } from './content.ts';
import { newId } from './crypto.ts';
import type { ApiCall, Platform } from './platform.ts';
import type { Content } from './state.ts';
import { chatOf, singleChatOf } from './world.ts';

/** Page the-robot-sends-a-group-message. */
const LONGEST_PARAM = 15_000;
/** Page chatbots-send-one-on-one-chat-messages-in-batches. */
const MOST_RECEIVERS = 20;

type Body = Readonly<Record<string, unknown>>;

/** The message a body asks to send, or the refusal. */
const messageIn = ({ secrets }: Platform, body: Body): Content | ApiAnswer => {
  const { robotCode, msgKey, msgParam } = body as { readonly [name: string]: unknown };
  if (typeof robotCode !== 'string' || robotCode === '')
    return refuse('invalidParameter.robotCode.empty');
  if (robotCode !== secrets.robotCode) return refuse('invalidParameter.robotCode.notExsit');
  if (typeof msgKey !== 'string' || msgKey === '') return refuse('invalidParameter.msgKey.empty');
  const kind = kindOfKey(msgKey);
  if (kind === 'unknown') return refuse('invalidParameter.msgKey.invalid');
  if (kind === 'media')
    return refuse('invalidParameter.msg.unsupport', 'the stand-in has no media');
  const param = typeof msgParam === 'string' ? parseJson(msgParam) : undefined;
  if (typeof msgParam !== 'string' || !isObject(param))
    return refuse('invalidParameter.msgParam.invalid');
  if (Buffer.byteLength(msgParam) > LONGEST_PARAM)
    return refuse('invalidParameter.msgParam.tooLong');
  const read = readTemplate(msgKey, param);
  return 'wrong' in read ? refuse('invalidParameter.param.invalid', read.wrong) : read.content;
};

const isRefusal = (found: Content | ApiAnswer): found is ApiAnswer => 'status' in found;

/** `robot/groupMessages/send`. Nothing keeps a repeated call from sending twice. */
export const sendToGroup = (platform: Platform, { body }: ApiCall): ApiAnswer => {
  const id = body['openConversationId'];
  if (typeof id !== 'string' || id === '') return refuse('miss.openConversationId');
  const chat = chatOf(id);
  if (chat?.kind !== 'group') return refuse('invalid.openConversationId');
  const content = messageIn(platform, body);
  if (isRefusal(content)) return content;
  platform.post({ chat: id, from: 'bot', content });
  return succeed({ processQueryKey: newId('') });
};

/** `robot/oToMessages/batchSend`: HTTP 200 also when nobody got it. */
export const sendToPeople = (platform: Platform, { body }: ApiCall): ApiAnswer => {
  const ids = body['userIds'];
  if (!Array.isArray(ids) || ids.length === 0) return refuse('invalidParameter.userIds.empty');
  if (ids.length > MOST_RECEIVERS) return refuse('invalidParameter.userIds.overMax');
  const content = messageIn(platform, body);
  if (isRefusal(content)) return content;
  const chats = ids.map((id) => ({ id: String(id), chat: singleChatOf(String(id)) }));
  const slowed = chats.filter(({ id, chat }) => chat && !platform.limits.mayReach(id));
  for (const one of chats)
    if (one.chat && !slowed.includes(one))
      platform.post({ chat: one.chat.id, from: 'bot', content });
  return succeed({
    processQueryKey: newId(''),
    invalidStaffIdList: chats.filter(({ chat }) => !chat).map(({ id }) => id),
    flowControlledStaffIdList: slowed.map(({ id }) => id),
  });
};

/** `robot/sendBySession` on the old host: no token, only the session. */
export const sendBySession = (
  platform: Platform,
  session: string | null,
  type: string | undefined,
  body: unknown,
): ApiAnswer => {
  if (!type?.startsWith('application/json')) return answerOld(43004);
  const found = platform.state.sessions.get(session ?? '');
  if (!found || found.expiresAt <= platform.now()) return answerOld(300001);
  const read = readSent(body);
  if ('wrong' in read) return answerOld(40035, read.wrong);
  platform.post({ chat: found.chat, from: 'bot', content: read.content });
  return answerOld(0);
};
