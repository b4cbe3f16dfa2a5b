import { inert, written } from '../inert.ts';

/** Every sign that markdown may take for formatting inside a line, or for an address, and its twin that nothing does. */
const TWINS: Readonly<Record<string, string>> = {
  '*': '＊',
  _: '＿',
  '~': '～',
  '`': '｀',
  '[': '［',
  ']': '］',
  '<': '＜',
  '&': '＆',
  '\\': '＼',
  '|': '｜',
  ':': '：',
};
/** A colon only where it makes an address, which could open a page, or write, for whoever touches it. */
const SIGNS = /[*_~`[\]<&\\|]|:(?=\/\/)/gu;
const TWIN = /[＊＿～｀［］＜＆＼｜]|：(?=\/\/)/gu;

/**
 * For markdown, whose escapes the platform does not document. A twin that was there before is written out, spaces that
 * would be folded are made to stay, and so two different texts never look the same.
 */
export const inertInMarkdown = (text: string): string =>
  inert(text)
    .replace(TWIN, written)
    .replace(SIGNS, (sign) => TWINS[sign] ?? sign)
    .replace(/\t/gu, written)
    .replace(/ (?= )|^ | $/gmu, '\u{a0}');

/** Whether some of it is shown as a twin. */
export const hasSigns = (text: string): boolean => text.search(SIGNS) >= 0;

/** A person's id on the platform. */
export const staffIn = (person: string): string | undefined =>
  /^dingtalk:(.+)$/su.exec(person)?.[1];

/** The platform calls those whose id follows the sign and who are named beside the text as well. */
const called = (person: string, otherwise: (text: string) => string): string => {
  const staff = staffIn(person);
  return staff !== undefined && /^[\w.-]+$/.test(staff) ? `@${staff}` : otherwise(person);
};
export const nameOf = (person: string): string => called(person, inert);
export const nameInMarkdown = (person: string): string => called(person, inertInMarkdown);
