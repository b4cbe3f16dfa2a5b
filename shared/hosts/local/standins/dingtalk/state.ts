import { type Delivery, forgetFinished } from '../deliveries.ts';
import { keepNewest, openStateFile, type Rows, type Tables } from '../state-file.ts';

export interface ActionCard {
  readonly title: string;
  readonly text: string;
  /** `0`: one button below the other, `1`: side by side. */
  readonly btnOrientation: '0' | '1';
  readonly btns: readonly { readonly title: string; readonly actionURL: string }[];
}

export type Content =
  | { readonly msgtype: 'text'; readonly text: string }
  | {
      readonly msgtype: 'markdown';
      readonly markdown: { readonly title: string; readonly text: string };
    }
  | { readonly msgtype: 'actionCard'; readonly actionCard: ActionCard }
  /** An interactive card: its data are in `cards`, for it may stand in several chats. */
  | {
      readonly msgtype: 'card';
      readonly outTrackId: string;
      /** Who is called to it, by userId. */
      readonly called?: readonly string[];
    };

export interface Message {
  readonly id: string;
  readonly chat: string;
  /** A person's id, or `bot`. */
  readonly from: string;
  readonly at: number;
  readonly content: Content;
  readonly replyTo?: string;
}

export type Params = Readonly<Record<string, string>>;

/** An instance of a card template. */
export interface Card {
  readonly outTrackId: string;
  /** The route its clicks take, when they are sent by HTTP. */
  readonly route?: string;
  readonly userIdType: 1 | 2;
  readonly params: Params;
  /** What one person sees instead, by userId. */
  readonly private: Readonly<Record<string, Params>>;
  readonly at: number;
  readonly updatedAt?: number;
}

export interface Route {
  readonly callbackUrl: string;
  readonly apiSecret?: string;
}

/** A `sessionWebhook`: who knows it may write to the chat for a while. */
export interface Session {
  readonly chat: string;
  readonly expiresAt: number;
}

interface Kinds {
  readonly messages: Message;
  readonly cards: Card;
  readonly routes: Route;
  readonly sessions: Session;
  readonly deliveries: Delivery;
}

export interface State extends Tables<Kinds> {
  close(): void;
}

const POSTS_PER_CHAT = 500;

const prune = (rows: Rows<Kinds>, now: number) => {
  keepNewest(rows.messages, POSTS_PER_CHAT, ({ chat }) => chat);
  keepNewest(rows.cards, POSTS_PER_CHAT, () => '');
  forgetFinished(rows.deliveries);
  for (const [id, { expiresAt }] of rows.sessions) if (expiresAt <= now) rows.sessions.delete(id);
};

export const createState = (file: string | undefined, now: () => number): State => {
  const rows: Rows<Kinds> = {
    messages: new Map(),
    cards: new Map(),
    routes: new Map(),
    sessions: new Map(),
    deliveries: new Map(),
  };
  return openStateFile({ file, platform: 'DingTalk', rows, prune: () => prune(rows, now()) });
};
