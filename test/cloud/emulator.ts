import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The launcher reaches into it, so another version is another launcher. */
const MINISTACK = 'ministack==1.5.33';
const FOLDER = resolve('.cloud');
const ENVIRONMENT = join(FOLDER, MINISTACK);
const PYTHON = join(ENVIRONMENT, 'bin', 'python');
const LOG = join(FOLDER, 'ministack.log');
const START_SECONDS = 60;

/** Never real ones: nothing here may reach an account. */
export const EMULATED_ACCOUNT = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
};

export interface Emulator {
  readonly endpoint: string;
  /** What it and its functions write. */
  readonly logFile: string;
  stop(): Promise<void>;
}

export const startMinistack = async (): Promise<Emulator> => {
  install();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const log = openSync(LOG, 'w');
  const child = spawn(PYTHON, [resolve('test/cloud/start-ministack.py')], {
    // A group of its own: the functions' processes end with it.
    detached: true,
    stdio: ['ignore', log, log],
    // Its functions inherit everything, so they get nothing of ours. The first `node` on the path is theirs.
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: FOLDER,
      TMPDIR: process.env['TMPDIR'] ?? '/tmp',
      ...EMULATED_ACCOUNT,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      // The roles' policies are enforced: a permission too few fails here.
      AUTH: 'true',
    },
  });
  const kill = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const killAtEnd = () => kill('SIGKILL');
  process.once('exit', killAtEnd);
  const stop = async () => {
    process.off('exit', killAtEnd);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    kill('SIGTERM');
    await Promise.race([ended, sleep(5_000)]);
    if (child.exitCode === null && child.signalCode === null) kill('SIGKILL');
  };
  for (let waited = 0; waited < START_SECONDS * 4; waited += 1) {
    if (child.exitCode !== null)
      throw new Error(`MiniStack ended with code ${child.exitCode}; see ${LOG}`);
    if (await isUp(endpoint)) return { endpoint, logFile: LOG, stop };
    await sleep(250);
  }
  await stop();
  throw new Error(`MiniStack did not answer within ${START_SECONDS} s; see ${LOG}`);
};

const isUp = async (endpoint: string): Promise<boolean> => {
  try {
    return (await fetch(`${endpoint}/_ministack/health`)).ok;
  } catch {
    return false;
  }
};

const install = (): void => {
  if (existsSync(join(ENVIRONMENT, 'installed'))) return;
  mkdirSync(FOLDER, { recursive: true });
  const version = 'import sys; sys.exit(sys.version_info < (3, 10))';
  if (spawnSync('python3', ['-c', version]).status !== 0)
    throw new Error(
      'test:cloud needs python3, 3.10 or later, to run MiniStack; or set AWS_ENDPOINT_URL to an emulator that is running',
    );
  run('python3', ['-m', 'venv', '--clear', ENVIRONMENT]);
  run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', MINISTACK]);
  mkdirSync(join(ENVIRONMENT, 'installed'));
};

const run = (command: string, args: readonly string[]): void => {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
