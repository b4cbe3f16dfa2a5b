import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import type { Json } from '#domain/canonical-json.ts';
import type { Database } from '#ports/database.ts';
import { dataModify } from '#tools/data-modify.ts';
import { dataQuery } from '#tools/data-query.ts';
import { describeTable } from '#tools/describe-table.ts';
import { listTables } from '#tools/list-tables.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { Server } from '../support/postgres.ts';
import { call, previewOf, recover } from '../support/sql-call.ts';

const { signal } = new AbortController();

/** The four tools on a live database. */
export const describeSqlTools = (name: string, server: () => Server): void => {
  let schemas = 0;
  const open = (url = server().url()): Database => {
    const database = createPostgresDatabase({ url });
    onTestFinished(() => database.close());
    return database;
  };
  /** A schema of its own with 100 orders, 37 of them with status 1, and items that go with their order. */
  const shop = async (database = open()) => {
    schemas += 1;
    const schema = `shop${schemas}`;
    for (const sql of [
      `CREATE SCHEMA ${schema}`,
      `CREATE TABLE ${schema}.orders (id int PRIMARY KEY, status int NOT NULL, note text)`,
      `CREATE TABLE ${schema}.items (id int, order_id int REFERENCES ${schema}.orders ON DELETE CASCADE)`,
      `INSERT INTO ${schema}.orders SELECT n, CASE WHEN n <= 37 THEN 1 ELSE 2 END FROM generate_series(1, 100) AS n`,
      `INSERT INTO ${schema}.items SELECT n, n % 100 + 1 FROM generate_series(1, 300) AS n`,
      `ANALYZE ${schema}.orders`,
    ])
      await database.runAlone(sql, { limitMs: 10_000, signal });
    const orders = `${schema}.orders`;
    const modify = (sql: string, shown?: string) => call(dataModify, database, { sql }, { shown });
    const count = async (table = orders) => {
      const { rows } = (await call(dataQuery, database, {
        sql: `SELECT count(*) FROM ${table}`,
      })) as { rows: Json[][] };
      return rows[0]?.[0];
    };
    return { database, schema, orders, items: `${schema}.items`, modify, count };
  };
  const cancelled = (orders: string) => `DELETE FROM ${orders} WHERE status = 1`;

  describe(`${name}: reading`, () => {
    it('lists and describes tables', async () => {
      const { database, schema, orders } = await shop();
      const { tables } = (await call(listTables, database, {})) as { tables: { name: string }[] };
      expect(tables).toContainEqual({ name: orders, rows: 100 });
      expect(tables.map((table) => table.name).join()).not.toMatch(/pg_|information_schema/);
      expect(await call(describeTable, database, { table: orders })).toEqual({
        table: orders,
        columns: [
          { name: 'id', type: 'integer', nullable: false },
          { name: 'status', type: 'integer', nullable: false },
          { name: 'note', type: 'text', nullable: true },
        ],
      });
      await expect(call(describeTable, database, { table: `${schema}.nope` })).rejects.toThrow(
        /no table/,
      );
    });

    it('answers a query, up to a thousand rows', async () => {
      const { database, orders } = await shop();
      const query = (sql: string) => call(dataQuery, database, { sql });
      expect(await query(`SELECT count(*) FROM ${orders} WHERE status = 1;`)).toEqual({
        columns: ['count'],
        rows: [[37]],
        rowCount: 1,
        truncated: false,
      });
      expect(await query('SELECT generate_series(1, 1001)')).toMatchObject({
        rowCount: 1000,
        truncated: true,
      });
      expect(await query(`EXPLAIN ANALYZE SELECT * FROM ${orders}`)).toMatchObject({
        columns: ['QUERY PLAN'],
      });
      expect(await query('SHOW transaction_read_only')).toMatchObject({ rows: [['on']] });
    });

    it('runs nothing that is not a read, and says what to use', async () => {
      const { database, orders, count } = await shop();
      const query = call(dataQuery, database, { sql: `DELETE FROM ${orders}` });
      await expect(query).rejects.toThrow(/^Not a read: DELETE .* Use data_modify/);
      expect(await count()).toBe(100);
    });

    it('never calls a function that only has the name of a known one', async () => {
      const { database, schema } = await shop();
      for (const sql of [
        `CREATE FUNCTION public.lower(integer) RETURNS text LANGUAGE sql AS $$ SELECT 'mine' $$`,
        `CREATE TABLE ${schema}.t AS SELECT 1 AS id`,
      ])
        await call(dataModify, database, { sql });
      const query = call(dataQuery, database, { sql: `SELECT lower(id) FROM ${schema}.t` });
      await expect(query).rejects.toThrow(/42883.*pg_catalog\.lower\(integer\)/);
      await call(dataModify, database, { sql: 'DROP FUNCTION public.lower(integer)' });
    });
  });

  describe(`${name}: the card`, () => {
    it('counts what would be touched, and touches nothing', async () => {
      const { database, schema, orders, items, count } = await shop();
      const rows = async (sql: string) =>
        (await previewOf(dataModify, database, sql)).split('\n')[0];
      const exactly = (n: number) => `Would affect ${n} rows`;
      expect(await rows(cancelled(orders))).toBe(exactly(37));
      expect(await rows(`DELETE FROM ${orders}`)).toBe(exactly(100));
      expect(await rows(`UPDATE ${orders} AS o SET note = 'x' WHERE o.id > 95 RETURNING *`)).toBe(
        exactly(5),
      );
      // Three items for each order: each order counts once.
      expect(
        await rows(`UPDATE ${orders} o SET note = i.id FROM ${items} i WHERE i.order_id = o.id`),
      ).toBe(exactly(100));
      expect(
        await rows(
          `WITH few AS (SELECT id FROM ${orders} LIMIT 4) DELETE FROM ${orders} USING few WHERE few.id = ${orders}.id`,
        ),
      ).toBe(exactly(4));
      expect(await rows(`INSERT INTO ${items} VALUES (1, 1), (2, 2)`)).toBe(exactly(2));
      expect(await rows(`INSERT INTO ${items} SELECT * FROM ${items}`)).toBe(exactly(300));
      expect(await rows(`TRUNCATE ${items}`)).toBe(exactly(300));
      expect(await rows(`DROP TABLE ${items}`)).toBe(exactly(300));
      expect(await rows(`DELETE FROM ${orders} WHERE random() < 2`)).toMatch(
        /^Would affect ≈ \d+ rows/,
      );
      expect(
        await rows(
          `MERGE INTO ${orders} o USING ${items} i ON i.order_id = o.id WHEN MATCHED THEN DELETE`,
        ),
      ).toMatch(/^Would affect ≈ \d+ rows/);
      expect(
        await rows(
          `WITH gone AS (DELETE FROM ${items} RETURNING *) INSERT INTO ${items} SELECT * FROM gone`,
        ),
      ).toMatch(/cannot be found/);
      expect(await rows(`DO $$ BEGIN DELETE FROM ${orders}; END $$`)).toMatch(/cannot be found/);
      expect(await rows(`ALTER TABLE ${orders} ADD extra int`)).toMatch(/structure/);
      expect(await rows(`CREATE INDEX CONCURRENTLY ON ${orders} (note)`)).toMatch(
        /cannot run inside a transaction/,
      );
      expect(await rows(`DELETE FROM ${schema}.nope`)).toMatch(/Will not run.*does not exist/);
      expect(await rows(`SELECT 1`)).toMatch(/Will not run.*data_query/);
      expect([await count(), await count(items)]).toEqual([100, 300]);
    });

    it('names the tables and triggers that go with it', async () => {
      const { database, schema, orders, items, modify } = await shop();
      await modify(
        `CREATE FUNCTION ${schema}.noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
      );
      await modify(
        `CREATE TRIGGER note_it AFTER UPDATE ON ${orders} FOR EACH ROW EXECUTE FUNCTION ${schema}.noted()`,
      );
      expect(await previewOf(dataModify, database, cancelled(orders), 'zh-CN')).toBe(
        `将影响 37 行\n还会通过外键连带更改这些表（不计入上面的行数）：${items}`,
      );
      expect(await previewOf(dataModify, database, `UPDATE ${orders} SET note = ''`)).toBe(
        'Would affect 100 rows\nRuns these triggers (what they change is not in the number above): note_it',
      );
    });

    it('changes nothing even where the condition calls code that would', async () => {
      const { database, schema, orders, modify, count } = await shop();
      await modify(
        `CREATE FUNCTION ${schema}.sly() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN DELETE FROM ${orders}; RETURN true; END $$`,
      );
      expect(
        await previewOf(
          dataModify,
          database,
          `UPDATE ${orders} SET note = '' WHERE ${schema}.sly()`,
        ),
      ).toMatch(/≈/);
      expect(await count()).toBe(100);
    });
  });

  describe(`${name}: changing`, () => {
    it('does what was confirmed, and says how many rows', async () => {
      const { database, orders, modify, count } = await shop();
      const shown = await previewOf(dataModify, database, cancelled(orders), 'zh-CN');
      expect(await modify(cancelled(orders), shown)).toEqual({ command: 'DELETE', rows: 37 });
      expect(await count()).toBe(63);
      expect(await modify(`DROP TABLE ${orders} CASCADE`)).toEqual({ command: 'DROP', rows: 63 });
    });

    it('does nothing where it would be more rows than the card said', async () => {
      const { database, orders, items, modify, count } = await shop();
      const shown = await previewOf(dataModify, database, cancelled(orders));
      await modify(`UPDATE ${orders} SET status = 1 WHERE id = 50`);
      expect(await modify(cancelled(orders), shown)).toEqual({
        changed:
          'Rolled back, nothing was changed: it would have affected 38 rows, and the card said at most 37',
      });
      expect(await count()).toBe(100);
      expect(await previewOf(dataModify, database, cancelled(orders))).toMatch(/ 38 rows/);
      expect(await modify(`TRUNCATE ${items}`, 'Would affect 299 rows')).toHaveProperty('changed');
      expect(await count(items)).toBe(300);
      const fewer = await modify(cancelled(orders), 'Would affect 40 rows');
      expect(fewer).toEqual({ command: 'DELETE', rows: 38 });
    });

    it('holds an estimate to its order of magnitude', async () => {
      const { orders, modify, count } = await shop();
      const sql = `DELETE FROM ${orders} WHERE random() < 2`;
      const shown = (limit: number) =>
        `Would affect ≈ 5 rows (an estimate; above ${limit} rows it is rolled back and asked again)`;
      expect(await modify(sql, shown(50))).toHaveProperty('changed');
      expect(await count()).toBe(100);
      expect(await modify(sql, shown(500))).toEqual({ command: 'DELETE', rows: 100 });
    });

    it('refuses what would end its transaction, and leaves everything as it was', async () => {
      const { schema, orders, modify, count } = await shop();
      await expect(modify('COMMIT')).rejects.toThrow(/Transactions are begun and ended here/);
      await expect(modify(`DELETE FROM ${orders}; COMMIT`)).rejects.toThrow(/2 statements/);
      await modify(
        `CREATE PROCEDURE ${schema}.sly() LANGUAGE plpgsql AS $$ BEGIN DELETE FROM ${orders}; COMMIT; END $$`,
      );
      await expect(modify(`CALL ${schema}.sly()`)).rejects.toThrow(/2D000/);
      await expect(modify(`DO $$ BEGIN DELETE FROM ${orders}; COMMIT; END $$`)).rejects.toThrow(
        /2D000/,
      );
      await expect(modify(`COPY ${orders} FROM STDIN`)).rejects.toThrow(/COPY/);
      await expect(modify(`SELECT 1`)).rejects.toThrow(/data_query/);
      expect(await count()).toBe(100);
    });

    it('runs what cannot run in a transaction by itself', async () => {
      const { orders, modify } = await shop();
      const index = `CREATE INDEX CONCURRENTLY ON ${orders} (note)`;
      expect(await modify(index)).toEqual({ command: 'CREATE', rows: null });
    });

    it('commits nothing once its checkpoint was refused', async () => {
      const { database, orders, count } = await shop();
      const run = call(
        dataModify,
        database,
        { sql: cancelled(orders) },
        {
          checkpoint: async () => {
            throw new Error('taken from its runner');
          },
        },
      );
      await expect(run).rejects.toThrow('taken from its runner');
      expect(await count()).toBe(100);
    });

    it.for([
      ['before', 100],
      ['after', 63],
    ] as const)('says what is true when the line is cut %s COMMIT', async ([cut, left]) => {
      const { orders, count } = await shop();
      const proxy = await startCuttingProxy(server().url(), cut);
      onTestFinished(proxy.stop);
      const run = call(dataModify, open(proxy.url), { sql: cancelled(orders) });
      if (cut === 'before') await expect(run).rejects.toThrow(/^Nothing was changed/);
      else expect(await run).toEqual({ command: 'DELETE', rows: 37 });
      expect(await count()).toBe(left);
    });
  });

  describe(`${name}: after kill -9 of the bot`, () => {
    const AT = { begun: 1, 'before-commit': 2, 'after-commit': 3 };
    /** Runs it in a process that is killed where it hangs; what it saved last. */
    const kill = async (sql: string, where: keyof typeof AT): Promise<Json> => {
      const script = new URL('../support/modify-process.ts', import.meta.url).pathname;
      const child = spawn(process.execPath, [script, server().url(), sql, String(AT[where])], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        if (line === 'hanging') break;
        lines.push(line);
      }
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      return JSON.parse(lines.at(-1) ?? 'null');
    };

    it.for(['begun', 'before-commit'] as const)(
      'knows that a commit was not reached: %s',
      async (where) => {
        const { database, orders, count } = await shop();
        const saved = await kill(cancelled(orders), where);
        expect(await recover(dataModify, database, saved)).toEqual({ happened: false });
        expect(await count()).toBe(100);
      },
    );

    it('knows that it was, and with how many rows', async () => {
      const { database, orders, count } = await shop();
      const saved = await kill(cancelled(orders), 'after-commit');
      const result = { command: 'DELETE', rows: 37 };
      expect(await recover(dataModify, database, saved)).toEqual({ happened: true, result });
      expect(await count()).toBe(63);
    });

    it.for([
      ['before-commit', 100],
      ['after-commit', 63],
    ] as const)('knows even if the database died with it, %s', async ([where, left]) => {
      const { orders } = await shop();
      const saved = await kill(cancelled(orders), where);
      await server().crash();
      const database = open();
      expect(await recover(dataModify, database, saved)).toMatchObject({ happened: left === 63 });
      const query = await call(dataQuery, database, { sql: `SELECT count(*) FROM ${orders}` });
      expect(query).toMatchObject({ rows: [[left]] });
    });
  });
};
