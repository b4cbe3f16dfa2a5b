import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import type { AskView, CardState } from '#ports/channel.ts';
import { beginningsOf, cut } from '../beginnings.ts';
import { type Block, contentOf, saidIn, standingOf } from '../blocks.ts';
import { inert, onOneLine } from '../inert.ts';
import { type CardElement, controls, type Forms, plainText } from './forms.ts';
import { mentionOnCard } from './inert.ts';

export interface Card {
  readonly schema: '2.0';
  readonly [name: string]: unknown;
}

interface Rendered {
  readonly card: Card;
  /** Whether all of it is on the card; if not, the card says so, and what it leaves out goes as text. */
  readonly whole: boolean;
}

/** The platform takes 30 KB and 200 elements; some room is left for how it counts. */
const MOST_BYTES = 28 * 1024;
const MOST_ELEMENTS = 190;

/** The richest card that fits; none if even the poorest does not. */
export const renderCard = (view: AskView, place: Place): Rendered | undefined => {
  for (const room of [Number.POSITIVE_INFINITY, 6000, 2000, 600, 200, 60])
    for (const forms of ['rich', 'bare'] as const) {
      const card = cardWith(view, place, room, forms);
      if (fits(card)) return { card, whole: room === Number.POSITIVE_INFINITY };
    }
  return undefined;
};

const fits = (card: Card): boolean => {
  const json = JSON.stringify(card);
  // The platform counts the request, where the card is a string and so escaped once more.
  return (
    Buffer.byteLength(JSON.stringify(json)) <= MOST_BYTES &&
    (json.match(/"tag":"/gu)?.length ?? 0) <= MOST_ELEMENTS
  );
};

const cardWith = (view: AskView, place: Place, room: number, forms: Forms): Card => {
  const texts = cardTextsIn(view.language);
  const waiting = view.card.state === 'waiting';
  const whole = room === Number.POSITIVE_INFINITY;
  const { title, lines } = standingOf(view, mentionOnCard);
  const said = saidIn(view);
  return {
    schema: '2.0',
    config: { update_multi: true, width_mode: 'fill', summary: { content: title } },
    header: { template: colourOf(view), title: plainText(title) },
    body: {
      elements: [
        ...(whole ? [] : [div(texts.fullAbove)]),
        ...(whole ? contentOf(view).flatMap(wholeTask) : beginningsOf(view, room, inert).map(div)),
        ...(said ? [div(cut(blockText(said), room, view.language))] : []),
        { tag: 'hr' },
        { tag: 'markdown', content: lines.join('\n') },
        ...(waiting
          ? [div(typedHint(view.language, place, view.ask)), ...controls(view, forms)]
          : []),
      ],
    },
  };
};

const div = (content: string): CardElement => ({ tag: 'div', text: plainText(content) });

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
