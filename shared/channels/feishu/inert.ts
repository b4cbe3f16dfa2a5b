import { inert, written } from '../inert.ts';

/**
 * For text messages. They interpret `<at …>`, `<b>` and `[text](link)` and know no escape, so the character that
 * begins a tag or joins a link becomes its full-width twin, and a twin that was there before is written out.
 */
export const inertInText = (text: string): string =>
  inert(text)
    .replace(/[＜］]/gu, written)
    .replace(/</gu, '＜')
    .replace(/\](?=\()/gu, '］');

/** For what the bot itself says: all is left as it is, but nobody is called. */
export const withoutCalls = (text: string): string => text.replace(/<(?=\s*\/?\s*at)/giu, '＜');

const OPEN_ID = /^feishu:(ou_[A-Za-z0-9]+)$/;

/** A mention calls somebody, so only what is surely an id becomes one. */
export const mentionOnCard = (person: string): string => {
  const id = OPEN_ID.exec(person)?.[1];
  return id ? `<at id=${id}></at>` : idOnCard(person);
};

export const mentionInText = (person: string): string => {
  const id = OPEN_ID.exec(person)?.[1];
  return id ? `<at user_id="${id}"></at>` : inertInText(person);
};

/** Markdown has a meaning for all but letters and digits; as a number none has any. */
export const idOnCard = (text: string): string =>
  inert(text).replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
