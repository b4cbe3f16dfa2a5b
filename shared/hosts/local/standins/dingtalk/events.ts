import { randomUUID } from 'node:crypto';
import type { Outgoing } from '../deliveries.ts';
import type { StandInChat } from '../stand-in.ts';
import type { Card, Message } from './state.ts';
import { BOT, type DingtalkSecrets, PEOPLE, type Person } from './world.ts';

/** What a person sent besides text (page receive-message). */
export interface Attachment {
  readonly msgtype: 'picture' | 'richText' | 'audio' | 'video' | 'file';
  readonly content: Readonly<Record<string, unknown>>;
}

/** What stands in a message: without it, when the organisation has used up its messages (page robot-message-type). */
export type Said = { readonly text: string } | Attachment | 'over-quota';

const OVER_QUOTA = {
  errorCode: 20001,
  errorMessage: '受调用量超量影响，当前我的消息服务已经暂停。请联系你所在的组织管理员并予以处理',
};

/** The bot's name is gone from the text, the space behind it is not. */
const bodyOf = (said: Said, chat: StandInChat) => {
  if (said === 'over-quota') return { msgtype: 'text', ...OVER_QUOTA };
  if ('msgtype' in said) return said;
  return {
    msgtype: 'text',
    text: { content: chat.kind === 'group' ? ` ${said.text}` : said.text },
  };
};

const groupFields = (said: Said, chat: StandInChat) => {
  const named = PEOPLE.filter(
    ({ name }) => said !== 'over-quota' && 'text' in said && said.text.includes(`@${name}`),
  );
  return {
    conversationTitle: chat.name,
    isInAtList: true,
    atUsers: [
      { dingtalkId: BOT.dingtalkId },
      ...named.map(({ dingtalkId, id, unionId }) => ({ dingtalkId, staffId: id, unionId })),
    ],
  };
};

export interface Session {
  readonly url: string;
  readonly expiresAt: number;
}

/** Page receive-message. Answers to a message carry nothing of what they answer. */
export const robotMessage = (
  secrets: DingtalkSecrets,
  { id, at }: Message,
  chat: StandInChat,
  sender: Person,
  said: Said,
  session: Session,
): Outgoing => ({
  id,
  type: 'robotMessage',
  message: id,
  payload: JSON.stringify({
    senderPlatform: 'Mac',
    conversationId: chat.id,
    conversationType: chat.kind === 'single' ? '1' : '2',
    ...(chat.kind === 'group' && groupFields(said, chat)),
    chatbotCorpId: secrets.corpId,
    chatbotUserId: BOT.dingtalkId,
    msgId: id,
    createAt: at,
    senderNick: sender.name,
    isAdmin: sender.admin,
    senderStaffId: sender.id,
    senderId: sender.dingtalkId,
    senderUnionId: sender.unionId,
    senderCorpId: secrets.corpId,
    sessionWebhook: session.url,
    sessionWebhookExpiredTime: session.expiresAt,
    robotCode: secrets.robotCode,
    ...bodyOf(said, chat),
  }),
});

/** Page event-callback-card. `content` is JSON in a string; the id is of the kind the card was made with. */
export const cardCallback = (
  { corpId }: DingtalkSecrets,
  card: Card,
  message: string,
  person: Person,
  used: { readonly actionIds: readonly string[]; readonly params: object },
): Outgoing => ({
  id: randomUUID(),
  type: 'actionCallback',
  message,
  payload: JSON.stringify({
    type: 'actionCallback',
    outTrackId: card.outTrackId,
    corpId,
    userId: card.userIdType === 2 ? person.unionId : person.id,
    content: JSON.stringify({ cardPrivateData: used }),
  }),
});
