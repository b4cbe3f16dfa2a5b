import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLocalDynamo } from '#hosts/local/aws/dynamodb.ts';
import { openStateFolder, type StateFolder } from '#hosts/local/state-folder.ts';

describe('the state folder', () => {
  let parent: string;
  let opened: StateFolder | undefined;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'countersign-state-'));
  });
  afterEach(async () => {
    await opened?.stop();
    opened = undefined;
    rmSync(parent, { recursive: true });
  });

  it('is made where it is missing', () => {
    opened = openStateFolder(join(parent, 'a', 'b'));
    expect(existsSync(opened.path)).toBe(true);
  });

  it('belongs to one process at a time', async () => {
    opened = openStateFolder(parent);
    expect(() => openStateFolder(parent)).toThrow(
      `another countersign runs on the state folder ${parent}: stop it, or set STATE_DIR`,
    );
    await opened.stop();
    opened = openStateFolder(parent);
  });

  it('is free again after a process that held it was killed', async () => {
    const module = new URL('../../shared/hosts/local/state-folder.ts', import.meta.url);
    const script = `import { openStateFolder } from ${JSON.stringify(module.href)};
      openStateFolder(${JSON.stringify(parent)});
      process.kill(process.pid, 'SIGKILL');`;
    const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    await expect(child).rejects.toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(join(parent, 'lock'))).toBe(true);
    opened = openStateFolder(parent);
  });

  it('is emptied of what is ours, and of nothing else', async () => {
    opened = openStateFolder(parent);
    mkdirSync(opened.dynamodb);
    const ours = [join(opened.dynamodb, 'x'), opened.schedules, opened.standIn('feishu')];
    const theirs = join(parent, 'thesis.doc');
    for (const file of [...ours, theirs]) writeFileSync(file, '{}');
    await opened.stop();
    opened = openStateFolder(parent, { reset: true });
    expect(ours.filter(existsSync)).toEqual([]);
    expect(existsSync(theirs)).toBe(true);
  });

  it('says what to do when it is no folder', () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')])
      expect(() => openStateFolder(path)).toThrow(
        /^the state folder cannot be used \(.*\): make it readable and writable, set STATE_DIR to another folder, or start empty with --reset$/,
      );
  });

  it('says so when its database is broken, instead of ending the process', async () => {
    const path = join(parent, 'dynamodb');
    mkdirSync(path);
    writeFileSync(join(path, 'CURRENT'), 'no manifest');
    await expect(startLocalDynamo(path)).rejects.toThrow();
  });
});
