import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { FUNCTIONS } from '../../infra/bundle.ts';
import { type EnvironmentSettings, environmentNamed } from '../../infra/environments.ts';
import { createStack } from '../../infra/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-infra-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const name of FUNCTIONS) {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'index.js'), `exports.handler = async () => '${name}';`);
}

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as {
  context: Record<string, unknown>;
};

export const VPC = {
  id: 'vpc-0123456789abcdef0',
  subnets: ['subnet-0123456789abcdef0'],
  securityGroups: ['sg-0123456789abcdef0'],
};

export const newApp = (): App =>
  new App({ context, outdir: mkdtempSync(join(folder, 'out-')), analyticsReporting: false });

/** The stack as it is deployed, but for the code in its functions. */
export const stackFor = (
  environment: string,
  changes: Partial<EnvironmentSettings> = {},
  app = newApp(),
): Stack =>
  createStack(app, {
    environment,
    settings: { ...environmentNamed(environment), ...changes },
    code: folder,
  });

export const templateFor = (
  environment: string,
  changes: Partial<EnvironmentSettings> = {},
): Template => Template.fromStack(stackFor(environment, changes));

export type Resource = {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

/** Every resource of a type, by the name it was given in the code. */
export const ofType = (template: Template, type: string): Readonly<Record<string, Resource>> => {
  const found = Object.entries(template.findResources(type)) as [string, Resource][];
  return Object.fromEntries(found.map(([id, one]) => [plain(id), one]));
};

/** A logical id without the digits the CDK puts behind it. */
export const plain = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/** References by the names in the code, so that a line can be read. */
export const readable = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const [[how, what] = []] = Object.entries(value as object);
  if (how === 'Ref') return plain(what as string);
  if (how === 'Fn::GetAtt') return plain((what as string[])[0] ?? '');
  if (how === 'Fn::Join') return ((what as unknown[])[1] as unknown[]).map(readable).join('');
  return JSON.stringify(value);
};
