import { type Delivery, forgetFinished } from '../deliveries.ts';
import { keepNewest, openStateFile, type Rows, type Tables } from '../state-file.ts';

export interface Mention {
  readonly key: string;
  /** A person's or the bot's open_id; empty for everybody. */
  readonly id: string;
  readonly name: string;
}

export interface Reaction {
  readonly id: string;
  readonly emoji: string;
  readonly at: number;
}

export interface Message {
  readonly id: string;
  readonly chat: string;
  /** A person's id, or `bot`. */
  readonly from: string;
  readonly type: 'text' | 'post' | 'interactive';
  /** As on the wire: JSON in a string. */
  readonly content: string;
  readonly at: number;
  readonly updatedAt?: number;
  readonly edits: number;
  readonly root?: string;
  readonly parent?: string;
  readonly thread?: string;
  readonly mentions: readonly Mention[];
  readonly reactions: readonly Reaction[];
  readonly recalled?: true;
}

/** A message sent under a `uuid`. */
export interface Sent {
  readonly message: string;
  readonly at: number;
}

interface Kinds {
  readonly messages: Message;
  readonly deliveries: Delivery;
  readonly uuids: Sent;
}

export interface State extends Tables<Kinds> {
  close(): void;
}

export const UUID_HOLDS_MS = 3_600_000;
const POSTS_PER_CHAT = 500;

const prune = ({ messages, deliveries, uuids }: Rows<Kinds>, now: number) => {
  keepNewest(messages, POSTS_PER_CHAT, ({ chat }) => chat);
  forgetFinished(deliveries);
  for (const [key, { at }] of uuids) if (now - at >= UUID_HOLDS_MS) uuids.delete(key);
};

export const createState = (file: string | undefined, now: () => number): State => {
  const rows: Rows<Kinds> = { messages: new Map(), deliveries: new Map(), uuids: new Map() };
  return openStateFile({ file, platform: 'Feishu', rows, prune: () => prune(rows, now()) });
};
