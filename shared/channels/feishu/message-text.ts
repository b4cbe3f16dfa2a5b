import * as z from 'zod/mini';

const text = z.object({ text: z.string() });
const node = z.object({
  tag: z.string(),
  text: z.nullish(z.string()),
  href: z.nullish(z.string()),
  user_id: z.nullish(z.string()),
  emoji_type: z.nullish(z.string()),
});
type Node = z.infer<typeof node>;
const post = z.object({
  title: z.nullish(z.string()),
  content: z.array(z.array(node)),
});
const file = z.object({ file_name: z.nullish(z.string()) });

export const mention = z.object({
  key: z.string().check(z.minLength(1)),
  id: z.nullish(z.object({ open_id: z.nullish(z.string()) })),
  mentioned_type: z.nullish(z.string()),
  name: z.nullish(z.string()),
});
type Mention = z.infer<typeof mention>;

interface Said {
  readonly text: string;
  /** The mentions in it as they are written, longest first: one may begin another. */
  readonly mentionNames: readonly string[];
  /** Nothing a person wrote: the text only says in brackets what it is. */
  readonly unreadable: boolean;
}

/** What a message says; `undefined` for a text that has not the documented shape. */
export const readContent = (
  type: string,
  content: string,
  mentions: readonly Mention[],
): Said | undefined => {
  const parsed = readJson(content);
  if (type === 'text') {
    const said = text.safeParse(parsed);
    return said.success
      ? { ...namePeople(said.data.text, mentions), unreadable: false }
      : undefined;
  }
  const said = post.safeParse(parsed);
  if (type === 'post' && said.success)
    return { ...namePeople(postText(said.data), mentions), unreadable: !hasWords(said.data) };
  const named = file.safeParse(parsed);
  const name = named.success && named.data.file_name;
  return { text: name ? `[${type}: ${name}]` : `[${type}]`, mentionNames: [], unreadable: true };
};

/** Forwarded messages have a sentence here that is no JSON. */
const readJson = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};

const hasWords = ({ title, content }: z.infer<typeof post>): boolean => {
  const words = content.flat().map((one) => one.text || one.href || one.emoji_type);
  return [title, ...words].some((word) => word && word.trim() !== '');
};

const postText = ({ title, content }: z.infer<typeof post>): string =>
  [...(title ? [title] : []), ...content.map((line) => line.map(nodeText).join(''))].join('\n');

const nodeText = ({ tag, text: said, href, user_id, emoji_type }: Node): string => {
  if (tag === 'at') return user_id ?? '';
  if (tag === 'emotion') return `[${emoji_type ?? tag}]`;
  if (tag === 'hr') return '---';
  // As the platform writes links in plain texts.
  if (href) return said && said !== href ? `[${said}](${href})` : href;
  return said ?? `[${tag === 'img' ? 'image' : tag}]`;
};

/**
 * In one pass, longest key first: `@_user_1` begins `@_user_10`, and a name may look like a key. Only one bot mentioned
 * is this one, for it hears nothing else; which of several it is, or of such as are not marked, is not known here.
 */
const namePeople = (
  said: string,
  mentions: readonly Mention[],
): Pick<Said, 'text' | 'mentionNames'> => {
  const bots = mentions.filter(({ mentioned_type }) => mentioned_type === 'bot');
  const names = new Map<string, string>([['@_all', '@all']]);
  for (const { key, id, name } of mentions) names.set(key, `@${name || id?.open_id || ''}`);
  const [bot, another] = bots;
  if (bot && !another) names.set(bot.key, '');
  const keys = [...names.keys()].sort(longestFirst);
  const found = new Set<string>();
  const text = said.replace(new RegExp(keys.map(escaped).join('|'), 'gu'), (key) => {
    const name = names.get(key) ?? key;
    found.add(name);
    return name;
  });
  return {
    text: text.trim(),
    mentionNames: [...found].filter((name) => name.length > 1).sort(longestFirst),
  };
};

const longestFirst = (one: string, other: string): number => other.length - one.length;

const escaped = (key: string): string => key.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
