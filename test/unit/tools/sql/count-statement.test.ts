import { describe, expect, it } from 'vitest';
import { classify } from '#tools/sql/classify.ts';
import { planCount } from '#tools/sql/count-statement.ts';

const planOf = async (sql: string) => {
  const classified = await classify(sql);
  if (classified.kind !== 'write') throw new Error(`${sql} is no write`);
  const plan = await planCount(classified.statement);
  return plan.kind === 'select'
    ? plan.sql.replaceAll('pg_catalog.', '').replace(/\s+/g, ' ').trim()
    : plan;
};

describe('a SELECT with the rows of a statement', () => {
  it.each([
    ['DELETE FROM t', 'SELECT count(*) FROM t'],
    [
      'DELETE FROM ONLY s.t AS x WHERE x.a = 1 RETURNING *',
      'SELECT count(*) FROM ONLY s.t AS x WHERE x.a = 1',
    ],
    [
      'DELETE FROM "where" WHERE a = \' WHERE \' -- WHERE',
      `SELECT count(*) FROM "where" WHERE a = ' WHERE ' -- WHERE`,
    ],
    [
      'DELETE FROM t USING u JOIN v USING (id) WHERE t.id = u.id',
      'SELECT count(*) FROM t WHERE EXISTS (SELECT FROM u JOIN v USING (id) WHERE t.id = u.id )',
    ],
    ['UPDATE t SET a = 1', 'SELECT count(*) FROM t'],
    [
      'UPDATE t SET a = b IS DISTINCT FROM c, d = (SELECT 1 FROM x WHERE y) WHERE e',
      'SELECT count(*) FROM t WHERE e',
    ],
    [
      'UPDATE t SET (a, b[1]) = (1, 2) FROM u WHERE u.id = t.id',
      'SELECT count(*) FROM t WHERE EXISTS (SELECT FROM u WHERE u.id = t.id )',
    ],
    [
      'WITH x AS (SELECT 1 AS id) UPDATE t SET a = 1 WHERE id IN (SELECT id FROM x)',
      'WITH x AS (SELECT 1 AS id) SELECT count(*) FROM t WHERE id IN (SELECT id FROM x)',
    ],
    [
      'INSERT INTO t (a) SELECT a FROM u WHERE b ON CONFLICT (a) DO UPDATE SET a = 1 WHERE t.c RETURNING *',
      'SELECT count(*) FROM (SELECT a FROM u WHERE b ) AS counted',
    ],
    [
      'INSERT INTO t OVERRIDING SYSTEM VALUE WITH x AS (SELECT 1) SELECT * FROM x',
      'SELECT count(*) FROM (WITH x AS (SELECT 1) SELECT * FROM x ) AS counted',
    ],
    [
      "DELETE FROM t WHERE a = '中文' AND lower(b) = '中'",
      "SELECT count(*) FROM t WHERE a = '中文' AND lower(b) = '中'",
    ],
    [
      'TRUNCATE a, ONLY s."B"',
      'SELECT (SELECT count(*) FROM "a") + (SELECT count(*) FROM ONLY "s"."B")',
    ],
    ['DROP TABLE IF EXISTS s.t', 'SELECT (SELECT count(*) FROM "s"."t")'],
  ])('%s', async (sql, count) => {
    expect(await planOf(sql)).toBe(count);
  });

  it('needs none for rows that stand in the text', async () => {
    expect(await planOf('INSERT INTO t VALUES (1), (2), (3)')).toEqual({ kind: 'known', rows: 3 });
    expect(await planOf('INSERT INTO t VALUES (now(), lower($$A$$))')).toEqual({
      kind: 'known',
      rows: 1,
    });
    expect(await planOf('INSERT INTO t DEFAULT VALUES')).toEqual({ kind: 'known', rows: 1 });
  });

  it.each([
    'DELETE FROM t WHERE random() < 0.5',
    'DELETE FROM t WHERE my_function(a)',
    'DELETE FROM t WHERE CURRENT OF c',
    'INSERT INTO t VALUES (generate_series(1, 9))',
    'INSERT INTO t VALUES (my_function())',
    'MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE',
    // The piece it would cut is not the one the parser sees.
    'INSERT INTO t SELECT u.a FROM u JOIN conflict ON conflict.a = u.a ON CONFLICT DO NOTHING',
    'DELETE FROM t WHERE id IN (SELECT id FROM t FOR UPDATE)',
  ])('leaves to the planner: %s', async (sql) => {
    expect(await planOf(sql)).toEqual({ kind: 'estimate' });
  });

  it.each([
    ['WITH d AS (DELETE FROM t RETURNING *) INSERT INTO u SELECT * FROM d', 'hidden'],
    ['WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d', 'hidden'],
    ['SELECT my_function()', 'code'],
    ['DO $$ BEGIN END $$', 'code'],
    ['CALL p()', 'code'],
    ['ALTER TABLE t ADD a int', 'structure'],
    ['DROP VIEW v', 'structure'],
  ])('cannot say: %s', async (sql, why) => {
    expect(await planOf(sql)).toEqual({ kind: 'none', why });
  });
});
