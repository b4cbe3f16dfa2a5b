import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import type { Json } from '#domain/canonical-json.ts';
import { ConnectionLostError, type Database, type Transaction } from '#ports/database.ts';
import { dataModify } from '#tools/data-modify.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { Server } from '../support/postgres.ts';
import { previewOf } from '../support/sql-call.ts';

const { signal } = new AbortController();
const LIMITS = { limitMs: 20_000, signal };

/** What every Database promises. `server` is up before the first test. */
export const describeDatabase = (name: string, server: () => Server): void => {
  const open = (url = server().url(), readUrl?: string): Database => {
    const database = createPostgresDatabase({ url, ...(readUrl && { readUrl }) });
    onTestFinished(() => database.close());
    return database;
  };
  let tables = 0;
  /** A table with so many rows. */
  const tableOf = async (database: Database, rows: number): Promise<string> => {
    tables += 1;
    const table = `t${tables}`;
    await database.runAlone(
      `CREATE TABLE ${table} AS SELECT n AS id FROM generate_series(1, ${rows}) AS n`,
      LIMITS,
    );
    return table;
  };
  const countIn = async (database: Database, table: string): Promise<Json | undefined> =>
    (await database.read(`SELECT count(*) FROM ${table}`, LIMITS)).rows[0]?.[0];
  /** Deletes everything, marked, and then does with the transaction what it is told. */
  const empty = async (
    database: Database,
    table: string,
    then: (transaction: Transaction, mark: Json) => Promise<void>,
  ): Promise<Json> => {
    let mark: Json = null;
    await database
      .transact(LIMITS, async (transaction) => {
        await transaction.run(`DELETE FROM ${table}`);
        mark = await transaction.mark();
        await then(transaction, mark);
      })
      .catch((error) => {
        if (!(error instanceof ConnectionLostError)) throw error;
      });
    return mark;
  };

  describe(`${name}: reads`, () => {
    it('gives rows as JSON', async () => {
      const sql = `SELECT 37::bigint AS n, 9007199254740993 AS big, 1.50::numeric AS price, 0.5::float8 AS half, true AS yes,
        NULL AS nothing, '{"a":[1]}'::jsonb AS doc, '中文' AS text, date '2026-01-02' AS day`;
      expect(await open().read(sql, LIMITS)).toEqual({
        columns: ['n', 'big', 'price', 'half', 'yes', 'nothing', 'doc', 'text', 'day'],
        rows: [[37, '9007199254740993', '1.50', 0.5, true, null, { a: [1] }, '中文', '2026-01-02']],
        truncated: false,
      });
    });

    it('fetches no more rows than wanted, and says that there were more', async () => {
      const rows = async (count: number) =>
        open().read(`SELECT * FROM generate_series(1, ${count})`, { ...LIMITS, maxRows: 10 });
      expect(await rows(11)).toMatchObject({ truncated: true, rows: { length: 10 } });
      expect(await rows(10)).toMatchObject({ truncated: false, rows: { length: 10 } });
    });

    it('stops at a million bytes, and says so', async () => {
      const sql = `SELECT repeat('x', 100000) FROM generate_series(1, 50)`;
      const { rows, truncated } = await open().read(sql, { ...LIMITS, maxRows: 1000 });
      expect(truncated).toBe(true);
      expect(rows).toHaveLength(9);
    });

    it('does not take in a value of any length', async () => {
      const database = open();
      const long = database.read(`SELECT repeat('x', 200000000)`, LIMITS);
      await expect(long).rejects.toMatchObject({ code: '54000' });
      expect((await database.read('SELECT 1', LIMITS)).rows).toEqual([[1]]);
    });

    it('lets the database refuse whatever is not a read', async () => {
      const database = open();
      const table = await tableOf(database, 3);
      const readOnly = { code: '25006' };
      await expect(database.read(`DELETE FROM ${table}`, LIMITS)).rejects.toMatchObject(readOnly);
      await expect(
        database.read(`WITH d AS (DELETE FROM ${table} RETURNING *) SELECT * FROM d`, LIMITS),
      ).rejects.toMatchObject(readOnly);
      await expect(database.read('CREATE TABLE x ()', LIMITS)).rejects.toMatchObject(readOnly);
      expect(await countIn(database, table)).toBe(3);
    });

    it('takes one statement, whatever the text says', async () => {
      const database = open();
      const table = await tableOf(database, 3);
      const several = { code: '42601' };
      for (const sql of [`SELECT 1; DELETE FROM ${table}`, `COMMIT; DELETE FROM ${table}`])
        await expect(database.read(sql, LIMITS)).rejects.toMatchObject(several);
      expect(await countIn(database, table)).toBe(3);
    });

    it('reads strings as the standard says, whatever the server was told', async () => {
      const database = open();
      await database.runAlone('ALTER ROLE postgres SET standard_conforming_strings = off', LIMITS);
      onTestFinished(async () => {
        await database.runAlone('ALTER ROLE postgres RESET standard_conforming_strings', LIMITS);
      });
      const { rows } = await open().read(String.raw`SELECT 'a\' AS x --'`, LIMITS);
      expect(rows).toEqual([['a\\']]);
    });

    it('ends a statement at its limit, and goes on', async () => {
      const database = open();
      const endless = 'SELECT count(*) FROM generate_series(1, 10000000000)';
      await expect(database.read(endless, { limitMs: 300, signal })).rejects.toMatchObject({
        code: '57014',
      });
      expect((await database.read('SELECT 1', LIMITS)).rows).toEqual([[1]]);
    });

    it('ends a statement nobody waits for any more', async () => {
      const stop = new AbortController();
      const database = open();
      const endless = database.read('SELECT count(*) FROM generate_series(1, 10000000000)', {
        limitMs: 20_000,
        signal: stop.signal,
      });
      stop.abort();
      await expect(endless).rejects.toBeInstanceOf(ConnectionLostError);
    });

    it('says what the database said, and quotes no rows', async () => {
      const database = open();
      const table = await tableOf(database, 1);
      await database.runAlone(`ALTER TABLE ${table} ADD UNIQUE (id)`, LIMITS);
      const again = database.runAlone(`INSERT INTO ${table} VALUES (1)`, LIMITS);
      await expect(again).rejects.toThrow(/^Postgres 23505: duplicate key value violates [^()]*$/);
      await expect(database.read(`SELECT idd FROM ${table}`, LIMITS)).rejects.toThrow(
        /42703.*Hint/,
      );
    });

    it('says that there is nobody, where there is nobody', async () => {
      const nobody = open('postgres://someone:secret@127.0.0.1:1/db').read('SELECT 1', LIMITS);
      await expect(nobody).rejects.toBeInstanceOf(ConnectionLostError);
      await expect(nobody).rejects.not.toThrow(/secret/);
    });
  });

  describe(`${name}: transactions`, () => {
    it('keeps what was committed, with the number of rows known before', async () => {
      const database = open();
      const table = await tableOf(database, 37);
      const ran = await database.transact(LIMITS, async (transaction) => {
        const deleted = await transaction.run(`DELETE FROM ${table} WHERE id <= 30 RETURNING *`);
        await transaction.commit();
        return deleted;
      });
      expect(ran).toMatchObject({ command: 'DELETE', rows: 30 });
      expect(await countIn(database, table)).toBe(7);
    });

    it('rolls back what was not committed, and what failed', async () => {
      const database = open();
      const table = await tableOf(database, 3);
      await database.transact(LIMITS, (transaction) => transaction.run(`DELETE FROM ${table}`));
      const failing = database.transact(LIMITS, async (transaction) => {
        await transaction.run(`DELETE FROM ${table}`);
        await transaction.run('SELECT 1 / 0');
        await transaction.commit();
      });
      await expect(failing).rejects.toMatchObject({ code: '22012' });
      expect(await countIn(database, table)).toBe(3);
    });

    it('does not take a COMMIT that rolled back for one that did not', async () => {
      const database = open();
      const table = await tableOf(database, 1);
      await database.runAlone(
        `ALTER TABLE ${table} ADD CONSTRAINT one UNIQUE (id) DEFERRABLE INITIALLY DEFERRED`,
        LIMITS,
      );
      const twice = database.transact(LIMITS, async (transaction) => {
        await transaction.run(`INSERT INTO ${table} VALUES (1)`);
        await transaction.commit();
      });
      await expect(twice).rejects.toMatchObject({ code: '23505' });
      const swallowed = database.transact(LIMITS, async (transaction) => {
        await transaction.run('SELECT 1 / 0').catch(() => {});
        await transaction.commit();
      });
      await expect(swallowed).rejects.toMatchObject({ code: '25P02' });
    });

    it('runs outside a transaction what refuses to run in one', async () => {
      const database = open();
      const table = await tableOf(database, 1);
      const inside = database.transact(LIMITS, ({ run }) => run(`VACUUM ${table}`));
      await expect(inside).rejects.toMatchObject({ code: '25001' });
      expect(await database.runAlone(`VACUUM ${table}`, LIMITS)).toMatchObject({
        command: 'VACUUM',
      });
    });

    it('leaves nothing of a session to the next', async () => {
      const database = open();
      await database.transact(LIMITS, async (transaction) => {
        await transaction.run(`SET application_name = 'left behind'`);
        await transaction.run('CREATE TEMPORARY TABLE left_behind ()');
        await transaction.commit();
      });
      const sql = `SELECT current_setting('application_name') = 'left behind', to_regclass('left_behind')`;
      expect((await database.read(sql, LIMITS)).rows).toEqual([[false, null]]);
    });
  });

  describe(`${name}: what became of a transaction`, () => {
    it('knows a committed one from one rolled back', async () => {
      const database = open();
      const table = await tableOf(database, 3);
      const left = await empty(database, table, async () => {});
      expect(await database.outcome(left, signal)).toBe('not-committed');
      const kept = await empty(database, table, ({ commit }) => commit());
      expect(await database.outcome(kept, signal)).toBe('committed');
    });

    it.for(['before', 'after'] as const)(
      'finds out when the line is cut %s the server hears COMMIT',
      async (cut) => {
        const direct = open();
        const table = await tableOf(direct, 3);
        const proxy = await startCuttingProxy(server().url(), cut);
        onTestFinished(proxy.stop);
        const database = open(proxy.url);
        const lost: unknown[] = [];
        const mark = await empty(database, table, ({ commit }) =>
          commit().catch((error) => {
            lost.push(error);
          }),
        );
        expect(lost[0]).toBeInstanceOf(ConnectionLostError);
        const committed = cut === 'after';
        expect(await database.outcome(mark, signal)).toBe(
          committed ? 'committed' : 'not-committed',
        );
        expect(await countIn(direct, table)).toBe(committed ? 0 : 3);
      },
    );

    it('survives kill -9 of the database before the commit: not committed, for good', async () => {
      const table = await tableOf(open(), 3);
      const mark = await empty(open(), table, () => server().crash());
      const database = open();
      expect(await database.outcome(mark, signal)).toBe('not-committed');
      expect(await countIn(database, table)).toBe(3);
      // Ids go on behind the one that was lost: none of these is taken for it.
      for (let n = 0; n < 5; n += 1) {
        const other = await empty(database, await tableOf(database, 1), ({ commit }) => commit());
        expect((other as { id: string }).id).not.toBe((mark as { id: string }).id);
      }
      expect(await database.outcome(mark, signal)).toBe('not-committed');
    });

    it('survives kill -9 of the database after the commit: committed', async () => {
      const table = await tableOf(open(), 3);
      const mark = await empty(open(), table, ({ commit }) => commit());
      await server().crash();
      const database = open();
      expect(await database.outcome(mark, signal)).toBe('committed');
      expect(await countIn(database, table)).toBe(0);
    });

    it('leaves unknown what a restart may have mixed up, and what another database knows nothing of', async () => {
      const table = await tableOf(open(), 3);
      const mark = await empty(open(), table, ({ commit }) => commit());
      const changed = (more: object) => ({ ...(mark as object), started: '1', ...more });
      const outcome = (more: object) => open().outcome(changed(more), signal);
      expect(await outcome({})).toBe('committed');
      expect(await outcome({ flushed: false })).toBe('unknown');
      expect(await outcome({ timeline: '00000009' })).toBe('unknown');
      expect(await outcome({ system: '1' })).toBe('unknown');
      expect(await outcome({ system: null, timeline: null })).toBe('unknown');
      expect(await outcome({ id: '4000000000' })).toBe('not-committed');
    });
  });
};

/** What takes several backends and roles, which the embedded one does not have. */
export const describeServer = (name: string, server: () => Server): void => {
  let owner: Database;
  beforeAll(async () => {
    owner = createPostgresDatabase({ url: server().url() });
    for (const sql of [
      'CREATE ROLE reader LOGIN',
      'CREATE ROLE plain LOGIN',
      'CREATE TABLE shown AS SELECT 1 AS id',
      'CREATE TABLE hidden AS SELECT 1 AS id',
      'GRANT SELECT ON shown TO reader',
      'GRANT ALL ON shown TO plain',
      'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public',
    ])
      await owner.runAlone(sql, LIMITS);
  });
  afterAll(() => owner.close());
  const as = (role: string) => server().url().replace('postgres@', `${role}@`);
  const open = (url: string, readUrl?: string) => {
    const database = createPostgresDatabase({ url, ...(readUrl && { readUrl }) });
    onTestFinished(() => database.close());
    return database;
  };

  describe(`${name}: roles and other backends`, () => {
    it('reads as the role of DATABASE_READ_URL, and writes and counts as the other', async () => {
      const database = open(server().url(), as('reader'));
      expect((await database.read('SELECT current_user', LIMITS)).rows).toEqual([['reader']]);
      await expect(database.read('SELECT * FROM hidden', LIMITS)).rejects.toMatchObject({
        code: '42501',
      });
      expect(await previewOf(dataModify, database, 'DELETE FROM hidden')).toBe(
        'Would affect 1 row',
      );
    });

    it('marks as a role that may not ask for the history of the server', async () => {
      const database = open(as('plain'));
      let mark: Json = null;
      await database.transact(LIMITS, async (transaction) => {
        await transaction.run('UPDATE shown SET id = id');
        mark = await transaction.mark();
        await transaction.commit();
      });
      expect(mark).toMatchObject({ system: null });
      expect(await database.outcome(mark, signal)).toBe('committed');
      const restarted = { ...(mark as unknown as object), started: '1' };
      expect(await database.outcome(restarted, signal)).toBe('unknown');
    });

    it('ends a transaction left open by a runner that hangs, before it says no', async () => {
      const database = open(server().url());
      const marked = Promise.withResolvers<Json>();
      const asked = Promise.withResolvers<void>();
      const hanging = database.transact(LIMITS, async (transaction) => {
        await transaction.run('UPDATE shown SET id = 2');
        marked.resolve(await transaction.mark());
        await asked.promise;
        await transaction.commit();
      });
      expect(await open(server().url()).outcome(await marked.promise, signal)).toBe(
        'not-committed',
      );
      asked.resolve();
      await expect(hanging).rejects.toBeInstanceOf(ConnectionLostError);
      expect((await database.read('SELECT id FROM shown', LIMITS)).rows).toEqual([[1]]);
    });

    it('does not wait for ever on a server that says nothing to COMMIT', async () => {
      const proxy = await startCuttingProxy(server().url(), 'freeze');
      onTestFinished(proxy.stop);
      const database = open(proxy.url);
      let mark: Json = null;
      const frozen = database.transact({ limitMs: 200, signal }, async (transaction) => {
        await transaction.run('UPDATE shown SET id = 3');
        mark = await transaction.mark();
        await transaction.commit();
      });
      await expect(frozen).rejects.toBeInstanceOf(ConnectionLostError);
      expect(await database.outcome(mark, signal)).toBe('not-committed');
    });

    it('waits no longer than its limit for a lock', async () => {
      const database = open(server().url());
      await database.transact(LIMITS, async (transaction) => {
        await transaction.run('LOCK TABLE shown');
        const waiting = open(server().url()).transact({ limitMs: 200, signal }, ({ run }) =>
          run('UPDATE shown SET id = 4'),
        );
        await expect(waiting).rejects.toMatchObject({ code: /^(55P03|57014)$/ });
      });
    });
  });
};
