import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand, type Target } from './command.ts';
import { EMULATED_ACCOUNT } from './emulator.ts';

export type Outputs = Readonly<Record<string, string>>;

const bin = (name: string) => resolve('node_modules/.bin', name);

const cdk = async (target: Target, args: readonly string[]): Promise<void> => {
  const { environment, settings, endpoint } = target;
  const context = ['-c', `env=${environment}`, '-c', `settings=${settings}`];
  const said = await runCommand(target, bin(endpoint ? 'cdklocal' : 'cdk'), [
    ...args,
    ...context,
    '--no-color',
  ]);
  if (said.code !== 0)
    throw new Error(
      `cdk ${args.join(' ')} ended with ${said.code}:\n${`${said.stdout}${said.stderr}`.slice(-4000)}`,
    );
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
