import { listen, postClick, postMessage, readChat, readState } from './api.ts';
import { createComposer } from './composer.ts';
import { createConversation } from './conversation.ts';
import { element, on, part } from './element.ts';
import { startFrame } from './frame.ts';
import { createInspector } from './inspector.ts';
import { isSameChat, type Place, placeIn, placeInAddress, putInAddress } from './place.ts';
import { repeat } from './repeat.ts';
import { drawSidebar } from './sidebar.ts';
import { showToast } from './toasts.ts';
import type { ChatView, PlaygroundState } from './wire.ts';
import { startLanguage, switchLanguage, words } from './words.ts';

/** How often a chat is read again without being told of a change: a phase can change without a message. */
const BUSY_MS = 1000;
const QUIET_MS = 5000;
const RECENT_MS = 10_000;

let state: PlaygroundState | undefined;
let place: Place | undefined;
let view: ChatView | undefined;
const unread = new Set<string>();
const connection = { listening: true, reading: true };

const here = (): Place => {
  if (!place) throw new Error('the page has not been told its chats yet');
  return place;
};

/** People are known by their id on the platform and, to the bot, as `platform:id`. */
const nameOf = (person: string): string => {
  if (person === 'bot') return words().bot;
  if (person === 'all') return words().everyone;
  const people = (state?.platforms ?? []).flatMap((platform) =>
    platform.people.map(({ id, name }) => ({ id, name, full: `${platform.name}:${id}` })),
  );
  return people.find(({ id, full }) => id === person || full === person)?.name ?? person;
};

const showProblem = (what: string, error: unknown): void =>
  showToast('error', `${what}: ${error instanceof Error ? error.message : String(error)}`);

const conversation = createConversation({
  platform: () => here().platform,
  nameOf,
  act: async (post, action) => {
    const { platform, chat, person } = here();
    const who = chat.kind === 'group' ? person.name : undefined;
    const click = { ...action, message: post.id, by: person.id };
    try {
      const { toast, error } = await postClick(platform.name, chat.id, click);
      if (toast) showToast(toast.type, toast.content, who);
      if (error !== undefined) showToast('error', error, who);
    } catch (error) {
      showProblem(words().notClicked, error);
    }
    refresh();
  },
  reply: (post) => composer.reply(post),
});

const composer = createComposer({
  nameOf,
  send: async (draft) => {
    const { platform, chat, person } = here();
    try {
      await postMessage(platform.name, chat.id, { ...draft, from: person.id });
    } catch (error) {
      showProblem(words().notSent, error);
      return false;
    }
    refresh();
    return true;
  },
  speakAs: (person) => go({ ...here(), person }),
});

const inspect = createInspector(nameOf);
const { closeMenu } = startFrame();

const keyOf = (platform: string, chat: string): string => `${platform}/${chat}`;

const go = (to: Place): void => {
  const stays = isSameChat(place, to);
  place = to;
  putInAddress(to);
  unread.delete(keyOf(to.platform.name, to.chat.id));
  if (!stays) {
    view = undefined;
    conversation.clear();
  }
  drawPlace();
  drawView();
  refresh();
};

const drawPlace = (): void => {
  if (!state || !place) return;
  const { chat } = place;
  drawSidebar({
    ...place,
    state,
    isUnread: (platform, one) => unread.has(keyOf(platform.name, one.id)),
    open: (platform, one) => {
      closeMenu();
      go(placeIn(platform, one));
    },
  });
  part('chat-name', HTMLHeadingElement).textContent = chat.name;
  part('chat-members', HTMLParagraphElement).textContent =
    chat.kind === 'group' ? [...chat.members, 'bot'].map(nameOf).join(' · ') : '';
  composer.draw(place);
  drawHint();
};

const drawHint = (): void => {
  const { tryThis, tryThisWhy, examples } = words();
  part('hint', HTMLElement).replaceChildren(
    element('h3', {}, tryThis),
    element('p', {}, tryThisWhy),
    ...examples.map((sentence) =>
      on(element('button', { type: 'button' }, sentence), 'click', () => composer.put(sentence)),
    ),
  );
};

const drawView = (): void => {
  part('hint', HTMLElement).hidden = view?.posts.length !== 0;
  if (!view) return;
  conversation.draw(view.posts, here().person.id);
  inspect(view.look);
};

const showConnection = (now: Partial<typeof connection>): void => {
  Object.assign(connection, now);
  part('banner', HTMLParagraphElement).hidden = connection.listening && connection.reading;
};

const refresh = repeat(async () => {
  const read = place;
  if (!read) return QUIET_MS;
  try {
    const answer = await readChat(read.platform.name, read.chat.id);
    showConnection({ reading: true });
    if (!isSameChat(place, read)) return 0;
    view = answer;
    drawView();
    return isBusy(answer) ? BUSY_MS : QUIET_MS;
  } catch {
    showConnection({ reading: false });
    return BUSY_MS;
  }
});

const isBusy = ({ posts, look }: ChatView): boolean =>
  look.phase !== 'IDLE' || look.waiting > 0 || Date.now() - (posts.at(-1)?.at ?? 0) < RECENT_MS;

const loadState = async (): Promise<void> => {
  try {
    const isFirst = state === undefined;
    state = await readState();
    if (isFirst) startLanguage(state.language);
    const found = placeInAddress(state);
    if (found) go(found);
  } catch {
    showConnection({ reading: false });
    // Not while disconnected: being connected again starts this anew.
    if (connection.listening) setTimeout(() => void loadState(), BUSY_MS);
  }
};

startLanguage('zh-CN');
on(part('language', HTMLButtonElement), 'click', () => {
  switchLanguage();
  drawPlace();
  drawView();
});
addEventListener('hashchange', () => {
  const found = state && placeInAddress(state);
  if (found) go(found);
});
listen({
  changed: ({ platform, chat }) => {
    if (platform === place?.platform.name && chat === place.chat.id) return refresh();
    unread.add(keyOf(platform, chat));
    drawPlace();
  },
  connected: () => {
    showConnection({ listening: true });
    void loadState();
  },
  lost: () => showConnection({ listening: false }),
});
