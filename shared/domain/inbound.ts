import type { DecisionKind } from './ask.ts';
import type { AskId, Binding, MessageId, PersonId, SessionId } from './ids.ts';
import type { Address } from './session.ts';

/** What a channel makes of a platform's payload. Vendor words stop there. */
export type Inbound = InboundMessage | InboundDecision;

export interface InboundMessage {
  readonly type: 'message';
  readonly id: MessageId;
  readonly from: PersonId;
  /** Messages of bots never decide and start nothing. */
  readonly bot: boolean;
  readonly to: Address;
  /** Mentions of the bot taken out, white space trimmed. */
  readonly text: string;
  /** A picture, a file, a voice: `text` only names it, and it starts and decides nothing. */
  readonly unreadable?: true;
  readonly sentAt: number;
  /** Ids mentioned, and whether any of them is marked as a bot: all there is to go by until our own id is known. */
  readonly mentions: readonly string[];
  /** Mentions as they stand in the text, such as `@李雷`: words that decide are read without them. */
  readonly mentionNames?: readonly string[];
  readonly mentionsSomeBot: boolean;
  /** The message this one replies to. */
  readonly parent?: string;
}

/** A click on a card, or a client's answer: it names its ask. All of it but `by` is an untrusted pointer. */
export interface InboundDecision {
  readonly type: 'decision';
  readonly id: string;
  readonly session: SessionId;
  readonly ask: AskId;
  readonly binding?: Binding;
  readonly by: PersonId;
  readonly kind: Exclude<DecisionKind, 'timeout' | 'gave-up'>;
  /** Positions counted from 0; a card knows how many tasks it shows. */
  readonly picked?: readonly number[];
  readonly tasks: number;
  readonly text?: string;
  /** A form's text must be read against the ask before it counts: one read more. */
  readonly form: boolean;
}
