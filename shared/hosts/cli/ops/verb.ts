import type { Json } from '#domain/canonical-json.ts';
import type { Environment } from '../../lambda/environment.ts';
import type { Target } from './target.ts';

export interface Asked {
  /** What stands behind the verb. */
  readonly words: readonly string[];
  /** Without one, the local bot is meant. */
  readonly env?: string | undefined;
  readonly session?: string | undefined;
  readonly url?: string | undefined;
  readonly force?: boolean;
  readonly environment: Environment;
  target(): Promise<Target>;
}

export type Row = { readonly [column: string]: Json | undefined };

export interface Answer {
  readonly rows: readonly Row[];
  /** Said in place of an empty table. */
  readonly none: string;
  /** Something is not as it should be: the exit code says so too. */
  readonly wrong?: boolean;
}

export type Verb = (asked: Asked) => Promise<Answer>;

export const timeText = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

export const expectNoWords = (verb: string, { words }: Pick<Asked, 'words'>): void => {
  if (words.length > 0)
    throw new Error(`ops ${verb} takes no ${words[0]}: usage: ops ${verb} [--env <name>] [--json]`);
};
