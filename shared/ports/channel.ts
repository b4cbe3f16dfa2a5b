import type { Ask, DecisionKind, Question, SettledState } from '#domain/ask.ts';
import type { JsonObject } from '#domain/canonical-json.ts';
import type { MessageId, PersonId, SessionId } from '#domain/ids.ts';
import type { Inbound } from '#domain/inbound.ts';
import type { Address } from '#domain/session.ts';
import type { Language, Risk } from '#domain/settings.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

export interface TaskView {
  readonly tool: string;
  readonly risk: Risk;
  readonly summary: string;
  readonly preview?: string;
  readonly input: JsonObject;
}

export interface TaskResult {
  readonly state: SettledState;
  /** What the tool or the person said, cut short with a note that says so. */
  readonly text?: string;
}

/** How an ask stands, for its card. */
export type CardState =
  | { readonly state: 'waiting' }
  | {
      readonly state: SettledState;
      readonly by?: PersonId;
      readonly at: number;
      readonly kind: DecisionKind;
      /** One per task, in their order, once they are settled. */
      readonly results?: readonly TaskResult[];
    };

export interface AskView {
  readonly session: SessionId;
  readonly ask: Ask;
  readonly tasks: readonly TaskView[];
  readonly question?: Question;
  readonly card: CardState;
  readonly language: Language;
  /** Where the answers of the turn go, while there is one. */
  readonly to?: Address;
}

export type Receiver =
  | { readonly kind: 'chat'; readonly to: Address }
  | { readonly kind: 'person'; readonly person: PersonId };

export interface Sent {
  readonly chat: string;
  readonly message: string;
  readonly time: number;
}

/** The outward half of a channel. Every act carries a key: repeated with the same one it shows once. */
export interface Channel {
  readonly name: string;
  say(to: Address, text: string, key: string): Promise<void>;
  show(view: AskView, receiver: Receiver, key: string): Promise<Sent>;
  update(view: AskView, sent: Sent, key: string): Promise<void>;
  /** A sign of life on a person's message, before anything slow is done. A courtesy: it may fail. */
  acknowledge?(to: Address, message: MessageId): Promise<void>;
  /** The bot's own id on the platform, by which it knows that it was mentioned. */
  identify?(): Promise<{ readonly app: string; readonly bot: string }>;
}

/** What a channel is built from. Time and the network come from outside. */
export interface ChannelSetup {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly language: Language;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: typeof fetch;
}
/** The inward half makes no platform call and waits for nothing. */
export type WebhookSetup = Pick<ChannelSetup, 'environment' | 'language' | 'log'>;

export interface WebhookRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}
export interface WebhookAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What became of a decision, for the platform's answer to the click. */
export type ClickOutcome =
  /** `view` shows the ask as decided; it is missing where what it shows would take another read. */
  | { readonly kind: 'claimed'; readonly view: AskView | undefined; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string };

/** The inward half: verify the raw bytes, then speak our own types. */
export interface Webhook {
  readonly name: string;
  receive(
    request: WebhookRequest,
    now: number,
  ): Promise<
    | { readonly kind: 'answered'; readonly answer: WebhookAnswer }
    | { readonly kind: 'received'; readonly inbound: readonly Inbound[] }
  >;
  answer(outcomes: readonly (ClickOutcome | undefined)[]): WebhookAnswer;
}

/** Everything about a channel. Its sessions, its settings (`FEISHU_…`) and its address (`/webhook/feishu`) begin with its name. */
export interface ChannelDefinition {
  readonly name: string;
  /** With none of its settings given, a channel is not there. */
  isConfigured(environment: ChannelSetup['environment']): boolean;
  createWebhook(setup: WebhookSetup): Webhook;
  createChannel(setup: ChannelSetup): Channel;
}

interface Halves {
  readonly name: string;
  /** Verifies and normalises; calls nobody. */
  readonly inward: (setup: WebhookSetup) => Omit<Webhook, 'name'>;
  /** Renders and delivers. The webhook function is deployed without it. */
  readonly outward: (setup: ChannelSetup) => Omit<Channel, 'name'>;
}

export const defineChannel = ({ name, inward, outward }: Halves): ChannelDefinition => ({
  name,
  isConfigured: (environment) =>
    Object.entries(environment).some(
      ([key, value]) => value && key.startsWith(`${name.toUpperCase()}_`),
    ),
  createWebhook: (setup) => ({ name, ...inward(setup) }),
  createChannel: (setup) => ({ name, ...outward(setup) }),
});

/** A platform that cannot be reached now (SQS tries again), or that will never take this (the turn is given up). */
export class ChannelError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  constructor(message: string, code: string, retryable: boolean) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}
