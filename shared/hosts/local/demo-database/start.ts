import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import type { Database } from '#ports/database.ts';
import { type Backend, startBackend } from './backend.ts';
import { createReader, inTransaction, simpleQuery } from './wire.ts';

export interface DemoDatabase {
  /** For any Postgres client. It answers from the start; queries wait until the database is up. */
  readonly url: string;
  /** The same, for the tools: its time limits do not run while the database starts. */
  readonly database: Database;
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a statement may go on whose client is gone. */
const ORPHAN_MS = 1_000;

/**
 * An embedded Postgres behind a socket of its own, so that the bot reaches it like any other. It has one backend: a
 * client that has a transaction open has it to itself. Postgres as WebAssembly knows no time limits, so when a client
 * has hung up on a statement and the statement goes on, the backend is ended, as if by kill -9, and started anew: it
 * recovers from its log in less than a second, while the very first start takes several. Without a directory the data
 * is gone after `stop`.
 */
export const startDemoDatabase = async (
  options: { readonly directory?: string } = {},
): Promise<DemoDatabase> => {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'countersign-demo-')));
  const sockets = new Set<Socket>();
  let stopped = false;
  const start = (): Backend => {
    const started = startBackend(directory, () => {
      for (const socket of sockets) socket.destroy();
      if (backend === started && !stopped) backend = start();
    });
    return started;
  };
  let backend = start();

  let turn = Promise.resolve();
  /** Waits for its turn; what it answers lets the next one in. */
  const takeTurn = async (): Promise<() => void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = turn;
    turn = promise;
    await before;
    return resolve;
  };

  const serve = (socket: Socket): void => {
    sockets.add(socket);
    const read = createReader();
    let work = Promise.resolve();
    let leave: (() => void) | undefined;
    let running = false;

    const answer = async (batch: Buffer): Promise<void> => {
      leave ??= await takeTurn();
      if (socket.destroyed) return;
      running = true;
      const answered = await backend.exchange(batch);
      running = false;
      socket.write(answered);
      if (inTransaction(answered)) return;
      leave();
      leave = undefined;
    };
    /** The next client finds a clean session. */
    const cleanUp = async (): Promise<void> => {
      leave ??= await takeTurn();
      await backend.exchange(simpleQuery('ROLLBACK'));
      await backend.exchange(simpleQuery('DISCARD ALL'));
    };

    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const received of read(data)) {
        if (received.kind === 'bye') socket.end();
        else if (received.kind === 'answer') socket.write(received.bytes);
        else work = work.then(() => answer(received.bytes)).catch(() => void socket.destroy());
      }
    });
    socket.on('close', () => {
      sockets.delete(socket);
      const orphaned = backend;
      const timer = setTimeout(() => running && void orphaned.kill(), ORPHAN_MS);
      work = work
        .then(cleanUp)
        .catch(() => {})
        .finally(() => {
          clearTimeout(timer);
          leave?.();
        });
    });
  };

  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `postgres://demo@127.0.0.1:${port}/demo`;
  const ready = () => backend.ready;
  const database = afterReady(createPostgresDatabase({ url }), ready);
  return {
    url,
    database,
    ready,
    stop: async () => {
      stopped = true;
      await database.close();
      for (const socket of sockets) socket.destroy();
      server.close();
      await backend.close();
      if (!options.directory) await rm(directory, { recursive: true, force: true });
    },
  };
};

const afterReady = (database: Database, ready: () => Promise<void>): Database => ({
  ...database,
  read: async (sql, limits) => {
    await ready();
    return database.read(sql, limits);
  },
  transact: async (limits, work) => {
    await ready();
    return database.transact(limits, work);
  },
  runAlone: async (sql, limits) => {
    await ready();
    return database.runAlone(sql, limits);
  },
  outcome: async (mark, signal) => {
    await ready();
    return database.outcome(mark, signal);
  },
});
