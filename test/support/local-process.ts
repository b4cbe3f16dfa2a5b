import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
/** With the flags that `npm start` has. */
export const COMMAND: readonly string[] = String(scripts.start).split(' ').slice(1);
const STARTED = /on (http:\/\/127\.0\.0\.1:\d+)\//;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What `npm start` runs, as a process of its own. */
export interface LocalProcess {
  readonly child: ChildProcess;
  /** Its address, once it said that it is running. */
  readonly url: Promise<string>;
  readonly ended: Promise<Ended>;
  /** Ctrl+C. */
  interrupt(): Promise<Ended>;
  /** `kill -9`. */
  kill(): Promise<Ended>;
}

/** Only what is given is set of all that the local host reads. */
export const startProcess = (
  environment: Readonly<Record<string, string>>,
  ...flags: string[]
): LocalProcess => {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_|AWS|FEISHU|DINGTALK|MODEL|DATABASE|COUNTERSIGN|PORT$|STATE_DIR$)/.test(name),
  );
  const child = spawn(process.execPath, [...COMMAND, ...flags], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const url = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const found = STARTED.exec(stdout)?.[1];
    if (found) url.resolve(found);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]): Ended => ({ code, stdout, stderr }));
  void ended.then(() => url.reject(new Error(`it ended before it was up: ${stderr}`)));
  url.promise.catch(() => {});
  const signal = (name: NodeJS.Signals) => {
    child.kill(name);
    return ended;
  };
  return {
    child,
    url: url.promise,
    ended,
    interrupt: () => signal('SIGINT'),
    kill: () => signal('SIGKILL'),
  };
};
