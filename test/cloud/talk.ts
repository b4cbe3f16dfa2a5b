import { setTimeout as sleep } from 'node:timers/promises';
import type { FeishuStandIn } from '#hosts/local/standins/feishu/index.ts';
import type { ClickShown, Post } from '#hosts/local/standins/stand-in.ts';

/** One person's own chat with the bot. */
export interface Talk {
  readonly name: string;
  /** By the bot's names for them. */
  readonly person: string;
  readonly session: string;
  readonly chat: string;
  say(text: string): Promise<Post>;
  /** The bot's next post behind `after` that fits, as soon as it is there. */
  next(after: Post, what: string, fits: (post: Post) => boolean, seconds?: number): Promise<Post>;
  /** What stands at the end of it now. */
  last(): Post;
  /** A post as it stands now. */
  again(post: Post): Post;
  click(card: Post, decision: 'confirm' | 'cancel'): Promise<ClickShown>;
}

const WAIT_SECONDS = 30;

export const createTalk = (feishu: FeishuStandIn, index: number): Talk => {
  const person = feishu.people[index];
  const chat = feishu.chats.find(
    ({ kind, members }) => kind === 'single' && person && members.includes(person.id),
  );
  if (!person || !chat) throw new Error(`the stand-in has no person ${index}`);
  return {
    name: person.name,
    person: `${feishu.name}:${person.id}`,
    session: `${feishu.name}:${feishu.environment['FEISHU_APP_ID']}:${chat.id}`,
    chat: chat.id,
    say: (text) => feishu.write({ chat: chat.id, from: person.id, text, mention: false }),
    next: async (after, what, fits, seconds = WAIT_SECONDS) => {
      const until = Date.now() + seconds * 1000;
      for (;;) {
        const posts = feishu.posts(chat.id);
        const behind = posts.slice(posts.findIndex(({ id }) => id === after.id) + 1);
        const found = behind.find((post) => post.from === 'bot' && fits(post));
        if (found) return found;
        if (Date.now() > until)
          throw new Error(
            `${person.name} waited ${seconds} s for ${what} and saw only: ${behind.map(shown).join(' | ') || 'nothing'}`,
          );
        await sleep(100);
      }
    },
    last: () => {
      const post = feishu.posts(chat.id).at(-1);
      if (!post) throw new Error(`nothing was said with ${person.name} yet`);
      return post;
    },
    again: ({ id }) => {
      const post = feishu.posts(chat.id).find((one) => one.id === id);
      if (!post) throw new Error(`the post ${id} is gone`);
      return post;
    },
    click: (card, decision) => {
      const value = callbacksOf(card).find((one) => one['d'] === decision);
      if (!value) throw new Error(`the card has no button for ${decision}: ${shown(card)}`);
      return feishu.click({ message: card.id, by: person.id, value });
    },
  };
};

export const shown = ({ content }: Post): string =>
  content.kind === 'text' ? content.text : JSON.stringify(content.card);

export const isText =
  (pattern: RegExp) =>
  ({ content }: Post): boolean =>
    content.kind === 'text' && pattern.test(content.text);

/** A card that can still be decided. */
export const isOpenCard = (post: Post): boolean => callbacksOf(post).length > 0;

type Value = Readonly<Record<string, unknown>>;

const callbacksOf = ({ content }: Post): readonly Value[] =>
  content.kind === 'card' ? search(content.card) : [];

const search = (node: unknown): readonly Value[] => {
  if (Array.isArray(node)) return node.flatMap(search);
  if (typeof node !== 'object' || node === null) return [];
  const { type, value } = node as Value;
  if (type === 'callback' && typeof value === 'object' && value) return [value as Value];
  return Object.values(node).flatMap(search);
};
