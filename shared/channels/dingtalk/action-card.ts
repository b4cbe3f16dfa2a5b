import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import { askCode } from '#domain/ids.ts';
import type { AskView } from '#ports/channel.ts';
import { beginningsOf } from '../beginnings.ts';
import { contentOf, standingOf } from '../blocks.ts';
import { linesOf } from '../plain.ts';
import { hasSigns, inertInMarkdown, nameInMarkdown } from './inert.ts';
import { dingtalkTextsIn } from './texts.ts';

export interface ActionCard {
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly { readonly title: string; readonly url: string }[];
}

/** The platform takes 15,000 bytes as JSON. */
const MOST_BYTES = 14_000;
const ROOMS = [Number.POSITIVE_INFINITY, 2000, 600, 200, 60];

/** The richest that fits; none if even the poorest does not. Its buttons send a text as the person who clicks. */
export const renderActionCard = (
  view: AskView,
  place: Place,
): { readonly card: ActionCard; readonly whole: boolean } | undefined => {
  for (const room of ROOMS) {
    const whole = room === Number.POSITIVE_INFINITY;
    const card = cardWith(view, place, room, whole);
    if (Buffer.byteLength(JSON.stringify(card)) <= MOST_BYTES) return { card, whole };
  }
  return undefined;
};

const cardWith = (view: AskView, place: Place, room: number, whole: boolean): ActionCard => {
  const texts = cardTextsIn(view.language);
  const own = dingtalkTextsIn(view.language);
  const { title, lines } = standingOf(view, nameInMarkdown);
  const code = askCode(view.ask.id);
  const buttons = [
    {
      title: view.tasks.length > 1 ? texts.confirmAll : texts.confirm,
      url: sending(texts.typed.confirm + code),
    },
    { title: texts.cancel, url: sending(texts.typed.cancel + code) },
  ];
  const content = whole
    ? contentOf(view).map((blocks) => linesOf(blocks, inertInMarkdown))
    : [texts.fullAbove, ...beginningsOf(view, room, inertInMarkdown)];
  const given = contentOf(view).flat();
  const wide = given.some(({ head, text }) => hasSigns(head + text));
  const links = buttons.map((one) => `[${one.title}](${one.url})`).join(' ｜ ');
  const words =
    place === 'elsewhere'
      ? own.coded(code, view.tasks.length)
      : typedHint(view.language, place, view.ask);
  const parts = [
    `### ${title}`,
    ...content,
    [...lines, words, ...(wide ? [own.marks] : []), own.clickHere + links].join('\n'),
  ];
  // A line ends where two spaces stand before its break.
  return { title, text: parts.join('\n\n').replace(/(?<!\n)\n(?!\n)/gu, '  \n'), buttons };
};

/** All in lower case up to the path, and without a space: else the client does nothing, and says nothing. */
const sending = (text: string): string =>
  `dtmd://dingtalkclient/sendMessage?content=${encodeURIComponent(text)}`;
