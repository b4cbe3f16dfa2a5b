import { avatar } from './avatar.ts';
import { excerpt } from './conversation.ts';
import { element, on, part } from './element.ts';
import type { Place } from './place.ts';
import type { Person, Platform, Post } from './wire.ts';
import { words } from './words.ts';

interface Draft {
  readonly text: string;
  readonly mention: boolean;
  readonly replyTo?: string;
}

interface ComposerPage {
  nameOf(person: string): string;
  /** Whether it was sent; what was not is put back. */
  send(draft: Draft): Promise<boolean>;
  speakAs(person: Person): void;
}

export const createComposer = (page: ComposerPage) => {
  const form = part('composer', HTMLFormElement);
  const text = part('text', HTMLTextAreaElement);
  const mention = part('mention', HTMLInputElement);
  const people = part('people', HTMLFieldSetElement);
  const strip = part('reply', HTMLDivElement);
  /** What is typed, by chat: looking into another one loses nothing. */
  const drafts = new Map<string, string>();
  let here = '';
  let replyTo: Post | undefined;

  const drawReply = () => {
    strip.hidden = replyTo === undefined;
    part('reply-text', HTMLSpanElement).textContent = replyTo
      ? `${words().replyingTo} ${page.nameOf(replyTo.from)}: ${excerpt(replyTo)}`
      : '';
  };
  const reply = (post: Post | undefined) => {
    replyTo = post;
    drawReply();
    if (post) text.focus();
  };
  const put = (sentence: string) => {
    text.value = sentence;
    text.focus();
  };
  const send = async () => {
    const draft = {
      text: text.value.trim(),
      mention: mention.checked,
      ...(replyTo && { replyTo: replyTo.id }),
    };
    if (draft.text === '') return;
    const [chat, answered] = [here, replyTo];
    text.value = '';
    reply(undefined);
    if (await page.send(draft)) return;
    const typedSince = chat === here ? text.value : drafts.get(chat);
    const kept = [draft.text, typedSince].filter(Boolean).join('\n');
    if (chat !== here) drafts.set(chat, kept);
    else {
      text.value = kept;
      reply(answered);
    }
  };

  on(form, 'submit', (event) => {
    event.preventDefault();
    void send();
  });
  on(text, 'keydown', (event) => {
    // While an input method is composing, Enter picks a word and sends nothing.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  });
  on(part('reply-drop', HTMLButtonElement), 'click', () => reply(undefined));

  const draw = ({ platform, chat, person }: Place): void => {
    const key = `${platform.name}/${chat.id}`;
    if (key !== here) {
      drafts.set(here, text.value);
      text.value = drafts.get(key) ?? '';
      replyTo = undefined;
      here = key;
    }
    part('mention-label', HTMLLabelElement).hidden = chat.kind === 'single';
    const members = platform.people.filter(({ id }) => chat.members.includes(id));
    const hadFocus = people.contains(document.activeElement);
    people.replaceChildren(
      element('legend', {}, words().speakAs),
      ...members.map((one) => choice(platform, one, one === person)),
    );
    people.setAttribute('aria-label', words().speakAsLabel);
    if (hadFocus) people.querySelector<HTMLInputElement>('input:checked')?.focus();
    drawReply();
  };

  const choice = (platform: Platform, person: Person, checked: boolean): HTMLElement => {
    const radio = element('input', { type: 'radio', name: 'person', value: person.id, checked });
    on(radio, 'change', () => page.speakAs(person));
    const face = avatar(person.name, platform.people.indexOf(person));
    return element('label', { class: 'person' }, radio, face, element('span', {}, person.name));
  };

  return { draw, reply, put };
};
