/** What the page and the playground's server say to each other. Types only: both sides import them, neither runs them. */

export type Language = 'zh-CN' | 'en';

export interface Person {
  readonly id: string;
  readonly name: string;
}

export interface Chat {
  readonly id: string;
  readonly name: string;
  readonly kind: 'single' | 'group';
  readonly members: readonly string[];
}

export interface Platform {
  readonly name: string;
  readonly people: readonly Person[];
  readonly chats: readonly Chat[];
}

/** `GET /playground/state` */
export interface PlaygroundState {
  readonly platforms: readonly Platform[];
  readonly language: Language;
  readonly model: string;
}

export interface Post {
  readonly id: string;
  readonly chat: string;
  /** A person's id, or `bot`. */
  readonly from: string;
  readonly at: number;
  readonly updatedAt?: number;
  readonly content:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'card'; readonly card: unknown };
  readonly replyTo?: string;
  readonly reactions: readonly string[];
}

export interface LookAsk {
  readonly id: string;
  readonly kind: string;
  readonly tools: readonly string[];
  readonly expiresAt: number;
  /** People as `platform:id`; `*` is anyone. */
  readonly may: readonly string[];
  readonly round: number;
  readonly state: string;
}

export interface LookEvent {
  readonly time: string;
  readonly level: string;
  readonly event: string;
  readonly facts: object;
}

/** How the session of a chat stands. */
export interface Look {
  readonly session: string;
  readonly phase: string;
  readonly ask?: LookAsk;
  /** Messages put aside until the turn is over. */
  readonly waiting: number;
  readonly events: readonly LookEvent[];
}

/** `GET /playground/{platform}/chats/{chat}` */
export interface ChatView {
  readonly posts: readonly Post[];
  readonly look: Look;
}

/** `POST …/messages` */
export interface NewMessage {
  readonly from: string;
  readonly text: string;
  readonly mention: boolean;
  readonly replyTo?: string;
}

export type FormValues = Readonly<Record<string, string | readonly string[] | boolean>>;

/** What a person did with a card. */
export interface CardAction {
  readonly value?: unknown;
  readonly name?: string;
  readonly form?: FormValues;
}

/** `POST …/clicks` */
export interface NewClick extends CardAction {
  readonly message: string;
  readonly by: string;
}

/** What the platform's client shows the person who clicked. */
export interface ClickShown {
  readonly toast?: { readonly type: string; readonly content: string };
  readonly error?: string;
}

/** An event of `GET /playground/events`. */
export interface Change {
  readonly platform: string;
  readonly chat: string;
}
