import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EMULATED_ACCOUNT } from './emulator.ts';

/** Where the stack goes: an emulator at an address, or the account of the caller's credentials. */
export interface Target {
  readonly environment: string;
  readonly endpoint: string | undefined;
  /** Given to the functions as their settings. */
  readonly settings: string;
}

export type Outputs = Readonly<Record<string, string>>;

const bin = (name: string) => resolve('node_modules/.bin', name);

const surroundings = ({ endpoint }: Target): NodeJS.ProcessEnv => ({
  ...process.env,
  CI: 'true',
  ...(endpoint && {
    ...EMULATED_ACCOUNT,
    AWS_DEFAULT_REGION: EMULATED_ACCOUNT.AWS_REGION,
    AWS_ENDPOINT_URL: endpoint,
    // S3 is asked by path: names under an emulator's host do not resolve everywhere.
    AWS_ENDPOINT_URL_S3: process.env['AWS_ENDPOINT_URL_S3'] ?? endpoint,
    // What cdklocal may leave in place.
    AWS_ENVAR_ALLOWLIST: Object.keys(EMULATED_ACCOUNT).join(','),
  }),
});

const cdk = async (target: Target, args: readonly string[]): Promise<void> => {
  const child = spawn(
    bin(target.endpoint ? 'cdklocal' : 'cdk'),
    [...args, '-c', `env=${target.environment}`, '-c', `settings=${target.settings}`, '--no-color'],
    { env: surroundings(target), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${said.slice(-4000)}`);
};

export const bootstrap = (target: Target): Promise<void> =>
  cdk(target, ['bootstrap', `aws://000000000000/${EMULATED_ACCOUNT.AWS_REGION}`]);

export const deploy = async (target: Target): Promise<Outputs> => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-outputs-'));
  const file = join(folder, 'outputs.json');
  try {
    await cdk(target, ['deploy', '--require-approval', 'never', '--outputs-file', file]);
    const outputs = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Outputs>;
    return outputs[stackName(target)] ?? {};
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const destroy = (target: Target): Promise<void> => cdk(target, ['destroy', '--force']);

export const stackName = ({ environment }: Target): string => `Countersign-${environment}`;
