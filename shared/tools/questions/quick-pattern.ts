/** No answer is longer. */
const LONGEST = 1_000;
/** Each costs at most the length of an answer: far below a second in all. */
const MOST_WAYS = 10_000;

/**
 * Whether a regular expression, valid by itself, answers soon whatever it is given. A model writes it and strangers write
 * what it reads, so it is taken only if there are few ways to divide a text among its parts, all of them counted.
 */
export const isQuick = (pattern: string): boolean => {
  const parts = [...pattern.matchAll(PART)].map(partOf);
  const alternatives = [1];
  let ways = 1;
  for (const [index, part] of parts.entries()) {
    const { kind, least, most } = part;
    // What is repeated as a whole divides its text anew each time.
    if (kind === 'refused' || (kind === 'close' && most > 1)) return false;
    if (kind === 'open') alternatives.push(1);
    if (kind === 'or') alternatives.push((alternatives.pop() ?? 1) + 1);
    if (kind === 'close') ways *= alternatives.pop() ?? 1;
    if (!endsByItself(part, parts.slice(index + 1))) ways *= Math.min(most - least + 1, LONGEST);
  }
  return ways * (alternatives.pop() ?? 1) <= MOST_WAYS;
};

interface Part {
  readonly kind: string;
  readonly source: string;
  readonly least: number;
  readonly most: number;
}

/** Refused are references, looking around, groups with flags, and halves of a character. */
const PART = new RegExp(
  [
    /(?<refused>\\[1-9k]|\\u[dD][89a-fA-F]|\(\?(?!:|<\w))/,
    /(?<open>\((?:\?:|\?<\w+>)?)|(?<close>\))|(?<or>\|)|(?<end>\$)|(?<anchor>\^|\\[bB])/,
    /(?<atom>\\(?:[pPu]\{[^}]*\}|u.{4}|x..|c.|.)|\[(?:\\.|[^\\\]])*\]|.)/,
  ]
    .map(({ source }) => source)
    .join('|')
    .replace(/.*/s, '(?:$&)(?:(?<times>[*+?]|\\{(?<from>\\d+)(?<to>,\\d*)?\\})\\??)?'),
  'gsu',
);

const partOf = ({ groups = {} }: RegExpMatchArray): Part => {
  const { times, from, to = `,${from}`, ...kinds } = groups;
  const [kind = '', source = ''] = Object.entries(kinds).find(([, found]) => found) ?? [];
  if (times === undefined) return { kind, source, least: 1, most: 1 };
  if (from === undefined)
    return { kind, source, least: times === '+' ? 1 : 0, most: times === '?' ? 1 : Infinity };
  return { kind, source, least: Number(from), most: to === ',' ? Infinity : Number(to.slice(1)) };
};

/** Whether only one length of it can lead on: up to the end, or to something of which it takes no character. */
const endsByItself = ({ kind, source, least, most }: Part, after: readonly Part[]): boolean => {
  if (least === most) return true;
  const rest = after.filter((part) => part.kind !== 'close');
  if (kind !== 'atom' || rest.every((part) => part.kind === 'end')) return kind === 'atom';
  const [next] = rest;
  return next?.kind === 'atom' && next.least > 0 && !overlap(source, next.source);
};

const overlap = (one: string, other: string): boolean =>
  new RegExp(`(?=${one})${other}`, 'u').test(everyCharacter());

let every: string | undefined;
const everyCharacter = (): string => {
  every ??= Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).join('');
  return every;
};
