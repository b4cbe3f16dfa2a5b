import { avatar } from './avatar.ts';
import { element, on, part } from './element.ts';
import type { Chat, Platform, PlaygroundState } from './wire.ts';
import { wordFor, words } from './words.ts';

interface Places {
  readonly state: PlaygroundState;
  readonly platform: Platform;
  readonly chat: Chat;
  isUnread(platform: Platform, chat: Chat): boolean;
  open(platform: Platform, chat: Chat): void;
}

/** The platforms and chats of this machine. */
export const drawSidebar = (places: Places): void => {
  const { state, platform } = places;
  part('model', HTMLElement).textContent = state.model;
  const tabs = part('platforms', HTMLFieldSetElement);
  tabs.hidden = state.platforms.length < 2;
  tabs.replaceChildren(...state.platforms.map((one) => tab(places, one)));
  const { singles, groups } = words();
  const kinds = [
    { title: singles, chats: platform.chats.filter(({ kind }) => kind === 'single') },
    { title: groups, chats: platform.chats.filter(({ kind }) => kind === 'group') },
  ];
  const lists = part('chats', HTMLDivElement);
  const hadFocus = lists.contains(document.activeElement);
  lists.replaceChildren(
    ...kinds.filter(({ chats }) => chats.length > 0).map((kind) => section(places, kind)),
  );
  if (hadFocus) lists.querySelector<HTMLElement>('[aria-current]')?.focus();
};

const tab = (places: Places, platform: Platform): HTMLElement => {
  const pressed = String(platform === places.platform);
  const name = wordFor(words().platforms, platform.name);
  const node = element('button', { type: 'button', 'aria-pressed': pressed }, name);
  const [first] = platform.chats;
  return first ? on(node, 'click', () => places.open(platform, first)) : node;
};

const section = (
  places: Places,
  { title, chats }: { readonly title: string; readonly chats: readonly Chat[] },
): HTMLElement =>
  element(
    'section',
    {},
    element('h3', {}, title),
    element('ul', {}, ...chats.map((chat) => element('li', {}, entry(places, chat)))),
  );

const entry = (places: Places, chat: Chat): HTMLElement => {
  const { platform } = places;
  const unread = places.isUnread(platform, chat);
  const node = element(
    'button',
    { type: 'button', class: 'chat', 'aria-current': chat === places.chat && 'true' },
    avatar(chat.name, chat.kind === 'group' ? 'group' : placeOf(platform, chat)),
    element('span', { class: 'chat-name' }, chat.name),
    unread && element('span', { class: 'dot', role: 'img', 'aria-label': words().unread }),
  );
  return on(node, 'click', () => places.open(platform, chat));
};

const placeOf = (platform: Platform, chat: Chat): number =>
  platform.people.findIndex(({ id }) => id === chat.members[0]);
