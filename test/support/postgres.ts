import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import { startDemoDatabase } from '#hosts/local/demo-database/start.ts';

/** A database that a test may kill. */
export interface Server {
  readonly name: string;
  /** May change with a restart. */
  url(): string;
  /** kill -9 of every process of it, and up again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Where `postgres` and `initdb` are, the newest first where there are several. */
const findPostgres = (): string | undefined => {
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'postgres'))
    .filter((file) => existsSync(file))
    .map((file) => dirname(realpathSync(file)));
  const debian = globSync('/usr/lib/postgresql/*/bin').sort().reverse();
  return [...onPath, ...debian].find((folder) => existsSync(join(folder, 'initdb')));
};

/** Postgres refuses to run as root; `postgres` or `nobody` is anyone else. */
const unprivileged = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const people = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = people.find((one) => /^(postgres|nobody):/.test(one));
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':').map(Number);
  return { uid: uid ?? 65534, gid: gid ?? 65534 };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
};

/** A real one, new and empty; `undefined` where none is installed, said aloud: a suite must not shrink unnoticed. */
export const startPostgres = async (): Promise<Server | undefined> => {
  const binaries = findPostgres();
  if (!binaries) {
    // biome-ignore lint/suspicious/noConsole: the reader of the test run is the one to be told
    console.warn(
      'NO REAL POSTGRES: the SQL suite ran on the embedded one (PGlite) ONLY. Install it (Debian: apt-get install postgresql) ' +
        'or put `postgres` and `initdb` on PATH.',
    );
    return undefined;
  }
  const user = unprivileged();
  const directory = await mkdtemp(join(tmpdir(), 'countersign-postgres-'));
  if (user.uid !== undefined) await chown(directory, user.uid, user.gid ?? user.uid);
  await promisify(execFile)(
    join(binaries, 'initdb'),
    ['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: directory },
  );
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let child: ChildProcess;
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  // It refuses to start while a process of the one that was killed still dies; then it is started again.
  const start = async (): Promise<void> => {
    // A group of its own, so that all its processes can be killed at once.
    child = spawn(join(binaries, 'postgres'), ['-D', directory, ...flags], {
      ...user,
      cwd: directory,
      stdio: 'ignore',
      detached: true,
    });
    const refused = once(child, 'exit').then(() => 'refused');
    if ((await Promise.race([answers(url), refused])) !== 'refused') return;
    await sleep(100);
    await start();
  };
  const signalGroup = async (signal: 'SIGKILL' | 'SIGINT') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // SIGINT to the first process alone is a fast shutdown.
    process.kill(signal === 'SIGKILL' ? -Number(child.pid) : Number(child.pid), signal);
    await ended;
  };
  const killAll = () => void signalGroup('SIGKILL');
  process.once('exit', killAll);
  await start();
  return {
    name: 'postgres',
    url: () => url,
    crash: async () => {
      await signalGroup('SIGKILL');
      await start();
    },
    stop: async () => {
      process.off('exit', killAll);
      await signalGroup('SIGINT');
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const answers = async (url: string): Promise<void> => {
  const { signal } = new AbortController();
  for (let tries = 0; tries < 300; tries += 1) {
    const database = createPostgresDatabase({ url });
    const answered = await database.read('SELECT 1', { limitMs: 5_000, signal }).then(
      () => true,
      () => false,
    );
    await database.close();
    if (answered) return;
    await sleep(50);
  }
  throw new Error('Postgres did not answer within 15 s');
};

/** The embedded one in a process of its own, so that it can be killed like a server. */
export const startEmbedded = async (): Promise<Server> => {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-pglite-'));
  let child: ChildProcess;
  let url = '';
  const start = async () => {
    child = spawn(process.execPath, [import.meta.filename, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout ?? child, 'data');
    url = String(line).trim();
  };
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const killChild = () => void child.kill('SIGKILL');
  process.once('exit', killChild);
  await start();
  return {
    name: 'pglite',
    url: () => url,
    crash: async () => {
      await kill();
      await start();
    },
    stop: async () => {
      process.off('exit', killChild);
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

if (import.meta.main) {
  const demo = await startDemoDatabase({ directory: String(process.argv[2]) });
  await demo.ready();
  process.stdout.write(`${demo.url}\n`);
}
