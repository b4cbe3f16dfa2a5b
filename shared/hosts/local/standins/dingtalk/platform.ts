import type { CardData } from './card-data.ts';
import type { Limits } from './limits.ts';
import type { Content, Message, State } from './state.ts';
import type { CardTemplate } from './template.ts';
import type { DingtalkSecrets } from './world.ts';

/** What every part of the stand-in works with. */
export interface Platform {
  readonly secrets: DingtalkSecrets;
  readonly template: CardTemplate;
  readonly state: State;
  readonly limits: Limits;
  readonly cards: CardData;
  readonly now: () => number;
  /** Puts a message into a chat, where everybody sees it. */
  post(message: Pick<Message, 'chat' | 'from'> & { content: Content; replyTo?: string }): Message;
  /** How many deliveries of cards are yet to fail. */
  undeliverable: number;
}

/** One call of the API, its body read. */
export interface ApiCall {
  readonly body: Readonly<Record<string, unknown>>;
}
