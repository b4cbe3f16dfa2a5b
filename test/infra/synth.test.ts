import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'countersign-synth-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the processor: what a clock on the wall says depends on whatever else the machine does. */
const LIMIT_SECONDS = 60;
const PATIENCE_MS = 300_000;

/** The shell's builtin prints, last, what the programs it ran took: `0m13.729s 0m1.145s`. */
const secondsIn = (times: string): number => {
  const parts = [...(times.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  expect(parts).toHaveLength(2);
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
};

it(
  'npx cdk synth -c env=prod needs no credentials and no network',
  async () => {
    const command = [
      resolve('node_modules/.bin/cdk'),
      'synth',
      '-c',
      'env=prod',
      '-o',
      folder,
      '-q',
    ];
    const { stdout } = await promisify(execFile)('sh', ['-c', '"$@" && times', 'sh', ...command], {
      // No AWS_…, a home without ~/.aws, and whoever would go out finds nobody at the door.
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        AWS_EC2_METADATA_DISABLED: 'true',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        HTTP_PROXY: 'http://127.0.0.1:9',
      },
    });
    const seconds = secondsIn(stdout);
    process.stdout.write(`cdk synth -c env=prod took ${seconds.toFixed(1)} s of the processor\n`);
    expect(existsSync(join(folder, 'Countersign-prod.template.json'))).toBe(true);
    expect(seconds).toBeLessThan(LIMIT_SECONDS);
  },
  PATIENCE_MS,
);
