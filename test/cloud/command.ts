import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { EMULATED_ACCOUNT } from './emulator.ts';

/** Where the stack goes: an emulator at an address, or the account of the caller's credentials. */
export interface Target {
  readonly environment: string;
  readonly endpoint: string | undefined;
  /** Where the environment has one of its own. */
  readonly region: string | undefined;
  /** Given to the functions as their settings. */
  readonly settings: string;
}

const surroundings = ({ endpoint, region }: Target): NodeJS.ProcessEnv => ({
  ...process.env,
  CI: 'true',
  ...(region && { AWS_REGION: region }),
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

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that is to reach the target, and nothing else that the caller's settings may name. */
export const runCommand = async (
  target: Target,
  command: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Said> => {
  const env = { ...surroundings(target), ...more };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
};
