import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a running bot is reached on this machine: its ports are others at every start. */
export interface Running {
  readonly url: string;
  readonly table: string;
  readonly endpoints: Readonly<Record<'dynamodb' | 'sqs', string>>;
  readonly queues: Readonly<Record<'jobs' | 'deadLetters', string>>;
}

export const runningFile = (folder: string): string => join(folder, 'running.json');

/** Gives what takes it back. After a kill the file stays, so its reader has to ask whether anyone is there. */
export const announce = (folder: string, running: Running): (() => void) => {
  const file = runningFile(folder);
  writeFileSync(file, `${JSON.stringify(running)}\n`);
  return () => rmSync(file, { force: true });
};
