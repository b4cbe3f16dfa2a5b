import { cardTextsIn } from '#domain/card-texts.ts';
import type { AskView } from '#ports/channel.ts';
import { type Block, contentOf, outcomesOf, saidIn, standingOf } from './blocks.ts';
import { onOneLine } from './inert.ts';

/** How a platform's text messages are written: so that they interpret nothing, and so that they call somebody. */
export interface Hand {
  readonly inert: (text: string) => string;
  readonly mention: (person: string) => string;
}

/** As lines that cannot be mistaken for each other: `•` begins what has a name, `│` is text that anybody may have written. */
export const linesOf = (blocks: readonly Block[], show: Hand['inert']): string =>
  blocks.map((block) => blockLines(block, show)).join('\n');

const blockLines = ({ head, text, inline }: Block, show: Hand['inert']): string => {
  const named = head === '' ? [] : [`• ${onOneLine(show(head))}`];
  if (text === '') return named.join('\n');
  if (inline && !text.includes('\n')) return `${named.join('')} ${show(text)}`;
  return [
    ...named,
    ...show(text)
      .split('\n')
      .map((line) => `│ ${line}`),
  ].join('\n');
};

/** All that will run, for the messages that go ahead of a card too small for it. */
export const fullText = (view: AskView, { inert }: Hand): string =>
  [
    cardTextsIn(view.language).fullBelow,
    ...contentOf(view).map((blocks) => linesOf(blocks, inert)),
  ].join('\n\n');

/** The whole card as a text; `closing` says what to type. */
export const askText = (view: AskView, hand: Hand, closing: readonly string[]): string => {
  const { title, lines } = standingOf(view, hand.mention);
  return [
    title,
    ...contentOf(view).map((blocks) => linesOf(blocks, hand.inert)),
    [...lines, ...closing].join('\n'),
  ].join('\n\n');
};

/** What has become of it, short: the request itself was shown before. */
export const outcomeText = (view: AskView, hand: Hand): string => {
  const { title, lines } = standingOf(view, hand.mention);
  const said = saidIn(view);
  const blocks = [...(said ? [said] : []), ...outcomesOf(view)];
  return [
    [title, ...lines].join('\n'),
    ...(blocks.length > 0 ? [linesOf(blocks, hand.inert)] : []),
  ].join('\n\n');
};
