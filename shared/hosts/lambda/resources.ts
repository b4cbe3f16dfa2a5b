import { createStoreNotes } from '#adapters/notes.ts';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import type { Store } from '#ports/store.ts';
import type { Resources, Tool } from '#ports/tool.ts';
import type { Environment } from './environment.ts';

/** What tools are handed, so that they build no client. */
export const createResources = (environment: Environment, store: Store): Resources => {
  const url = environment['DATABASE_URL'];
  const readUrl = environment['DATABASE_READ_URL'];
  return {
    fetch,
    notes: createStoreNotes(store),
    ...(url && { database: createPostgresDatabase({ url, ...(readUrl && { readUrl }) }) }),
  };
};

/** A tool whose resource is not there is not offered. */
export const offeredTools = (
  tools: Readonly<Record<string, Tool>>,
  resources: Resources,
): Readonly<Record<string, Tool>> =>
  Object.fromEntries(
    Object.entries(tools).filter(
      ([, { needs }]) => needs === undefined || resources[needs] !== undefined,
    ),
  );
