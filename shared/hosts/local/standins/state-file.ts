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

export interface Table<T> {
  get(key: string): T | undefined;
  /** Oldest first. */
  all(): readonly T[];
  put(key: string, value: T): void;
}

export type Rows<Kinds> = { readonly [Name in keyof Kinds]: Map<string, Kinds[Name]> };
export type Tables<Kinds> = { readonly [Name in keyof Kinds]: Table<Kinds[Name]> };

export interface StateFileOptions<Kinds> {
  readonly file: string | undefined;
  /** Whose state it is, for people. */
  readonly platform: string;
  /** Empty maps, one per table. */
  readonly rows: Rows<Kinds>;
  /** Forgets what is too old or too much. */
  prune(): void;
}

const CHANGES_PER_COMPACTION = 5_000;

/** Keeps the newest rows of each group. */
export const keepNewest = <T>(
  rows: Map<string, T>,
  limit: number,
  groupOf: (row: T) => string,
): void => {
  const seen = new Map<string, number>();
  for (const [key, row] of [...rows].reverse()) {
    const group = groupOf(row);
    const count = (seen.get(group) ?? 0) + 1;
    seen.set(group, count);
    if (count > limit) rows.delete(key);
  }
};

const lineOf = (table: string, key: string, value: unknown) =>
  `${JSON.stringify({ table, key, value })}\n`;

const read = (
  file: string,
  platform: string,
  rows: Readonly<Record<string, Map<string, unknown>>>,
) => {
  const lines = readFileSync(file, 'utf8').split('\n');
  // A line ends with its newline: what stands behind the last one was cut off by a crash.
  lines.pop();
  lines.forEach((line, index) => {
    try {
      const { table, key, value } = JSON.parse(line);
      (rows[table] as Map<string, unknown>).set(key, value);
    } catch {
      throw new Error(
        `${file}, line ${index + 1}: this is not state of the ${platform} stand-in. Delete the file to start empty.`,
      );
    }
  });
};

/**
 * What a platform remembers, in memory and, with a file, as JSON lines: a later line for a key replaces the earlier
 * one. Written before it is acted on; whole again after a crash; shortened at start and now and then.
 */
export const openStateFile = <Kinds>({
  file,
  platform,
  rows,
  prune,
}: StateFileOptions<Kinds>): Tables<Kinds> & { close(): void } => {
  const all = rows as Readonly<Record<string, Map<string, unknown>>>;
  let log: number | undefined;
  let changes = 0;

  const compact = () => {
    changes = 0;
    prune();
    if (file === undefined) return;
    const lines = Object.entries(all).flatMap(([table, entries]) =>
      [...entries].map(([key, value]) => lineOf(table, key, value)),
    );
    writeFileSync(`${file}.new`, lines.join(''));
    if (log !== undefined) closeSync(log);
    renameSync(`${file}.new`, file);
    log = openSync(file, 'a');
  };

  const tableOf = (name: string, entries: Map<string, unknown>): Table<unknown> => ({
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
    if (existsSync(file)) read(file, platform, all);
    compact();
  }
  const tables = Object.fromEntries(
    Object.entries(all).map(([name, entries]) => [name, tableOf(name, entries)]),
  ) as Tables<Kinds>;
  return {
    ...tables,
    close: () => {
      if (log !== undefined) closeSync(log);
      log = undefined;
    },
  };
};
