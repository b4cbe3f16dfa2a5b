import type { Database } from '#ports/database.ts';
import type { Resources } from '#ports/tool.ts';

export const databaseOf = ({ database }: Resources): Database => {
  if (!database) throw new Error('No database is set up for this bot: set DATABASE_URL');
  return database;
};
