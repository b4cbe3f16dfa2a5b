import { COMPARISONS, VERBS, type Word } from './lexicon.ts';
import { type Request, type Unclear, unclear } from './request.ts';
import { isUnknown, type Token } from './tokens.ts';

/** One request of a sentence. */
export interface Clause {
  readonly tokens: readonly Token[];
  /** The message it is part of, and where in it the clause ends. */
  readonly text: string;
  readonly end: number;
}

const JOINTS = new Set<Word>(['next', 'more', 'comma', 'and']);
const is = (token: Token | undefined, ...words: readonly Word[]): boolean =>
  token?.word !== undefined && words.includes(token.word);

const skip = (tokens: readonly Token[], from: number, ...words: readonly Word[]): number => {
  let at = from;
  while (is(tokens[at], ...words)) at += 1;
  return at;
};

/** Does a new request begin here? A comma or an "and" parts two requests only before a verb. */
const starts = (tokens: readonly Token[], from: number): boolean => {
  const at = skip(tokens, from, 'noise');
  const [token, next] = [tokens[at], tokens[at + 1]];
  if (token?.word === undefined) return false;
  if (token.name && next?.word !== undefined && COMPARISONS.has(next.word)) return false;
  if (token.word === 'write') return is(tokens[skip(tokens, at + 1, 'noise', 'rows')], 'notes');
  if (token.word === 'notes') return is(next, 'colon');
  return VERBS.has(token.word);
};

export const clausesOf = (text: string, tokens: readonly Token[]): readonly Clause[] => {
  const clauses: Clause[] = [];
  let from = 0;
  const cut = (to: number, next: number) => {
    const part = tokens.slice(from, to);
    if (part.some(({ word }) => word !== 'noise'))
      clauses.push({ tokens: part, text, end: tokens[to]?.start ?? text.length });
    from = next;
  };
  for (let at = 0; at < tokens.length; at += 1) {
    if (!is(tokens[at], ...JOINTS)) continue;
    const after = skip(tokens, at, ...JOINTS);
    const joint = new Set(tokens.slice(at, after).map(({ word }) => word));
    const begins = starts(tokens, after);
    // What a note says may hold any word: it ends only where somebody clearly goes on to the next request.
    const noted = noteText(tokens.slice(from, Math.min(at, from + HEAD))) !== undefined;
    const clearly = joint.has('next') || (joint.has('comma') && joint.has('more'));
    if (noted ? begins && clearly : begins || joint.has('next')) cut(at, after);
    at = after - 1;
  }
  cut(tokens.length, tokens.length);
  return clauses;
};

/** A note says that it is one in its first words. */
const HEAD = 12;

/** Where the text of a note begins; `undefined` if none is being written. */
const noteText = (tokens: readonly Token[]): number | undefined => {
  const at = skip(tokens, 0, 'noise');
  const verb = tokens[at];
  if (!verb) return undefined;
  const noun = skip(tokens, at + 1, 'noise', 'rows');
  const colonAfter = (from: number) => {
    const colon = skip(tokens, from, 'noise');
    return is(tokens[colon], 'colon', 'comma') ? tokens[colon]?.end : undefined;
  };
  if (is(verb, 'note', 'write', 'insert') && is(tokens[noun], 'notes'))
    return colonAfter(noun + 1) ?? tokens[noun]?.end;
  if (is(verb, 'note')) return colonAfter(at + 1) ?? verb.end;
  // 记录 is a noun, unless it opens the sentence and says what.
  if (is(tokens[at + 1], 'colon') && (is(verb, 'notes') || verb.text === '记录'))
    return tokens[at + 1]?.end;
  const english = /^(?:note|memo)$/i.test(verb.text) && !is(tokens[at + 1], ...VERBS, 'which');
  return english && tokens.length > at + 1 ? verb.end : undefined;
};

const QUOTES = /^(?:"([^"]*)"|'([^']*)'|“([^”]*)”|‘([^’]*)’|「([^」]*)」|『([^』]*)』)$/u;
const unquoted = (text: string): string => {
  const match = QUOTES.exec(text);
  return match?.slice(1).find((group) => group !== undefined) ?? text;
};

const AROUND: readonly Word[] = ['noise', 'all', 'rows', 'notes', 'take'];

/** A request about the notes; `undefined` where the clause is about something else. */
export const readNoteClause = ({ tokens, text, end }: Clause): Request | Unclear | undefined => {
  const start = noteText(tokens);
  if (start !== undefined)
    return { kind: 'write-note', text: unquoted(text.slice(start, end).trim()) };
  const has = (...words: readonly Word[]) => tokens.some((token) => is(token, ...words));
  if (!has('notes') || has('tables', 'update', 'assign', 'to', 'insert')) return undefined;
  const allowed: readonly Word[] = has('delete', 'clear')
    ? [...AROUND, 'delete', 'clear']
    : [...AROUND, 'list', 'count', 'which'];
  const odd = tokens.find((token) => isUnknown(token) || !is(token, ...allowed));
  if (odd) return unclear('words', odd.text);
  return { kind: has('delete', 'clear') ? 'delete-notes' : 'read-notes' };
};
