import { avatar } from './avatar.ts';
import { timeOf } from './clock.ts';
import { element, on, part } from './element.ts';
import { renderCard } from './render-card.ts';
import type { CardAction, Platform, Post } from './wire.ts';
import { currentLanguage, wordFor, words } from './words.ts';

/** What the conversation needs of the page around it. */
interface ConversationPage {
  platform(): Platform;
  nameOf(person: string): string;
  act(post: Post, action: CardAction): Promise<void>;
  reply(post: Post): void;
}

interface Shown {
  readonly node: HTMLElement;
  readonly content: HTMLElement;
  /** What `node` and `content` were drawn from: they are drawn anew only when that changes, so that a half-filled form stays. */
  readonly drawn: string;
  readonly contentDrawn: string;
}

const NEAR_THE_END_PX = 80;

export const createConversation = (page: ConversationPage) => {
  const list = part('posts', HTMLDivElement);
  // So that it scrolls by keyboard too.
  list.tabIndex = 0;
  const newest = part('newest', HTMLButtonElement);
  let shown = new Map<string, Shown>();
  /** Whether the reader is where the conversation goes on; who scrolled back is left there. */
  let following = true;
  let followedTo = 0;

  /** To the end; of a card that does not fit, to its beginning. */
  const toEnd = () => {
    list.scrollTop = list.scrollHeight;
    const above =
      (list.lastElementChild?.getBoundingClientRect().top ?? 0) - list.getBoundingClientRect().top;
    if (above < 0) list.scrollTop += above;
    followedTo = list.scrollTop;
    following = true;
    newest.hidden = true;
  };
  on(newest, 'click', toEnd);
  on(list, 'scroll', () => {
    const below = list.scrollHeight - list.scrollTop - list.clientHeight;
    following = below < NEAR_THE_END_PX || list.scrollTop === followedTo;
    if (following) newest.hidden = true;
  });

  const draw = (posts: readonly Post[], speaker: string): void => {
    const fresh = posts.filter(({ id }) => !shown.has(id));
    const before = shown;
    shown = new Map();
    for (const [index, post] of posts.entries()) {
      const drawn = drawPost(page, post, posts, before.get(post.id));
      shown.set(post.id, drawn);
      if (list.children[index] !== drawn.node)
        list.insertBefore(drawn.node, list.children[index] ?? null);
      drawn.node.toggleAttribute('data-mine', post.from === speaker);
    }
    while (list.children.length > posts.length) list.lastElementChild?.remove();
    if (fresh.length === 0) return;
    if (following || fresh.some(({ from }) => from === speaker)) toEnd();
    else newest.hidden = false;
  };
  const clear = () => {
    shown = new Map();
    list.replaceChildren();
    following = true;
    newest.hidden = true;
  };
  return { draw, clear };
};

const drawPost = (
  page: ConversationPage,
  post: Post,
  posts: readonly Post[],
  before: Shown | undefined,
): Shown => {
  const drawn = JSON.stringify([post, currentLanguage()]);
  if (before?.drawn === drawn) return before;
  const contentDrawn = JSON.stringify(post.content);
  const hadFocus = before?.node.contains(document.activeElement);
  const content =
    before?.contentDrawn === contentDrawn ? before.content : drawContent(page, post, before);
  const node = drawAround(page, post, posts, content);
  if (before) before.node.replaceWith(node);
  if (hadFocus) content.focus({ preventScroll: true });
  return { node, content, drawn, contentDrawn };
};

const drawContent = (
  page: ConversationPage,
  post: Post,
  before: Shown | undefined,
): HTMLElement => {
  if (post.content.kind === 'text')
    return element('div', { class: 'bubble', tabindex: -1 }, post.content.text);
  const card = renderCard(page.platform().name, post.content.card, {
    nameOf: page.nameOf,
    act: (action) => page.act(post, action),
  });
  card.tabIndex = -1;
  if (before) card.classList.add('changed');
  return on(card, 'animationend', () => card.classList.remove('changed'));
};

const drawAround = (
  page: ConversationPage,
  post: Post,
  posts: readonly Post[],
  content: HTMLElement,
): HTMLElement => {
  const { reply, updated, reactions } = words();
  const name = page.nameOf(post.from);
  const place = page.platform().people.findIndex(({ id }) => id === post.from);
  const answer = element(
    'button',
    { type: 'button', class: 'reply', 'aria-label': `${reply}: ${name}` },
    reply,
  );
  const reacted = post.reactions.map((reaction) =>
    element('span', { class: 'reaction' }, wordFor(reactions, reaction)),
  );
  return element(
    'article',
    { class: 'post', 'data-post': post.id },
    avatar(name, post.from === 'bot' ? 'bot' : place),
    element(
      'div',
      { class: 'post-main' },
      element(
        'p',
        { class: 'meta' },
        element('b', {}, name),
        element('time', {}, timeOf(post.at)),
        post.updatedAt !== undefined &&
          element('span', {}, `${updated} ${timeOf(post.updatedAt, true)}`),
        on(answer, 'click', () => page.reply(post)),
      ),
      post.replyTo !== undefined && quote(page, post.replyTo, posts),
      content,
      reacted.length > 0 && element('p', { class: 'reactions' }, ...reacted),
    ),
  );
};

/** A post in one line. */
export const excerpt = (post: Post): string =>
  post.content.kind === 'text' ? post.content.text : words().card;

const quote = (page: ConversationPage, id: string, posts: readonly Post[]): HTMLElement => {
  const post = posts.find((one) => one.id === id);
  if (!post) return element('p', { class: 'quote' }, words().gone);
  const text = `${page.nameOf(post.from)}: ${excerpt(post)}`;
  const node = element('button', { type: 'button', class: 'quote' }, text);
  return on(node, 'click', () =>
    document.querySelector(`[data-post="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'center' }),
  );
};
