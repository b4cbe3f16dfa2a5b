import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import type { AskView, CardState } from '#ports/channel.ts';
import { beginningsOf, cut } from '../beginnings.ts';
import { type Block, contentOf, outcomesOf, saidIn, standingOf } from '../blocks.ts';
import { inert, onOneLine } from '../inert.ts';
import { linesOf } from '../plain.ts';
import { type CardElement, controls, type Forms, plainText } from './forms.ts';
import { mentionOnCard } from './inert.ts';

export interface Card {
  readonly schema: '2.0';
  readonly [name: string]: unknown;
}

interface Rendered {
  readonly card: Card;
  /** Whether all of the request is on the card; if not, the card says so, and what it leaves out goes as text. */
  readonly whole: boolean;
}

/** The platform takes 30 KB and 200 elements; some room is left for how it counts. */
const MOST_BYTES = 28 * 1024;
const MOST_ELEMENTS = 190;
/** Kept free while a card waits: who decided, what they said, and a line or more of what came of each task. */
const reserveOf = ({ tasks }: AskView): number => 2048 + 300 * tasks.length;

const WHOLE = Number.POSITIVE_INFINITY;
const ROOMS = [WHOLE, 6000, 2000, 600, 200, 60];

/** The richest card that fits; none if even the poorest does not. Once settled it still shows what it showed before. */
export const renderCard = (
  view: AskView,
  place: Place,
  mention: Mention = mentionOnCard,
): Rendered | undefined => {
  const asked: AskView = { ...view, card: { state: 'waiting' } };
  const layout = layoutOf(asked);
  if (!layout) return undefined;
  const whole = layout.room === WHOLE;
  const request = requestOf(asked, layout.room);
  if (view.card.state === 'waiting')
    return { card: waitingCard(view, request, place, layout.forms, mention), whole };
  for (const room of [...ROOMS, 0]) {
    const card = settledCard(view, request, room, mention);
    if (fits(card, MOST_BYTES)) return { card, whole };
  }
  return undefined;
};

type Mention = (person: string) => string;

interface Layout {
  readonly room: number;
  readonly forms: Forms;
}

/** By the request alone, as if it always waited in a group: so that it comes out the same at every update. */
const layoutOf = (asked: AskView): Layout | undefined => {
  const mostBytes = MOST_BYTES - reserveOf(asked);
  for (const room of ROOMS) {
    const request = requestOf(asked, room);
    for (const forms of ['rich', 'bare'] as const)
      if (fits(waitingCard(asked, request, 'group', forms, mentionOnCard), mostBytes))
        return { room, forms };
  }
  return undefined;
};

const fits = (card: Card, mostBytes: number): boolean => {
  const json = JSON.stringify(card);
  // The platform counts the request, where the card is a string and so escaped once more.
  return (
    Buffer.byteLength(JSON.stringify(json)) <= mostBytes &&
    (json.match(/"tag":"/gu)?.length ?? 0) <= MOST_ELEMENTS
  );
};

const requestOf = (asked: AskView, room: number): readonly CardElement[] =>
  room === WHOLE
    ? contentOf(asked).flatMap(wholeTask)
    : [cardTextsIn(asked.language).fullAbove, ...beginningsOf(asked, room, inert)].map(div);

const waitingCard = (
  view: AskView,
  request: readonly CardElement[],
  place: Place,
  forms: Forms,
  mention: Mention,
): Card =>
  cardWith(view, mention, request, [
    div(typedHint(view.language, place, view.ask)),
    ...controls(view, forms),
  ]);

/** `room` is for each text that came after the request: a result, changes, an answer. */
const settledCard = (
  view: AskView,
  request: readonly CardElement[],
  room: number,
  mention: Mention,
): Card => {
  const short = (block: Block): Block => ({
    ...block,
    text: cut(block.text, room, view.language),
  });
  const outcomes = outcomesOf(view, view.tasks.length > 1).map(short);
  const said = saidIn(view);
  const shown = [
    ...(outcomes.length > 0 ? [outcomesText(outcomes)] : []),
    ...(said ? [blockText(short(said))] : []),
  ];
  return cardWith(view, mention, [...request, ...shown.map(div)], []);
};

const cardWith = (
  view: AskView,
  mention: Mention,
  above: readonly CardElement[],
  below: readonly CardElement[],
): Card => {
  const { title, lines } = standingOf(view, mention);
  return {
    schema: '2.0',
    config: { update_multi: true, width_mode: 'fill', summary: { content: title } },
    header: { template: colourOf(view), title: plainText(title) },
    body: {
      elements: [...above, { tag: 'hr' }, { tag: 'markdown', content: lines.join('\n') }, ...below],
    },
  };
};

const div = (content: string): CardElement => ({ tag: 'div', text: plainText(content) });

/** In one element, however many: their number is no reason to leave any out. */
const outcomesText = (outcomes: readonly Block[]): string =>
  outcomes.length === 1 ? outcomes.map(blockText).join('') : linesOf(outcomes, inert);

/** Each block in an element of its own: what one says cannot be taken for another. */
const wholeTask = (blocks: readonly Block[]): readonly CardElement[] =>
  blocks.map((block) => div(blockText(block)));

const blockText = ({ head, text, inline }: Block): string => {
  const parts = [onOneLine(inert(head)), inert(text)].filter((part) => part !== '');
  return parts.join(inline && !text.includes('\n') ? ' ' : '\n');
};

const COLOURS: Record<Exclude<CardState['state'], 'waiting'>, string> = {
  running: 'blue',
  done: 'green',
  failed: 'red',
  unknown: 'orange',
  cancelled: 'grey',
  expired: 'grey',
  replaced: 'grey',
  answered: 'green',
  lapsed: 'orange',
  changed: 'orange',
  'gave-up': 'red',
};

const colourOf = ({ card, tasks, question }: AskView): string => {
  if (card.state !== 'waiting') return COLOURS[card.state];
  if (question) return 'blue';
  const risks = tasks.map(({ risk }) => risk);
  if (risks.includes('HIGH')) return 'red';
  return risks.includes('MEDIUM') ? 'orange' : 'blue';
};
