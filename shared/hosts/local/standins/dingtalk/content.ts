import * as z from 'zod/mini';
import { isObject } from '../json.ts';
import type { ActionCard, Content } from './state.ts';
import { personOf } from './world.ts';

const words = z.string().check(z.minLength(1));
const orientation = z._default(z.enum(['0', '1']), '0');
const single = { singleTitle: words, singleURL: words };

/** Page robot-message-type, "by webhook"; also what may be the answer to a robot message. */
const SENT = {
  text: z.object({ content: words }),
  markdown: z.object({ title: words, text: words }),
  actionCard: z.union([
    z.object({ title: words, text: words, btnOrientation: orientation, ...single }),
    z.object({
      title: words,
      text: words,
      btnOrientation: orientation,
      btns: z.array(z.object({ title: words, actionURL: words })).check(z.minLength(1)),
    }),
  ]),
  link: z.object({ title: words, text: words, messageUrl: words }),
};
const at = z.object({
  atUserIds: z._default(z.array(z.string()), []),
  isAtAll: z._default(z.boolean(), false),
});

type Read = { readonly content: Content } | { readonly wrong: string };

const wrongIn = (error: z.core.$ZodError): Read => {
  const [issue] = error.issues;
  return { wrong: `${issue?.path.join('.') || 'the message'}: ${issue?.message}` };
};

const actionCard = (card: z.infer<typeof SENT.actionCard>): Content => {
  const { title, text, btnOrientation } = card;
  const btns =
    'btns' in card ? card.btns : [{ title: card.singleTitle, actionURL: card.singleURL }];
  return { msgtype: 'actionCard', actionCard: { title, text, btnOrientation, btns } };
};
const linkText = ({ title, text, url }: { title: string; text: string; url: string }): Content => ({
  msgtype: 'text',
  text: [title, text, url].join('\n'),
});

/** `@userId` in the text is a mention only if `at` has the id too. */
const withNames = (text: string, { atUserIds, isAtAll }: z.infer<typeof at>): string => {
  const named = atUserIds.reduce(
    (seen, id) => seen.replaceAll(`@${id}`, `@${personOf(id)?.name ?? id}`),
    text,
  );
  return isAtAll ? `${named} @所有人` : named;
};

/** A message as a webhook takes it: `{"msgtype":"text","text":{…},"at":{…}}`. */
export const readSent = (body: unknown): Read => {
  const msgtype = isObject(body) ? body['msgtype'] : undefined;
  if (!isObject(body) || typeof msgtype !== 'string') return { wrong: 'msgtype is missing' };
  if (!Object.hasOwn(SENT, msgtype))
    return { wrong: `msgtype ${msgtype} is not known to the stand-in` };
  const mentioned = z.safeParse(at, body['at'] ?? {});
  if (!mentioned.success) return wrongIn(mentioned.error);
  const kind = msgtype as keyof typeof SENT;
  const parsed = z.safeParse(z.object({ [kind]: SENT[kind] }), body);
  if (!parsed.success) return wrongIn(parsed.error);
  const names = (text: string) => withNames(text, mentioned.data);
  const given = parsed.data[kind] as never;
  return { content: SHOWN[kind](given, names) };
};

type Names = (text: string) => string;
const SHOWN: {
  readonly [Kind in keyof typeof SENT]: (
    given: z.infer<(typeof SENT)[Kind]>,
    names: Names,
  ) => Content;
} = {
  text: ({ content }, names) => ({ msgtype: 'text', text: names(content) }),
  markdown: ({ title, text }, names) => ({
    msgtype: 'markdown',
    markdown: { title, text: names(text) },
  }),
  actionCard: (card, names) => actionCard({ ...card, text: names(card.text) }),
  link: ({ title, text, messageUrl }) => linkText({ title, text, url: messageUrl }),
};

/** `actionTitle1`, `actionURL1`, … up to a number. */
const numbered = (most: number, title: string, url: string) => {
  const numbers = Array.from({ length: most }, (_, index) => index + 1);
  const names = numbers.flatMap((number) => [`${title}${number}`, `${url}${number}`]);
  const schema = z.intersection(
    z.object({ title: words, text: words }),
    z.object(Object.fromEntries(names.map((name) => [name, words]))),
  );
  return (btnOrientation: ActionCard['btnOrientation']) => (param: unknown) => {
    const parsed = z.safeParse(schema, param);
    if (!parsed.success) return wrongIn(parsed.error);
    const card = parsed.data as Record<string, string>;
    const btns = numbers.map((number) => ({
      title: String(card[`${title}${number}`]),
      actionURL: String(card[`${url}${number}`]),
    }));
    const { title: head, text } = parsed.data;
    return { content: actionCard({ title: head, text, btnOrientation, btns }) };
  };
};

const by =
  <T>(schema: z.core.$ZodType<T>, show: (param: T) => Content) =>
  (param: unknown): Read => {
    const parsed = z.safeParse(schema, param);
    return parsed.success ? { content: show(parsed.data) } : wrongIn(parsed.error);
  };
const vertical = (buttons: number) => numbered(buttons, 'actionTitle', 'actionURL')('0');

/** Page robot-message-type, "by the API": `msgKey` and what its `msgParam` holds. */
const TEMPLATES: Readonly<Record<string, (param: unknown) => Read>> = {
  sampleText: by(z.object({ content: words }), ({ content }) => ({
    msgtype: 'text',
    text: content,
  })),
  sampleMarkdown: by(SENT.markdown, (markdown) => ({ msgtype: 'markdown', markdown })),
  sampleLink: by(SENT.link, ({ title, text, messageUrl }) =>
    linkText({ title, text, url: messageUrl }),
  ),
  sampleActionCard: by(z.object({ title: words, text: words, ...single }), (card) =>
    actionCard({ ...card, btnOrientation: '0' }),
  ),
  sampleActionCard2: vertical(2),
  sampleActionCard3: vertical(3),
  sampleActionCard4: vertical(4),
  sampleActionCard5: vertical(5),
  sampleActionCard6: numbered(2, 'buttonTitle', 'buttonUrl')('1'),
};

/** Those for which the stand-in would need uploads. */
const MEDIA = ['sampleImageMsg', 'sampleAudio', 'sampleFile', 'sampleVideo'];

type MessageKey = 'known' | 'media' | 'unknown';

export const kindOfKey = (msgKey: string): MessageKey => {
  if (Object.hasOwn(TEMPLATES, msgKey)) return 'known';
  return MEDIA.includes(msgKey) ? 'media' : 'unknown';
};

export const readTemplate = (msgKey: string, param: unknown): Read =>
  TEMPLATES[msgKey]?.(param) ?? { wrong: `there is no ${msgKey}` };

/** Where the buttons and links of a message lead. */
export const linksIn = (content: Content): readonly string[] => {
  const inText = (text: string) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, url = '']) => url);
  if (content.msgtype === 'markdown') return inText(content.markdown.text);
  if (content.msgtype !== 'actionCard') return [];
  const { text, btns } = content.actionCard;
  return [...btns.map(({ actionURL }) => actionURL), ...inText(text)];
};

/**
 * What the client sends, as the person who clicked, for a `dtmd` link. A host that is not all lower-case, a space in the
 * text, and every other mistake in it, does nothing and says nothing.
 */
export const dtmdText = (url: string): string | undefined => {
  const [, content] = /^dtmd:\/\/dingtalkclient\/sendMessage\?content=([^&#]+)$/.exec(url) ?? [];
  try {
    const text = content === undefined ? undefined : decodeURIComponent(content);
    return text === undefined || /\s/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
};
