import { isObject, parseJson } from '../json.ts';
import { type Answer, refuse } from './answers.ts';
import { type CardFault, checkCard } from './card-rules.ts';
import type { Mention, Message } from './state.ts';
import { BOT, type Chat, isUserId, PEOPLE } from './world.ts';

const KB = 1024;
/** Page message/create: the request body of a text, and of a card or post. */
const LONGEST = { text: 150 * KB, post: 30 * KB, interactive: 30 * KB };

export type MessageType = Message['type'];

export const isMessageType = (type: string): type is MessageType => type in LONGEST;

export const tooLong = (type: MessageType, bytes: number): Answer | undefined =>
  bytes > LONGEST[type] ? refuse(230025) : undefined;

export const refuseCard = ({ errCode, errMsg, value, path }: CardFault): Answer =>
  refuse(
    230099,
    `ErrCode: ${errCode}; ErrPath: ${path}; ErrMsg: ${errMsg}; ErrorValue: ${value}; `,
  );

export const isV2 = (card: unknown): boolean => isObject(card) && card['schema'] === '2.0';

/** JSON 2.0 by its rules; of 1.0, which ignores what it does not know, only the frame. */
export const faultOfCard = (card: unknown, chat: Chat): CardFault | undefined => {
  if (isV2(card)) return checkCard(card, chat);
  const frame = { errCode: 200621, path: 'ROOT', errMsg: 'parse card json err' };
  if (!isObject(card)) return { ...frame, value: 'not an object' };
  if (card['type'] !== undefined)
    return {
      ...frame,
      errCode: 200380,
      errMsg: 'template does not exist',
      value: 'no templates here',
    };
  const { elements = [] } = card;
  return Array.isArray(elements) && elements.every(isObject)
    ? undefined
    : { ...frame, value: 'elements' };
};

const AT = /<at user_id="([^"]*)">([^<]*)<\/at>/g;

const refuseText = (content: unknown, chat: Chat): Answer | undefined => {
  const text = isObject(content) ? content['text'] : undefined;
  if (typeof text !== 'string' || text === '') return refuse(230001, 'text content is empty');
  const wrong = [...text.matchAll(AT)].find(([, id = '']) =>
    id === 'all' ? !chat.atAll : !isUserId(id),
  );
  return wrong && refuse(230001, `invalid at user: ${wrong[1]}`);
};

const POST_TAGS = ['text', 'a', 'at', 'img', 'media', 'emotion', 'hr', 'code_block', 'md'];

/** Page create_json, "post": a language, then lines of elements; links by HTTP or HTTPS only. */
const refusePost = (content: unknown): Answer | undefined => {
  const languages = isObject(content) ? Object.values(content) : [];
  if (languages.length === 0) return refuse(230001, 'post content has no language level');
  for (const language of languages) {
    const lines = isObject(language) ? language['content'] : undefined;
    if (!Array.isArray(lines) || !lines.every(Array.isArray))
      return refuse(230001, 'post content is not a list of lines');
    for (const element of lines.flat()) {
      const tag = isObject(element) ? String(element['tag']) : '';
      if (!POST_TAGS.includes(tag)) return refuse(230001, `unknown tag in post: ${tag}`);
      if (tag === 'a' && !/^https?:\/\//i.test(String(element.href)))
        return refuse(230001, 'scheme not in scheme whitelist');
    }
  }
  return undefined;
};

/** Why this content cannot be sent to that chat. */
export const refuseContent = (
  type: MessageType,
  content: string,
  chat: Chat,
): Answer | undefined => {
  const parsed = parseJson(content);
  if (parsed === undefined) return refuse(230001, 'content is not a string in json format');
  if (type === 'text') return refuseText(parsed, chat);
  if (type === 'post') return refusePost(parsed);
  const fault = faultOfCard(parsed, chat);
  return fault && refuseCard(fault);
};

const nameOf = (id: string) =>
  id === 'all' ? '所有人' : (PEOPLE.find((one) => one.id === id)?.name ?? BOT.name);

const postText = (element: Record<string, unknown>): string => {
  if (element['tag'] === 'at') return `@${nameOf(String(element['user_id']))}`;
  return String(element['text'] ?? element['emoji_type'] ?? '');
};

/** A text as people see it. */
export const seenText = ({ type, content, mentions }: Message): string => {
  const parsed = JSON.parse(content);
  if (type === 'post') {
    const [{ title = '', content: lines }] = Object.values(parsed) as [
      { title?: string; content: Record<string, unknown>[][] },
    ];
    return [title, ...lines.map((line) => line.map(postText).join(''))].join('\n').trim();
  }
  const text = String(parsed.text).replace(AT, (_, id, name) => `@${name || nameOf(id)}`);
  return mentions
    .reduce(
      (seen, { key, name }) => seen.replaceAll(new RegExp(`${key}(?!\\d)`, 'g'), `@${name}`),
      text,
    )
    .replace(/<\/?[bius]>/g, '');
};

/** What a person typed, with the people named in it as the wire has them: `@_user_1`, `@_all`. */
export const mentionPeople = (
  text: string,
  chat: Chat,
  withBot: boolean,
): { readonly text: string; readonly mentions: readonly Mention[] } => {
  const mentions: Mention[] = [];
  const mention = (id: string, name: string) => {
    const key = id === '' ? '@_all' : `@_user_${mentions.filter(({ id }) => id !== '').length + 1}`;
    mentions.push({ key, id, name });
    return key;
  };
  const called = withBot ? `${mention(BOT.openId, BOT.name)} ${text}` : text;
  const members = PEOPLE.filter(({ id }) => chat.kind === 'group' && chat.members.includes(id));
  const everybody = { id: '', name: '所有人' };
  const others = chat.atAll ? [...members, everybody] : members;
  return {
    text: others.reduce(
      (typed, { id, name }) =>
        typed.includes(`@${name}`) ? typed.replaceAll(`@${name}`, mention(id, name)) : typed,
      called,
    ),
    mentions,
  };
};
