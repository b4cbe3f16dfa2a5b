import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import type { AskView } from '#ports/channel.ts';
import * as plain from '../plain.ts';
import { inertInText, mentionInText } from './inert.ts';

const handOf = (mention = mentionInText): plain.Hand => ({ inert: inertInText, mention });

export const fullText = (view: AskView): string => plain.fullText(view, handOf());

export const outcomeText = (view: AskView, mention?: plain.Hand['mention']): string =>
  plain.outcomeText(view, handOf(mention));

/** For a card that could not be shown: it says so. */
export const askText = (view: AskView, place: Place, mention?: plain.Hand['mention']): string =>
  plain.askText(view, handOf(mention), [
    typedHint(view.language, place, view.ask),
    cardTextsIn(view.language).asText,
  ]);
