import type { Kept } from '#domain/ask.ts';
import type { Item, Key, Write, Written } from '#domain/expression.ts';

export interface Span {
  readonly pk: string;
  /** Inclusive bounds of the sort key. */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  /** Newest first. */
  readonly backward?: boolean;
}

/** One table of items. Reads are consistent: a text typed after seeing the card must find the ask. */
export interface Store {
  /** All in one call, in the order asked. */
  read(keys: readonly Key[]): Promise<readonly (Item | undefined)[]>;
  write(write: Write): Promise<Written>;
  list(span: Span): Promise<readonly Item[]>;
  /** The rows that have this `shard`, as the index knows them: a moment late, so read them before you act. */
  find(shard: string): Promise<readonly Key[]>;
  /** Puts a long text where it can be found again, `until` then at least; a short one is returned as it is, with no call made. */
  keep(under: Key, text: string, until?: number): Promise<Kept>;
  fetch(kept: Kept): Promise<string>;
  /** Where a long text was put, it stays until then at least. */
  prolong(kept: Kept, until: number): Promise<void>;
}

/** Up to here a value stays in its row. */
export const INLINE_BYTES = 8_192;
/** More than this is cut, with a note that says so: no value may make a session unusable. */
export const KEPT_BYTES = 16 * 1024 * 1024;
