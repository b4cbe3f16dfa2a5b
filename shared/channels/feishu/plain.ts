import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import type { AskView } from '#ports/channel.ts';
import { type Block, contentOf, outcomesOf, saidIn, standingOf } from './blocks.ts';
import { inertInText, mentionInText, onOneLine } from './inert.ts';

/** As lines that cannot be mistaken for each other: `•` begins what has a name, `│` is text that anybody may have written. */
export const linesOf = (
  blocks: readonly Block[],
  show: (text: string) => string = inertInText,
): string => blocks.map((block) => blockLines(block, show)).join('\n');

const blockLines = ({ head, text, inline }: Block, show: (text: string) => string): string => {
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
export const fullText = (view: AskView): string =>
  [cardTextsIn(view.language).fullBelow, ...contentOf(view).map((blocks) => linesOf(blocks))].join(
    '\n\n',
  );

/** The whole card as a text, and what to type. */
export const askText = (view: AskView, place: Place): string => {
  const { title, lines } = standingOf(view, mentionInText);
  return [
    title,
    ...contentOf(view).map((blocks) => linesOf(blocks)),
    [...lines, typedHint(view.language, place, view.ask), cardTextsIn(view.language).asText].join(
      '\n',
    ),
  ].join('\n\n');
};

/** What has become of it, short: the request itself was shown before. */
export const outcomeText = (view: AskView): string => {
  const { title, lines } = standingOf(view, mentionInText);
  const said = saidIn(view);
  const blocks = [...(said ? [said] : []), ...outcomesOf(view)];
  return [[title, ...lines].join('\n'), ...(blocks.length > 0 ? [linesOf(blocks)] : [])].join(
    '\n\n',
  );
};
