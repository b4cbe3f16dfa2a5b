import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import type { AskView } from '#ports/channel.ts';
import { beginningsOf } from '../beginnings.ts';
import { contentOf, saidIn, standingOf } from '../blocks.ts';
import { inert } from '../inert.ts';
import { linesOf } from '../plain.ts';
import { splitText } from '../split-text.ts';
import { pointerOf } from './click.ts';
import { nameOf } from './inert.ts';

export interface Rendered {
  /** The variables of the card's template. All of them are texts. */
  readonly params: Readonly<Record<string, string>>;
  /** Whether all of it is on the card; if not, the card says so, and the whole goes as text. */
  readonly whole: boolean;
}

/** A variable holds 1 KB; the template has as many text fields as stand here, one below the other. */
const MOST_BYTES = 1000;
const FIELDS = 8;

const ROOMS = [Number.POSITIVE_INFINITY, 2000, 600, 200, 60, 20];

/** The template shows every text as it is and interprets nothing. */
export const renderCard = (view: AskView, place: Place): Rendered => {
  const { title, lines } = standingOf(view, nameOf);
  const waiting = view.card.state === 'waiting';
  const { fields, whole } = fieldsOf(view);
  return {
    params: {
      title: fitted(title),
      ...Object.fromEntries(
        Array.from({ length: FIELDS }, (_, index) => [`text_${index + 1}`, fields[index] ?? '']),
      ),
      lines: fitted(lines.join('\n')),
      hint: waiting && place !== 'elsewhere' ? typedHint(view.language, place, view.ask) : '',
      waiting: String(waiting),
      ...(waiting && controls(view)),
    },
    whole,
  };
};

const controls = (view: AskView): Readonly<Record<string, string>> => {
  const texts = cardTextsIn(view.language);
  return {
    confirm_label: view.tasks.length > 1 ? texts.confirmAll : texts.confirm,
    cancel_label: texts.cancel,
    modify_label: texts.modify,
    modify_hint: texts.modifyHint,
    pointer: pointerOf(view),
  };
};

const fieldsOf = (view: AskView): { fields: readonly string[]; whole: boolean } => {
  for (const room of ROOMS) {
    const whole = room === Number.POSITIVE_INFINITY;
    const fields = splitText(bodyOf(view, room, whole), MOST_BYTES);
    if (fields.length <= FIELDS) return { fields, whole };
  }
  return { fields: [cardTextsIn(view.language).fullAbove], whole: false };
};

const bodyOf = (view: AskView, room: number, whole: boolean): string => {
  const said = saidIn(view);
  return [
    ...(whole
      ? contentOf(view).map((blocks) => linesOf(blocks, inert))
      : [cardTextsIn(view.language).fullAbove, ...beginningsOf(view, room, inert)]),
    ...(said ? [linesOf([said], inert)] : []),
  ].join('\n\n');
};

const fitted = (text: string): string => {
  const [first = '', ...rest] = splitText(text, MOST_BYTES - 3);
  return rest.length > 0 ? `${first}…` : first;
};
