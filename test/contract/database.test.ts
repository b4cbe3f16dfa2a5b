import { afterAll } from 'vitest';
import { startEmbedded, startPostgres } from '../support/postgres.ts';
import { describeDatabase, describeServer } from './database.suite.ts';
import { describeSqlTools } from './sql-tools.suite.ts';

const [embedded, real] = await Promise.all([startEmbedded(), startPostgres()]);
afterAll(async () => {
  await Promise.all([embedded.stop(), real?.stop()]);
});

describeDatabase('pglite', () => embedded);
describeSqlTools('pglite', () => embedded);
if (real) {
  describeDatabase('postgres', () => real);
  describeSqlTools('postgres', () => real);
  describeServer('postgres', () => real);
}
