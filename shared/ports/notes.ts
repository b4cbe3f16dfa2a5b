import type { SessionId } from '#domain/ids.ts';
import type { Resources } from './tool.ts';

export const MOST_NOTES = 200;
export const NOTE_CHARACTERS = 1_000;
/** All of a session's together: an item holds 400 KB, and 200 notes in Chinese could be more. */
export const NOTES_BYTES = 300_000;

export type Cleared =
  | { readonly kind: 'cleared'; readonly count: number }
  /** There are more than the caller knew of: nothing was done. */
  | { readonly kind: 'more'; readonly count: number };

/** A session's notes, oldest first. `key` names the act: repeated with the same one it happens once. */
export interface Notes {
  list(session: SessionId): Promise<readonly string[]>;
  add(session: SessionId, key: string, text: string): Promise<'added' | 'full'>;
  /** Removes all of them, if they are at most `most`. */
  clear(session: SessionId, key: string, most: number): Promise<Cleared>;
}

declare module '#ports/tool.ts' {
  interface Resources {
    readonly notes?: Notes;
  }
}

export const notesFrom = ({ notes }: Resources): Notes => {
  if (notes) return notes;
  throw new Error('there are no notes here: the host has to give its tools a `notes` resource');
};
