import * as z from 'zod';
import { defineTool } from '#ports/tool.ts';
import { databaseOf } from './sql/database.ts';

const LIMIT_MS = 5_000;

export const describeTable = defineTool({
  needs: 'database',
  description: 'Describe the columns of one table or view of the SQL database.',
  input: z.object({
    table: z
      .string()
      .min(1)
      .max(200)
      .describe('Its name, with its schema if need be: sales.orders'),
  }),
  risk: 'LOW',
  summary: ({ table }, language) =>
    language === 'zh-CN' ? `查看表 ${table} 的结构` : `Describe table ${table}`,
  run: async ({ table }, { resources, signal }) => {
    const { rows } = await databaseOf(resources).read(COLUMNS, {
      limitMs: LIMIT_MS,
      signal,
      values: [table],
    });
    if (rows.length === 0)
      throw new Error(`There is no table ${table} that this bot may read: list_tables names them`);
    const columns = rows.map(([name = null, type = null, nullable = null]) => ({
      name,
      type,
      nullable,
    }));
    return { table, columns };
  },
});

/** A name as SQL has it, or as the catalogue does: Orders and "Orders" are both found. */
const COLUMNS = `
  SELECT attname, format_type(atttypid, atttypmod), NOT attnotnull
  FROM pg_catalog.pg_attribute
  WHERE attrelid = coalesce(to_regclass($1), to_regclass(quote_ident($1))) AND attnum > 0 AND NOT attisdropped
    AND has_column_privilege(attrelid, attnum, 'SELECT')
  ORDER BY attnum`;
