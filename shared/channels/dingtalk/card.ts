import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import type { AskView } from '#ports/channel.ts';
import { beginningsOf, cut } from '../beginnings.ts';
import { contentOf, outcomesOf, saidIn, standingOf } from '../blocks.ts';
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
/** Of these a waiting card leaves free what the decider's words and the results will need. */
const FOR_OUTCOME = 2;

const ROOMS = [Number.POSITIVE_INFINITY, 2000, 600, 200, 60, 20];

/** The template shows every text as it is and interprets nothing. */
export const renderCard = (view: AskView, place: Place): Rendered => {
  const { title, lines } = standingOf(view, nameOf);
  const waiting = view.card.state === 'waiting';
  const { fields: asked, whole } = requestFields(view);
  const fields = [...asked, ...outcomeFields(view, FIELDS - asked.length)];
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

/** What is asked: on a settled card exactly as it was while the card waited. */
const requestFields = (view: AskView): { fields: readonly string[]; whole: boolean } => {
  const waiting: AskView = { ...view, card: { state: 'waiting' } };
  const { fullAbove } = cardTextsIn(view.language);
  for (const room of ROOMS) {
    const whole = room === Number.POSITIVE_INFINITY;
    const parts = whole
      ? contentOf(waiting).map((blocks) => linesOf(blocks, inert))
      : [fullAbove, ...beginningsOf(waiting, room, inert)];
    const fields = fieldsFor(parts.join('\n\n'), FIELDS - FOR_OUTCOME);
    if (fields) return { fields, whole };
  }
  return { fields: [fullAbove], whole: false };
};

/** None if it takes more; a long text is not even split. */
const fieldsFor = (text: string, most: number): readonly string[] | undefined => {
  if (text.length > most * MOST_BYTES) return undefined;
  const fields = splitText(text, MOST_BYTES);
  return fields.length <= most ? fields : undefined;
};

/** What the decider said and what came of it, in the fields that are left. */
const outcomeFields = (view: AskView, most: number): readonly string[] => {
  const said = saidIn(view);
  const blocks = [...(said ? [said] : []), ...outcomesOf(view)];
  if (blocks.length === 0) return [];
  const textWith = (room: number): string =>
    blocks.map((block) => cut(linesOf([block], inert), room, view.language)).join('\n');
  for (const room of ROOMS) {
    const fields = fieldsFor(textWith(room), most);
    if (fields) return fields;
  }
  return splitText(cut(textWith(200), most * LEAST_CHARACTERS, view.language), MOST_BYTES);
};

/** A field holds twice as many of the widest, and may be broken at its middle, where a line ends. */
const LEAST_CHARACTERS = 150;

const fitted = (text: string): string => {
  const [first = '', ...rest] = splitText(text, MOST_BYTES - 3);
  return rest.length > 0 ? `${first}…` : first;
};
