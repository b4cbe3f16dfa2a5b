import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import { type DemoDatabase, startDemoDatabase } from '#hosts/local/demo-database/start.ts';

const LIMITS = { limitMs: 20_000, signal: new AbortController().signal };
const ENDLESS = 'SELECT count(*) FROM generate_series(1, 10000000000)';

let directory: string;
let demo: DemoDatabase;
const numbers = async (sql: string) => (await demo.database.read(sql, LIMITS)).rows[0];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'countersign-demo-test-'));
  demo = await startDemoDatabase({ directory });
});
afterAll(async () => {
  await demo.stop();
  await rm(directory, { recursive: true });
});

describe('the demo database', () => {
  it('answers whoever does not wait for it to come up', async () => {
    expect(
      await numbers(
        `SELECT (SELECT count(*) FROM customers), count(*), count(*) FILTER (WHERE status = 1) FROM orders`,
      ),
    ).toEqual([400, 3200, 37]);
  });

  it('leaves the process alone while a statement runs, and is there again after one too long', async () => {
    await demo.database.runAlone('UPDATE orders SET status = 1 WHERE id = 1', LIMITS);
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 20);
    const endless = demo.database.read(ENDLESS, { ...LIMITS, limitMs: 500 });
    await expect(endless).rejects.toMatchObject({ code: '57014' });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(10);
    expect(await numbers('SELECT count(*) FROM orders WHERE status = 1')).toEqual([38]);
  });

  it('gives a client with a transaction open the backend to itself, and takes it back when it is gone', async () => {
    const other = createPostgresDatabase({ url: demo.url });
    const order: string[] = [];
    const reading = Promise.withResolvers<unknown>();
    await other.transact(LIMITS, async ({ run }) => {
      await run('DELETE FROM orders');
      reading.resolve(
        numbers('SELECT count(*) FROM orders').then((row) => order.push(`read ${row}`)),
      );
      await run('SELECT 1');
      order.push('left');
    });
    await reading.promise;
    await other.close();
    expect(order).toEqual(['left', 'read 3200']);
  });

  it('keeps its data in its directory, and does not fill it again', async () => {
    await demo.database.runAlone('DELETE FROM orders WHERE status = 1', LIMITS);
    await demo.stop();
    demo = await startDemoDatabase({ directory });
    expect(await numbers('SELECT count(*) FROM orders')).toEqual([3162]);
  });

  it('says so where its directory is of no use', async () => {
    const broken = join(directory, 'PG_VERSION', 'x');
    const useless = await startDemoDatabase({ directory: broken });
    await expect(useless.ready()).rejects.toThrow(/^The demo database ended: /);
    await useless.stop();
    expect(existsSync(broken)).toBe(false);
  });
});
