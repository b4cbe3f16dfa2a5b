import { digest } from './digest.ts';

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Brand<'SessionId'>;
/** SQS `SequenceNumber` padded to 39 digits: sorts as text, is never reused, and outgrows no number type. */
export type TurnId = Brand<'TurnId'>;
/** At most 50 of `[A-Za-z0-9_-]`: it is also a schedule's name, Feishu's `uuid` and DingTalk's `outTrackId`. */
export type AskId = Brand<'AskId'>;
/** `channel:id`, so that one list of approvers can name people of several platforms. */
export type PersonId = Brand<'PersonId'>;
export type MessageId = Brand<'MessageId'>;
/** Who holds a turn. The same job has the same name on redelivery and after a redrive. */
export type JobName = Brand<'JobName'>;
/** Random per invocation: by it a write that was applied and retried recognises itself. */
export type AttemptId = Brand<'AttemptId'>;
/** Digest of exactly what was shown and will run. */
export type Binding = Brand<'Binding'>;

export const personId = (channel: string, id: string) => `${channel}:${id}` as PersonId;
export const messageId = (id: string) => id as MessageId;

export interface SessionParts {
  readonly channel: string;
  readonly app: string;
  readonly chat: string;
  readonly thread?: string | undefined;
  readonly person?: PersonId | undefined;
}

export const sessionId = ({ channel, app, chat, thread, person }: SessionParts) =>
  [channel, app, chat, thread, person].filter((part) => part !== undefined).join(':') as SessionId;

export const paddedSequence = (sequence: string) => sequence.padStart(39, '0');
export const turnId = (sequence: string) => paddedSequence(sequence) as TurnId;
export const askId = (session: SessionId, turn: TurnId, nth: number) =>
  `a${digest([session, turn, nth]).slice(0, 31)}` as AskId;

const LETTERS = 'bcdfghjkmnpqrstvwxz';
const SYMBOLS = `${LETTERS}23456789`;

/**
 * What a button that can only send a text puts behind its word, so that the text names its ask. It begins with a letter
 * and has no vowel: it is never a pick and never a word.
 */
export const askCode = (id: AskId): string =>
  [...digest(['code', id]).slice(0, 8)]
    .map((symbol, index) => {
      const alphabet = index === 0 ? LETTERS : SYMBOLS;
      return alphabet[symbol.charCodeAt(0) % alphabet.length];
    })
    .join('');

export const jobName = {
  message: (id: MessageId) => `m:${id}` as JobName,
  resume: (ask: AskId) => `r:${ask}` as JobName,
  next: (id: MessageId, after: JobName) => `n:${digest([id, after]).slice(0, 32)}` as JobName,
  more: (turn: TurnId, part: number) => `c:${turn}:${part}` as JobName,
  dead: (name: JobName) => (name.startsWith('dead:') ? name : `dead:${name}`) as JobName,
};

/** A platform's idempotency key: one per thing said and receiver, or several copies of a card would be one. */
export const platformKey = (...parts: readonly (string | number)[]) => digest(parts).slice(0, 40);
