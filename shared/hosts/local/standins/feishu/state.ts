import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

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

export interface Try {
  readonly at: number;
  readonly status?: number;
  readonly error?: string;
}

export interface Delivery {
  readonly id: string;
  readonly type: string;
  /** The message the event is about. */
  readonly message: string;
  /** The event before it is encrypted. */
  readonly payload: string;
  readonly tries: readonly Try[];
  /** When it is tried next; absent when it was taken, or given up. */
  readonly nextAt?: number;
}

/** A message sent under a `uuid`. */
export interface Sent {
  readonly message: string;
  readonly at: number;
}

export interface Table<T> {
  get(key: string): T | undefined;
  /** Oldest first. */
  all(): readonly T[];
  put(key: string, value: T): void;
}

export interface State {
  readonly messages: Table<Message>;
  readonly deliveries: Table<Delivery>;
  readonly uuids: Table<Sent>;
  close(): void;
}

export const UUID_HOLDS_MS = 3_600_000;
const POSTS_PER_CHAT = 500;
const FINISHED_DELIVERIES = 200;
const CHANGES_PER_COMPACTION = 5_000;

interface Rows {
  readonly messages: Map<string, Message>;
  readonly deliveries: Map<string, Delivery>;
  readonly uuids: Map<string, Sent>;
}

const newest = <T>(rows: Map<string, T>, limit: number, groupOf: (row: T) => string) => {
  const seen = new Map<string, number>();
  for (const [key, row] of [...rows].reverse()) {
    const group = groupOf(row);
    const count = (seen.get(group) ?? 0) + 1;
    seen.set(group, count);
    if (count > limit) rows.delete(key);
  }
};

const prune = ({ messages, deliveries, uuids }: Rows, now: number) => {
  newest(messages, POSTS_PER_CHAT, ({ chat }) => chat);
  const finished = new Map([...deliveries].filter(([, { nextAt }]) => nextAt === undefined));
  for (const id of [...finished.keys()].slice(0, -FINISHED_DELIVERIES)) deliveries.delete(id);
  for (const [key, { at }] of uuids) if (now - at >= UUID_HOLDS_MS) uuids.delete(key);
};

const lineOf = (table: string, key: string, value: unknown) =>
  `${JSON.stringify({ table, key, value })}\n`;

const read = (file: string, rows: Rows) => {
  const lines = readFileSync(file, 'utf8').split('\n');
  // A line ends with its newline: what stands behind the last one was cut off by a crash.
  lines.pop();
  lines.forEach((line, index) => {
    try {
      const { table, key, value } = JSON.parse(line);
      rows[table as keyof Rows].set(key, value);
    } catch {
      throw new Error(
        `${file}, line ${index + 1}: this is not state of the Feishu stand-in. Delete the file to start empty.`,
      );
    }
  });
};

/**
 * What the platform remembers, in memory and, with a file, as JSON lines: a later line for a key replaces the earlier
 * one. Written before it is acted on; whole again after a crash; shortened at start and now and then.
 */
export const createState = (file: string | undefined, now: () => number): State => {
  const rows: Rows = { messages: new Map(), deliveries: new Map(), uuids: new Map() };
  let log: number | undefined;
  let changes = 0;

  const compact = () => {
    changes = 0;
    prune(rows, now());
    if (file === undefined) return;
    const lines = Object.entries(rows).flatMap(([table, entries]) =>
      [...entries].map(([key, value]) => lineOf(table, key, value)),
    );
    writeFileSync(`${file}.new`, lines.join(''));
    if (log !== undefined) closeSync(log);
    renameSync(`${file}.new`, file);
    log = openSync(file, 'a');
  };

  const tableOf = <T>(name: keyof Rows, entries: Map<string, T>): Table<T> => ({
    get: (key) => entries.get(key),
    all: () => [...entries.values()],
    put: (key, value) => {
      entries.set(key, value);
      if (log !== undefined) writeSync(log, lineOf(name, key, value));
      changes += 1;
      if (changes >= CHANGES_PER_COMPACTION) compact();
    },
  });

  if (file !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file)) read(file, rows);
    compact();
  }
  return {
    messages: tableOf('messages', rows.messages),
    deliveries: tableOf('deliveries', rows.deliveries),
    uuids: tableOf('uuids', rows.uuids),
    close: () => {
      if (log !== undefined) closeSync(log);
      log = undefined;
    },
  };
};
