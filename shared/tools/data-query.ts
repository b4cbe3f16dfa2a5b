import * as z from 'zod';
import { defineTool } from '#ports/tool.ts';
import { classify } from './sql/classify.ts';
import { databaseOf } from './sql/database.ts';

const MAX_ROWS = 1_000;
const LIMIT_MS = 10_000;

export const dataQuery = defineTool({
  needs: 'database',
  description:
    'Read from the SQL database (PostgreSQL) with one SELECT, EXPLAIN or SHOW. At most 1,000 rows, 10 seconds. ' +
    'Anything that changes data goes through data_modify.',
  input: z.object({
    sql: z.string().min(1).max(100_000).describe('One statement, without parameters'),
  }),
  risk: 'LOW',
  summary: (_input, language) => (language === 'zh-CN' ? '查询数据库' : 'Query the database'),
  timeoutSeconds: 30,
  run: async ({ sql }, { resources, signal }) => {
    const classified = await classify(sql);
    if (classified.kind === 'refused') throw new Error(classified.why);
    if (classified.kind === 'write')
      throw new Error(
        `Not a read: ${classified.whyNotRead}. Nothing was run. Use data_modify, which asks a person first.`,
      );
    const { columns, rows, truncated } = await databaseOf(resources).read(classified.sql, {
      limitMs: LIMIT_MS,
      signal,
      ...(classified.query && { maxRows: MAX_ROWS }),
    });
    return { columns, rows, rowCount: rows.length, truncated };
  },
});
