import * as z from 'zod/mini';

const text = z.object({ text: z.string() });
const node = z.object({
  tag: z.string(),
  text: z.nullish(z.string()),
  user_id: z.nullish(z.string()),
  emoji_type: z.nullish(z.string()),
});
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

/** What a message says, as text; `undefined` when it has not the shape of its type. What is no text is named in brackets. */
export const textOf = (
  type: string,
  content: string,
  mentions: readonly Mention[],
): string | undefined => {
  const parsed = readContent(content);
  if (parsed === undefined) return undefined;
  switch (type) {
    case 'text': {
      const said = text.safeParse(parsed);
      return said.success ? namePeople(said.data.text, mentions).trim() : undefined;
    }
    case 'post': {
      const said = post.safeParse(parsed);
      return said.success ? namePeople(postText(said.data), mentions).trim() : undefined;
    }
    default: {
      const named = file.safeParse(parsed);
      const name = named.success && named.data.file_name;
      return name ? `[${type}: ${name}]` : `[${type}]`;
    }
  }
};

const readContent = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};

const postText = ({ title, content }: z.infer<typeof post>): string =>
  [...(title ? [title] : []), ...content.map((line) => line.map(nodeText).join(''))].join('\n');

const nodeText = ({ tag, text: said, user_id, emoji_type }: z.infer<typeof node>): string => {
  if (tag === 'at') return user_id ?? '';
  if (tag === 'emotion') return `[${emoji_type ?? tag}]`;
  if (tag === 'hr') return '---';
  return said ?? `[${tag === 'img' ? 'image' : tag}]`;
};

/** In one pass, longest key first: `@_user_1` begins `@_user_10`, and a name may look like a key. */
const namePeople = (said: string, mentions: readonly Mention[]): string => {
  const names = new Map<string, string>([['@_all', '@all']]);
  for (const { key, mentioned_type, name } of mentions)
    names.set(key, mentioned_type === 'bot' ? '' : `@${name ?? ''}`);
  const keys = [...names.keys()].sort((one, other) => other.length - one.length);
  return said.replace(
    new RegExp(keys.map(escaped).join('|'), 'gu'),
    (key) => names.get(key) ?? key,
  );
};

const escaped = (key: string): string => key.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
