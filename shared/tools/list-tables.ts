import * as z from 'zod';
import { defineTool } from '#ports/tool.ts';
import { databaseOf } from './sql/database.ts';

const LIMIT_MS = 5_000;

export const listTables = defineTool({
  needs: 'database',
  description:
    'List the tables and views of the SQL database, with the number of rows in each (an estimate; null if unknown).',
  input: z.object({}),
  risk: 'LOW',
  summary: (_input, language) => (language === 'zh-CN' ? '列出数据库的表' : 'List the tables'),
  run: async (_input, { resources, signal }) => {
    const { rows } = await databaseOf(resources).read(TABLES, { limitMs: LIMIT_MS, signal });
    return { tables: rows.map(([name = null, count = null]) => ({ name, rows: count })) };
  },
});

const TABLES = `
  SELECT c.oid::regclass::text, CASE WHEN c.relkind IN ('r', 'p', 'm') AND c.reltuples >= 0 THEN c.reltuples::bigint END
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
  ORDER BY 1 LIMIT 1000`;
