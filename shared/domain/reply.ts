import type { Ask } from './ask.ts';

/**
 * Reads a person's text. Deterministic, outside the model, and only the whole message counts: "ok?", "now please" and
 * "确认一下这是什么" decide nothing.
 */
export type Reply =
  | { readonly kind: 'confirm'; readonly picked?: readonly number[] }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'modify'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
  /** A pick of a task, or an answer, that does not exist: nothing is decided and the person is told what would do. */
  | { readonly kind: 'wrong'; readonly wrong: 'pick' | 'choice' | 'pattern'; readonly of: number }
  | { readonly kind: 'other' };

const CONFIRM = new Set(
  (
    '确认 确定 同意 批准 执行 确认执行 通过 是 是的 好 好的 可以 行 没问题 👍 ✅ [赞] [ok] ' +
    'confirm confirmed yes y yep ok okay approve approved'
  ).split(' '),
)
  .add('go ahead')
  .add('do it');
const CANCEL = new Set(
  (
    '取消 拒绝 不 不要 不行 不同意 不确认 否 别 算了 停 👎 ❌ ' +
    "cancel no n nope reject rejected deny stop don't"
  ).split(' '),
);
const MODIFY = /^\s*(?:修改|改为|改成|modify|change)(?:\s*:\s*|\s+)(?=\S)/iu;
const PICK = /^(?:确认 ?|confirm )(\d+(?:(?: ?[,、] ?| )\d+)*)$/u;

const SKIN_TONES = /[\u{1F3FB}-\u{1F3FF}]/gu;
const FULL_WIDTH = /[\u{FF01}-\u{FF5E}]/gu;
/** Looked for where it begins only: tried from every sign of a long row of them, it would take minutes. */
const CLOSING = /(?<![ 。.!~])[ 。.!~]+$/u;

const narrow = (text: string): string =>
  text.replace(FULL_WIDTH, (wide) => String.fromCodePoint((wide.codePointAt(0) ?? 0) - 0xfee0));

/** Case, width, white space, quotes, skin tones and closing punctuation folded; a question mark never is. */
export const fold = (text: string): string =>
  narrow(text)
    .replace(/’/gu, "'")
    .replace(SKIN_TONES, '')
    .replace(/\u{FE0F}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(CLOSING, '')
    .toLowerCase();

/** A bare word that would decide, whatever is open. */
export const bareDecision = (text: string): 'confirm' | 'cancel' | undefined => {
  const folded = fold(text);
  if (CONFIRM.has(folded)) return 'confirm';
  return CANCEL.has(folded) ? 'cancel' : undefined;
};

/** People type what they see on a button, and clients have their own ideas of a space. */
const CODED =
  /^\s*(确认|取消|修改|confirm|cancel|modify)[ +-]?([b-df-hj-km-np-tv-xz][2-9b-df-hj-km-np-tv-xz]{7})(?![^\s:。.!~])(.*)$/isu;

/**
 * A button that sends a text instead of calling back: what it says, and the code of the ask whose card it stands on. The
 * same with a pick or with what to change behind it, as people type it.
 */
export const buttonIn = (
  text: string,
): { readonly word: string; readonly code: string } | undefined => {
  const [, word = '', code = '', rest = ''] = CODED.exec(narrow(text)) ?? [];
  if (!code) return undefined;
  // A narrow character is as long as its wide one: the rest is taken as it was written.
  const said = `${word}${text.slice(text.length - rest.length)}`;
  const reads = readConfirm(said, Number.MAX_SAFE_INTEGER).kind;
  return reads === 'other' ? undefined : { word: said, code: code.toLowerCase() };
};

const numbersIn = (list: string): readonly number[] => [
  ...new Set(list.split(/[,、 ]+/u).map(Number)),
];

const readConfirm = (text: string, tasks: number): Reply => {
  const word = bareDecision(text);
  if (word) return { kind: word };
  const pick = PICK.exec(fold(text));
  if (pick?.[1]) {
    const numbers = numbersIn(pick[1]);
    const exist = numbers.every((number) => number >= 1 && number <= tasks);
    return exist
      ? { kind: 'confirm', picked: numbers.map((number) => number - 1) }
      : { kind: 'wrong', wrong: 'pick', of: tasks };
  }
  // Only the word is folded, not what it asks for; a narrow character is as long as its wide one.
  const change = MODIFY.exec(narrow(text));
  return change ? { kind: 'modify', text: text.slice(change[0].length).trim() } : { kind: 'other' };
};

const chosen = (text: string, options: readonly string[]): string | undefined => {
  const folded = fold(text);
  const label = options.find((option) => fold(option) === folded);
  return label ?? (/^\d+$/.test(folded) ? options[Number(folded) - 1] : undefined);
};

const readChoice = (text: string, options: readonly string[], multiple: boolean): Reply => {
  const whole = chosen(text, options);
  if (whole !== undefined) return { kind: 'answer', text: whole };
  const parts = multiple
    ? text.split(/[,，、]/u).map((part) => chosen(part, options))
    : [undefined];
  if (parts.some((part) => part === undefined))
    return { kind: 'wrong', wrong: 'choice', of: options.length };
  return { kind: 'answer', text: [...new Set(parts)].join(', ') };
};

/** It meets text of strangers: long texts are refused before it runs. */
const matches = (pattern: string, text: string): boolean => {
  if (text.length > 1000) return false;
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').test(text);
  } catch {
    // A model wrote it, and it is no regular expression: a question that nobody can answer helps nobody.
    return true;
  }
};

/** Mentions are no part of a word that decides, but they are of a sentence: "ask @Ann first" loses nothing. */
export const readAmongMentions = (
  text: string,
  mentions: readonly string[],
  ask: Pick<Ask, 'kind' | 'tasks' | 'question'>,
): Reply => {
  const bare = readReply(withoutMentions(text, mentions), ask);
  const decides = bare.kind === 'confirm' || bare.kind === 'cancel' || ask.kind === 'choice';
  if (decides || mentions.length === 0) return bare;
  const whole = readReply(text, ask);
  return whole.kind === 'other' ? bare : whole;
};

/** The longest first: one name may begin another. */
export const withoutMentions = (text: string, mentions: readonly string[]): string =>
  [...mentions]
    .sort((one, other) => other.length - one.length)
    .reduce((rest, mention) => rest.replaceAll(mention, ' '), text)
    .trim();

export const readReply = (text: string, ask: Pick<Ask, 'kind' | 'tasks' | 'question'>): Reply => {
  if (ask.kind === 'confirm') return readConfirm(text, ask.tasks.length);
  if (['取消', 'cancel'].includes(fold(text))) return { kind: 'cancel' };
  const { options = [], multiple = false, pattern } = ask.question ?? {};
  if (ask.kind === 'choice') return readChoice(text, options, multiple);
  if (pattern !== undefined && !matches(pattern, text.trim()))
    return { kind: 'wrong', wrong: 'pattern', of: 0 };
  return { kind: 'answer', text: text.trim() };
};
