import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where everything lies that outlives the process. */
export interface StateFolder {
  readonly path: string;
  readonly dynamodb: string;
  readonly sqs: string;
  readonly schedules: string;
  readonly database: string;
  /** A stand-in's own file. */
  standIn(name: string): string;
  stop(): Promise<void>;
}

const SQLITE_BUSY = 5;
/** By name, and nothing else: the folder may be one that holds other things too. */
const CONTENTS = ['dynamodb', 'sqs', 'schedules.json', 'database', 'standins'];

export const openStateFolder = (folder: string, { reset = false } = {}): StateFolder => {
  const path = resolve(folder);
  const lock = lockFolder(path);
  if (reset)
    for (const name of CONTENTS) rmSync(join(path, name), { recursive: true, force: true });
  mkdirSync(join(path, 'standins'), { recursive: true });
  return {
    path,
    dynamodb: join(path, 'dynamodb'),
    sqs: join(path, 'sqs'),
    schedules: join(path, 'schedules.json'),
    database: join(path, 'database'),
    standIn: (name) => join(path, 'standins', `${name}.json`),
    stop: async () => lock.close(),
  };
};

/** A lock of the operating system's, which goes with the process however that ends. */
const lockFolder = (path: string): DatabaseSync => {
  try {
    mkdirSync(path, { recursive: true });
    const lock = new DatabaseSync(join(path, 'lock'));
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new Error(
        `another countersign runs on the state folder ${path}: stop it, or set STATE_DIR to another folder`,
        { cause: error },
      );
    throw unreadable(path, error);
  }
};

/** For whatever reads from the folder and cannot. */
export const unreadable = (path: string, error: unknown): Error => {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return new Error(
    `the state folder cannot be used (${path}: ${why}): make it readable and writable, set STATE_DIR to another folder, or start empty with --reset`,
    { cause: error },
  );
};
