import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { DEMO_DATA } from './demo-data.ts';

/** Postgres as WebAssembly has the whole thread while a statement runs, which is why it gets one of its own. */
const { directory } = workerData as { directory: string };
const database = await PGlite.create(directory);

const { rows } = await database.query(
  `SELECT FROM pg_class WHERE relname IN ('customers', 'orders') AND relnamespace = 'public'::regnamespace`,
);
if (rows.length === 0) {
  await database.transaction((transaction) => transaction.exec(DEMO_DATA));
  await database.exec('ANALYZE');
}

/** Bytes of the wire protocol in, bytes out. It throws where Postgres would have exited: then this thread does. */
parentPort?.on('message', async (request: Uint8Array | 'close') => {
  if (request === 'close') {
    await database.close();
    parentPort?.close();
  } else parentPort?.postMessage(await database.execProtocolRaw(request));
});
parentPort?.postMessage('ready');
