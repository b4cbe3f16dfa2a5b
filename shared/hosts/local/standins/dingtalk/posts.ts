import type { Post } from '../stand-in.ts';
import { viewOf } from './card-view.ts';
import type { Attachment } from './events.ts';
import type { Platform } from './platform.ts';
import type { Content, Message } from './state.ts';

/** A message of markdown, with buttons or without, as it was sent; an interactive card with its data and drawn by its template. */
const shownIn = ({ secrets, template, state }: Platform, content: Content): Post['content'] => {
  if (content.msgtype === 'text') return { kind: 'text', text: content.text };
  if (content.msgtype !== 'card') return { kind: 'card', card: content };
  const card = state.cards.get(content.outTrackId);
  if (!card) return { kind: 'card', card: content };
  const shown = {
    msgtype: 'card',
    outTrackId: card.outTrackId,
    called: content.called ?? [],
    cardTemplateId: secrets.cardTemplateId,
    cardParamMap: card.params,
    privateData: card.private,
    ...viewOf(template, card),
  };
  return { kind: 'card', card: shown };
};

export const toPost = (platform: Platform, message: Message): Post => {
  const { id, chat, from, at, content, replyTo } = message;
  const card =
    content.msgtype === 'card' ? platform.state.cards.get(content.outTrackId) : undefined;
  return {
    id,
    chat,
    from,
    at,
    ...(card?.updatedAt !== undefined && { updatedAt: card.updatedAt }),
    content: shownIn(platform, content),
    ...(replyTo !== undefined && { replyTo }),
    reactions: [],
  };
};

const LABELS = { picture: '[图片]', audio: '[语音]', video: '[视频]', file: '[文件]' };

/** A person's attachment as others see it in the chat. */
export const attachmentText = ({ msgtype, content }: Attachment): string => {
  if (msgtype !== 'richText') return `${LABELS[msgtype]} ${content['fileName'] ?? ''}`.trim();
  const parts = content['richText'] as readonly { readonly text?: string }[];
  return parts.map(({ text = LABELS.picture }) => text).join('');
};
