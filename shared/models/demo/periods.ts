/** A span of time relative to now. */
export type Period =
  /** A whole calendar unit: this one (0), the one before (-1). */
  | { readonly kind: 'calendar'; readonly unit: Unit; readonly offset: number }
  | { readonly kind: 'last' | 'older'; readonly unit: Unit; readonly count: number };
type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';

const UNITS: Readonly<Record<string, Unit>> = {
  小时: 'hour',
  天: 'day',
  日: 'day',
  周: 'week',
  星期: 'week',
  礼拜: 'week',
  月: 'month',
  年: 'year',
};
const unitOf = (word = ''): Unit => UNITS[word] ?? (word.toLowerCase().replace(/s$/, '') as Unit);

const DIGITS = '零一二三四五六七八九';
const ENGLISH = 'zero one two three four five six seven eight nine ten'.split(' ');
/** In digits, to 99 in Chinese, to ten in English. */
export const countIn = (text: string): number | undefined => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const english = ENGLISH.indexOf(text.toLowerCase());
  if (english > 0) return english;
  const match = /^([一二两三四五六七八九])?(十)?([一二三四五六七八九])?$/u.exec(text);
  if (!match || text === '') return undefined;
  const [, first = '', ten, last = ''] = match;
  const digit = (character: string) => DIGITS.indexOf(character.replace('两', '二'));
  if (!ten) return last === '' ? digit(first) : undefined;
  return (first === '' ? 1 : digit(first)) * 10 + (last === '' ? 0 : digit(last));
};

const NUMBER = `(\\d{1,4}|[一二两三四五六七八九十]{1,3}|${ENGLISH.join('|')})`;
const CHINESE_UNIT = '(小时|天|日|周|星期|礼拜|月|年)';
const ENGLISH_UNIT = '(hours?|days?|weeks?|months?|years?)';
const END = '(?![A-Za-z0-9_])';

const calendar = (unit: Unit, offset: number): Period => ({ kind: 'calendar', unit, offset });
const counted = (kind: 'last' | 'older', number = '', unit?: string): Period | undefined => {
  const count = countIn(number);
  return count === undefined ? undefined : { kind, unit: unitOf(unit), count };
};

type Reading = readonly [string, (...groups: (string | undefined)[]) => Period | undefined];
const READINGS: readonly Reading[] = [
  ['今天|今日|today', () => calendar('day', 0)],
  ['昨天|昨日|yesterday', () => calendar('day', -1)],
  ['前天', () => calendar('day', -2)],
  ['今年', () => calendar('year', 0)],
  ['去年', () => calendar('year', -1)],
  ['(?:本|这个|这|当)(周|星期|礼拜|月|年)', (unit) => calendar(unitOf(unit), 0)],
  ['上个?(周|星期|礼拜|月)', (unit) => calendar(unitOf(unit), -1)],
  [`this (week|month|year)${END}`, (unit) => calendar(unitOf(unit), 0)],
  [`(?:last|previous) (week|month|year)${END}`, (unit) => calendar(unitOf(unit), -1)],
  [
    `(?:最近|近|过去)\\s*(?:的)?\\s*${NUMBER}\\s*个?${CHINESE_UNIT}(?:以内|之内|内)?`,
    (number, unit) => counted('last', number, unit),
  ],
  [
    `${NUMBER}\\s*个?${CHINESE_UNIT}(?:以内|之内|内)`,
    (number, unit) => counted('last', number, unit),
  ],
  [
    `(?:超过\\s*)?${NUMBER}\\s*个?${CHINESE_UNIT}(?:以前|之前|前)`,
    (number, unit) => counted('older', number, unit),
  ],
  [
    `(?:in )?(?:the )?(?:last|past) ${NUMBER} ${ENGLISH_UNIT}${END}`,
    (number, unit) => counted('last', number, unit),
  ],
  [`older than ${NUMBER} ${ENGLISH_UNIT}${END}`, (number, unit) => counted('older', number, unit)],
  [
    `(?:more than|over) ${NUMBER} ${ENGLISH_UNIT} ago${END}`,
    (number, unit) => counted('older', number, unit),
  ],
];
const COMPILED = READINGS.map(
  ([source, read]) => [new RegExp(source.replaceAll(' ', '\\s+'), 'iuy'), read] as const,
);

export const periodAt = (text: string, at: number): { period: Period; end: number } | undefined => {
  let longest: { period: Period; end: number } | undefined;
  for (const [pattern, read] of COMPILED) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    const period = match && read(...match.slice(1));
    if (period && pattern.lastIndex > (longest?.end ?? at))
      longest = { period, end: pattern.lastIndex };
  }
  return longest;
};
