import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The one backend there is: a worker thread with Postgres in it. */
export interface Backend {
  readonly ready: Promise<void>;
  /** Messages of one client up to a Sync or a Query, and all that Postgres answers to them. One at a time. */
  exchange(request: Uint8Array): Promise<Uint8Array>;
  /** Like kill -9 of a server. */
  kill(): Promise<void>;
  /** Like a server that is asked to stop. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;

/** `onLost` is called when it ends by itself or by `kill`, unless it never came up: then it would not the next time. */
export const startBackend = (directory: string, onLost: () => void): Backend => {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { directory } });
  const ready = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  let wasReady = false;
  let pending: PromiseWithResolvers<Uint8Array> | undefined;
  // Who waits hears of it; nobody has to.
  ready.promise.catch(() => {});
  worker.on('message', (message: 'ready' | Uint8Array) => {
    if (message === 'ready') {
      wasReady = true;
      ready.resolve();
    } else pending?.resolve(message);
  });
  const fail = ({ message }: Error) => {
    const why = new Error(`The demo database ended: ${message}`);
    ready.reject(why);
    pending?.reject(why);
  };
  worker.once('error', fail);
  worker.once('exit', () => {
    fail(new Error('its thread is gone'));
    exited.resolve();
    if (wasReady) onLost();
  });
  return {
    ready: ready.promise,
    exchange: async (request) => {
      await ready.promise;
      pending = Promise.withResolvers();
      worker.postMessage(request);
      return pending.promise;
    },
    kill: async () => {
      await worker.terminate();
    },
    close: async () => {
      worker.postMessage('close');
      const late = new AbortController();
      await Promise.race([
        exited.promise,
        sleep(CLOSE_MS, undefined, { signal: late.signal }).catch(() => {}),
      ]);
      late.abort();
      await worker.terminate();
    },
  };
};
