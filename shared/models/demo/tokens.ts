import { LEXICON, type Word } from './lexicon.ts';
import type { Name, Names } from './names.ts';
import { type Period, periodAt } from './periods.ts';

/** A piece of a sentence with everything it may mean; the rules choose. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly word?: Word | undefined;
  readonly name?: Name | undefined;
  readonly period?: Period;
  readonly value?: Value;
}
export interface Value {
  readonly kind: 'number' | 'date' | 'text';
  readonly text: string;
}

const QUOTED = /"([^"]*)"|'((?:[^']|'')*)'|“([^”]*)”|‘([^’]*)’|「([^」]*)」|『([^』]*)』/uy;
const DATE =
  /(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})日?(?:[ T](\d{1,2}:\d{2}(?::\d{2})?))?(?![\d-])/uy;
const NUMBER = /[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![A-Za-z0-9_@])/uy;
const PLAIN_WORD = /[A-Za-z0-9_À-ɏ](?:[\w@+\-/.À-ɏ]*[A-Za-z0-9_À-ɏ])?/uy;
const SPACE = /\s+/uy;
const WORD_CHARACTER = /[A-Za-z0-9_]/;
/** Far more than a sentence. What is longer is one unknown word. */
const LONGEST = 5_000;

/** Full-width signs as plain ones, each as long as before. */
const narrow = (text: string): string =>
  text.replace(/[\u{FF01}-\u{FF5E}]/gu, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** What is quoted stays exactly as it was written. */
const literalAt = (
  text: string,
  written: string,
  at: number,
): { value: Value; end: number } | undefined => {
  const inWord = at > 0 && WORD_CHARACTER.test(text[at - 1] ?? '');
  const quoted = inWord ? null : matchAt(QUOTED, written, at);
  if (quoted) {
    const inner = quoted.slice(1).find((group) => group !== undefined) ?? '';
    const plain = quoted[0].startsWith("'") ? inner.replaceAll("''", "'") : inner;
    return { value: { kind: 'text', text: plain }, end: QUOTED.lastIndex };
  }
  const dated = matchAt(DATE, text, at);
  if (dated) {
    const [, year = '', month = '', day = '', time] = dated;
    const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    return {
      value: { kind: 'date', text: time ? `${date} ${time.padStart(5, '0')}` : date },
      end: DATE.lastIndex,
    };
  }
  const number = inWord ? null : matchAt(NUMBER, text, at);
  if (!number) return undefined;
  return {
    value: { kind: 'number', text: number[0].replace(/[,+]/gu, '') },
    end: NUMBER.lastIndex,
  };
};

/** All forms in one pattern, longest first; a form of letters ends where the word ends. */
const compile = (forms: Iterable<string>): RegExp => {
  const sources = [...forms]
    .sort((a, b) => b.length - a.length)
    .map((form) => {
      const source = form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+');
      const before = WORD_CHARACTER.test(form[0] ?? '') ? '(?<![A-Za-z0-9_])' : '';
      const after = WORD_CHARACTER.test(form.at(-1) ?? '') ? '(?![A-Za-z0-9_])' : '';
      return `${before}${source}${after}`;
    });
  return new RegExp(sources.length > 0 ? sources.join('|') : '(?!)', 'iuy');
};
const LEXICON_PATTERN = compile(LEXICON.keys());

const folded = (text: string) => text.toLowerCase().replace(/\s+/gu, ' ');

export const tokensOf = (written: string, names: Names): readonly Token[] => {
  if (written.length > LONGEST) return [{ text: written, start: 0, end: written.length }];
  const text = narrow(written);
  const namePattern = compile(names.keys());
  const tokens: Token[] = [];
  let at = 0;
  const push = (end: number, more: Partial<Token> = {}) => {
    tokens.push({ text: written.slice(at, end), start: at, end, ...more });
    at = end;
  };

  while (at < text.length) {
    const space = matchAt(SPACE, text, at)?.[0];
    if (space) {
      if (space.includes('\n')) push(at + space.length, { word: 'next' });
      else at += space.length;
      continue;
    }
    const period = periodAt(text, at);
    const literal = literalAt(text, written, at);
    const word = matchAt(LEXICON_PATTERN, text, at)?.[0] ?? '';
    const name = matchAt(namePattern, text, at)?.[0] ?? '';
    const plain = matchAt(PLAIN_WORD, text, at)?.[0] ?? '';
    const longest = Math.max(word.length, name.length);
    if (period && period.end - at >= longest) push(period.end, { period: period.period });
    else if (literal && literal.end - at >= longest) push(literal.end, { value: literal.value });
    else if (plain.length > longest) push(at + plain.length);
    else if (longest > 0)
      push(at + longest, {
        ...(word.length === longest && { word: LEXICON.get(folded(word)) }),
        ...(name.length === longest && { name: names.get(folded(name)) }),
      });
    else pushUnknown(tokens, written, at, (end) => push(end));
  }
  return tokens;
};

/** Unknown characters side by side are one unknown word. */
const pushUnknown = (
  tokens: Token[],
  text: string,
  at: number,
  push: (end: number) => void,
): void => {
  const end = at + String.fromCodePoint(text.codePointAt(at) ?? 0).length;
  const last = tokens.at(-1);
  const joins = last?.end === at && isUnknown(last) && !WORD_CHARACTER.test(last.text.at(-1) ?? '');
  push(end);
  if (!last || !joins) return;
  tokens.splice(-2, 2, { text: text.slice(last.start, end), start: last.start, end });
};

export const isUnknown = ({ word, name, period, value }: Token): boolean =>
  word === undefined && name === undefined && period === undefined && value === undefined;
