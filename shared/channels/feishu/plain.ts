import { cardTextsIn, type Place, typedHint } from '#domain/card-texts.ts';
import type { AskView } from '#ports/channel.ts';
import * as plain from '../plain.ts';
import { inertInText, mentionInText } from './inert.ts';

const HAND: plain.Hand = { inert: inertInText, mention: mentionInText };

export const fullText = (view: AskView): string => plain.fullText(view, HAND);

export const outcomeText = (view: AskView): string => plain.outcomeText(view, HAND);

/** For a card that could not be shown: it says so. */
export const askText = (view: AskView, place: Place): string =>
  plain.askText(view, HAND, [
    typedHint(view.language, place, view.ask),
    cardTextsIn(view.language).asText,
  ]);
