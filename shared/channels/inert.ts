/**
 * Text of strangers, made so that it shows what it is. What cannot be seen is written out as `⟨U+202E⟩`, and so is the
 * bracket that begins such a mark: two different texts never look the same.
 */
const UNSEEN =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}\u{27E8}]|(?![ \u{3000}])\p{Zs}/gu;

/** A character as its number. */
export const written = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** For where nothing is interpreted. */
export const inert = (text: string): string => text.replace(UNSEEN, written);

/** One that must stay on its line. */
export const onOneLine = (text: string): string => text.replace(/[\n\t]/gu, written);
