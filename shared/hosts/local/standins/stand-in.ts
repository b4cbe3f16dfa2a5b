/** A platform that stands in for the real one on this machine, as the playground sees it. */
export interface StandIn {
  readonly name: string;
  /** Where its API answers: what the channel's base URL is set to. */
  readonly endpoint: string;
  /** The settings a bot needs to talk to it, by the names of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly people: readonly StandInPerson[];
  readonly chats: readonly StandInChat[];
  /** What stands in a chat, oldest first. */
  posts(chat: string): readonly Post[];
  /** A person writes. The event is delivered, and delivered again, as the platform does. */
  write(message: Written): Promise<Post>;
  /** A person uses a card: what the platform's client shows them of the bot's answer. */
  click(click: Click): Promise<ClickShown>;
  /** Where the bot is; before it is known nothing is delivered. */
  setCallbackUrl(url: string): void;
  /** Told after every change, with the chat it was in. */
  watch(listener: (chat: string) => void): () => void;
  stop(): Promise<void>;
}

export interface StandInPerson {
  readonly id: string;
  readonly name: string;
}

export interface StandInChat {
  readonly id: string;
  readonly name: string;
  readonly kind: 'single' | 'group';
  /** People, without the bot. */
  readonly members: readonly string[];
}

export interface Post {
  readonly id: string;
  readonly chat: string;
  /** A person's id, or `bot`. */
  readonly from: string;
  readonly at: number;
  readonly updatedAt?: number;
  /** A card as the platform was given it, else a text as people see it. */
  readonly content:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'card'; readonly card: unknown };
  readonly replyTo?: string;
  /** The topic it stands in, where the platform has topics. */
  readonly topic?: string;
  readonly reactions: readonly string[];
}

export interface Written {
  readonly chat: string;
  readonly from: string;
  readonly text: string;
  /** In a group: with the bot mentioned. */
  readonly mention: boolean;
  readonly replyTo?: string;
  /** In the topic of the message replied to, which this opens if there is none; else in one of its own. */
  readonly inTopic?: boolean;
}

export interface Click {
  readonly message: string;
  readonly by: string;
  /** The clicked component's own callback value and name, and the form it submitted. */
  readonly value: unknown;
  readonly name?: string;
  readonly form?: Readonly<Record<string, string | readonly string[] | boolean>>;
}

export interface ClickShown {
  readonly toast?: { readonly type: string; readonly content: string };
  /** What the platform's client says when the answer is late, malformed or missing. */
  readonly error?: string;
}
