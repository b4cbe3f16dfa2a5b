import { describe, expect, it } from 'vitest';
import { classify } from '#tools/sql/classify.ts';

/** None of these is a read, however much it looks like one. */
const SNEAKY = [
  // a change inside a query
  'WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d',
  'WITH u AS (UPDATE orders SET status = 1 RETURNING id) SELECT count(*) FROM u',
  'WITH i AS (INSERT INTO orders DEFAULT VALUES RETURNING id) SELECT id FROM i',
  'WITH m AS (MERGE INTO orders o USING s ON o.id = s.id WHEN MATCHED THEN DELETE RETURNING o.id) SELECT * FROM m',
  'SELECT * FROM (WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d) AS x',
  'SELECT (WITH d AS (DELETE FROM orders RETURNING id) SELECT max(id) FROM d)',
  'WITH a AS (SELECT 1), b AS (WITH c AS (DELETE FROM t RETURNING 1) SELECT * FROM c) SELECT * FROM a, b',
  'SELECT 1 UNION ALL (WITH d AS (DELETE FROM orders RETURNING 1) SELECT * FROM d)',
  'WITH d AS (DELETE FROM orders RETURNING *) TABLE d',
  'WITH d AS (DELETE FROM orders) VALUES (1)',
  // several statements
  'SELECT 1; DELETE FROM orders',
  'SELECT 1; SELECT 2',
  'SELECT 1;; DROP TABLE orders;',
  "SELECT ';'; DELETE FROM orders --",
  'SELECT 1 /* ; */ ; /* */ DELETE FROM orders',
  'SELECT $$;$$; DELETE FROM orders',
  'COMMIT; DELETE FROM orders',
  'SELECT 1\0; DELETE FROM orders',
  // EXPLAIN that runs
  'EXPLAIN ANALYZE DELETE FROM orders',
  'EXPLAIN (ANALYZE, BUFFERS) UPDATE orders SET status = 1',
  'EXPLAIN (ANALYZE false) DELETE FROM orders',
  'EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1',
  'EXPLAIN ANALYZE EXECUTE plan',
  "EXPLAIN ANALYZE SELECT nextval('s')",
  'EXPLAIN ANALYZE WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d',
  'EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT 1',
  'EXPLAIN ANALYZE REFRESH MATERIALIZED VIEW v',
  // queries that create or lock
  'SELECT * INTO copy FROM orders',
  'SELECT * INTO TEMP copy FROM orders',
  'WITH a AS (SELECT 1) SELECT * INTO copy FROM a',
  'SELECT 1 AS a INTO UNLOGGED copy UNION SELECT 2',
  'CREATE TABLE copy AS SELECT * FROM orders',
  'SELECT * FROM orders FOR UPDATE',
  'SELECT * FROM orders FOR NO KEY UPDATE SKIP LOCKED',
  'SELECT * FROM orders FOR SHARE',
  'SELECT * FROM orders FOR KEY SHARE NOWAIT',
  'SELECT * FROM (SELECT * FROM orders FOR UPDATE) AS x',
  'SELECT * FROM orders WHERE id IN (SELECT id FROM orders FOR UPDATE)',
  '(SELECT * FROM orders FOR UPDATE)',
  // functions with effects, or of unknown effect
  "SELECT nextval('orders_id_seq')",
  "SELECT setval('orders_id_seq', 1)",
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity',
  'SELECT pg_cancel_backend(1)',
  'SELECT pg_sleep(1000)',
  'SELECT pg_advisory_lock(1)',
  "SELECT set_config('role', 'postgres', false)",
  "SELECT pg_notify('channel', 'x')",
  "SELECT query_to_xml('DELETE FROM orders', true, true, '')",
  "SELECT * FROM dblink('', 'DELETE FROM orders') AS t (a int)",
  "SELECT lo_import('/etc/passwd')",
  'SELECT lo_unlink(1)',
  "SELECT pg_read_file('/etc/passwd')",
  "SELECT pg_ls_dir('/')",
  'SELECT pg_switch_wal()',
  'SELECT pg_reload_conf()',
  'SELECT pg_current_xact_id()',
  'SELECT delete_everything()',
  'SELECT public.lower(name) FROM customers',
  'SELECT shop.pg_catalog.lower(name) FROM customers',
  'SELECT count(*) FILTER (WHERE delete_everything()) FROM orders',
  'SELECT * FROM orders ORDER BY delete_everything()',
  'SELECT * FROM orders LIMIT (SELECT delete_everything())',
  'SELECT sum(amount) OVER (PARTITION BY delete_everything()) FROM orders',
  'SELECT CASE WHEN true THEN delete_everything() END',
  'SELECT * FROM orders, LATERAL delete_everything(orders.id)',
  'SELECT * FROM ROWS FROM (generate_series(1, 2), delete_everything())',
  'SELECT * FROM orders TABLESAMPLE bernoulli (delete_everything())',
  'SELECT ARRAY[delete_everything()]',
  'SELECT (delete_everything()).*',
  'VALUES (delete_everything())',
  'SELECT "delete_everything"()',
  'SELECT U&"delete\\005Feverything"()',
  'SELECT pg_catalog.pg_sleep(1)',
  'SELECT 1 OPERATOR(public.+) 2',
  'SELECT 1 OPERATOR(public.=) ANY (SELECT 1)',
  'SELECT * FROM orders ORDER BY id USING OPERATOR(public.<)',
  "SELECT JSON_OBJECT('a': delete_everything())",
  "SELECT * FROM XMLTABLE('/a' PASSING delete_everything() COLUMNS b int)",
  // commands
  'INSERT INTO orders DEFAULT VALUES',
  'UPDATE orders SET status = 1',
  'DELETE FROM orders',
  'MERGE INTO orders o USING s ON o.id = s.id WHEN MATCHED THEN DELETE',
  'TRUNCATE orders',
  'DROP TABLE orders',
  'COPY orders TO STDOUT',
  "COPY (SELECT 1) TO PROGRAM 'sh'",
  'COPY orders FROM STDIN',
  'DO $$ BEGIN DELETE FROM orders; END $$',
  'CALL delete_everything()',
  'PREPARE p AS DELETE FROM orders',
  'EXECUTE p',
  'DECLARE c CURSOR FOR SELECT 1',
  'LOCK TABLE orders',
  'VACUUM orders',
  'ANALYZE orders',
  'REFRESH MATERIALIZED VIEW v',
  'SET ROLE postgres',
  'SET TRANSACTION READ WRITE',
  'RESET ALL',
  'BEGIN',
  'ROLLBACK',
  'LISTEN x',
  'NOTIFY x',
  'GRANT ALL ON orders TO public',
  'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  "COMMENT ON TABLE orders IS 'x'",
  "SECURITY LABEL ON TABLE orders IS 'x'",
  "LOAD 'auto_explain'",
  'DISCARD ALL',
  'CHECKPOINT',
  'REINDEX TABLE orders',
  'CLUSTER orders',
  // not SQL at all
  '',
  '   ',
  '-- DELETE FROM orders',
  '; ;',
  'SELEC 1',
  "SELECT 'a",
  `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
  `SELECT ${'1+'.repeat(20_000)}1`,
  'SELECT \ud800',
];

const READS = [
  'SELECT 1',
  'select * from orders;',
  '  SELECT 1 -- DELETE FROM orders',
  '/* DELETE */ SELECT 1 /* ; DROP TABLE orders */',
  "SELECT 'DELETE FROM orders; DROP TABLE orders'",
  'SELECT "delete" FROM "update"',
  'TABLE orders',
  'VALUES (1), (2)',
  '(SELECT 1) UNION (SELECT 2) ORDER BY 1',
  'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n',
  'SELECT count(*), sum(amount), avg(amount)::numeric(10, 2) FROM orders GROUP BY status HAVING count(*) > 1',
  "SELECT date_trunc('day', created_at), extract(year FROM created_at), created_at AT TIME ZONE 'UTC' FROM orders",
  "SELECT coalesce(note, ''), upper(trim(both ' ' FROM note)), substring(note FROM 1 FOR 2) FROM orders",
  'SELECT row_number() OVER (PARTITION BY customer_id ORDER BY id) FROM orders',
  'SELECT * FROM orders o JOIN LATERAL (SELECT 1) x ON true WHERE o.id = ANY (ARRAY[1, 2])',
  'SELECT * FROM orders ORDER BY random() LIMIT 5',
  'SELECT DISTINCT ON (customer_id) * FROM orders TABLESAMPLE system (10)',
  "SELECT note ILIKE '%x%' ESCAPE '!', status BETWEEN 1 AND 2, note SIMILAR TO 'a', current_date FROM orders",
  'SELECT pg_catalog.lower(name) FROM customers',
  'EXPLAIN SELECT * FROM orders',
  'EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM orders',
  'SHOW search_path',
];

describe('what is a read', () => {
  it('knows at least 60 statements that are none', () => {
    expect(new Set(SNEAKY).size).toBeGreaterThanOrEqual(60);
  });

  it.each(SNEAKY)('not: %s', async (sql) => {
    expect((await classify(sql)).kind).not.toBe('read');
  });

  it.each(READS)('yes: %s', async (sql) => {
    expect(await classify(sql)).toMatchObject({ kind: 'read' });
  });

  it('names every function with its schema, byte for byte in its place', async () => {
    const sql = ` SELECT '中文', lower(name), "upper"(name), count(*) FILTER (WHERE length(name) > 1),
      extract(year FROM now()) FROM t; `;
    expect(await classify(sql)).toEqual({
      kind: 'read',
      query: true,
      sql: `SELECT '中文', pg_catalog.lower(name), pg_catalog."upper"(name), pg_catalog.count(*) FILTER (WHERE pg_catalog.length(name) > 1),
      extract(year FROM pg_catalog.now()) FROM t`,
    });
  });

  it('says why not, and what to do', async () => {
    const why = async (sql: string) => {
      const classified = await classify(sql);
      return classified.kind === 'write'
        ? classified.whyNotRead
        : classified.kind === 'refused' && classified.why;
    };
    expect(await why('SELECT nextval($$s$$)')).toMatch(/^it calls nextval\(\), /);
    expect(await why('WITH d AS (DELETE FROM t RETURNING 1) SELECT 1')).toBe('it holds a DELETE');
    expect(await why('ALTER TABLE t ADD x int')).toBe('ALTER TABLE is not a query');
    expect(await why('SELECT 1; SELECT 2')).toBe(
      'This text holds 2 statements: send one in each call',
    );
    expect(await why('SELECT * FORM t')).toBe(
      'Postgres cannot read this statement: syntax error at or near "FORM" (character 10)',
    );
    expect(await why(' ')).toBe('There is no statement in this text');
  });
});

describe('what refuses to run in a transaction', () => {
  it.each([
    'VACUUM t',
    'VACUUM (FULL) t',
    'CREATE INDEX CONCURRENTLY ON t (a)',
    'DROP INDEX CONCURRENTLY i',
    'REINDEX TABLE CONCURRENTLY t',
    'REINDEX (CONCURRENTLY) INDEX i',
    'REINDEX DATABASE d',
    'CLUSTER',
    'CREATE DATABASE d',
    'DROP DATABASE d',
    'ALTER DATABASE d SET TABLESPACE s',
    "CREATE TABLESPACE s LOCATION '/s'",
    'DROP TABLESPACE s',
    "ALTER SYSTEM SET work_mem = '1GB'",
    'ALTER TABLE t DETACH PARTITION p CONCURRENTLY',
    "CREATE SUBSCRIPTION s CONNECTION '' PUBLICATION p",
    'DROP SUBSCRIPTION s',
  ])('%s', async (sql) => {
    expect(await classify(sql)).toMatchObject({ kind: 'write', inTransaction: false });
  });

  it.each([
    'ANALYZE t',
    'CREATE INDEX ON t (a)',
    'DROP INDEX i',
    'REINDEX TABLE t',
    'CLUSTER t',
    'ALTER DATABASE d SET work_mem = 1',
    'ALTER TABLE t DETACH PARTITION p',
    'DELETE FROM t',
  ])('not: %s', async (sql) => {
    expect(await classify(sql)).toMatchObject({ kind: 'write', inTransaction: true });
  });
});
