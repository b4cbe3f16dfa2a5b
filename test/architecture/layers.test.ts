import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { tools } from '#tools/index.ts';
import { ownTools } from '#tools/own/index.ts';

/** Each folder under shared/, and the folders it may import. Read it as the arrow of the data flow, reversed. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  ports: ['domain'],
  flow: ['domain', 'ports'],
  protocol: [],
  adapters: ['domain', 'ports'],
  channels: ['domain', 'ports', 'protocol'],
  tools: ['domain', 'ports'],
  models: ['domain', 'ports'],
  clients: ['protocol'],
  console: ['protocol', 'clients'],
  hosts: [
    'domain',
    'ports',
    'flow',
    'protocol',
    'adapters',
    'channels',
    'tools',
    'models',
    'clients',
    'console',
    // The local host runs the very handlers that are deployed.
    'functions',
  ],
};
/** Stand-ins speak a platform's language on their own: sharing code with the channel would hide one bug on both sides. */
const STANDIN = /^shared\/hosts\/local\/standins\//;
const PURE_PACKAGES: readonly string[] = ['zod', 'zod/mini'];
const DIGEST = { file: 'shared/domain/digest.ts', package: 'node:crypto' };
const IMPORT =
  /^\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"`]([^'"`]+)['"`]/gm;

const folderOf = (file: string, target: string): string | undefined => {
  if (target.startsWith('#')) return target.slice(1).split('/')[0];
  if (!target.startsWith('.')) return undefined;
  const [top, folder] = posix.normalize(join(file, '..', target)).split('/');
  return top === 'shared' ? folder : top;
};

it('keeps every folder to the imports it is allowed', async () => {
  const violations: string[] = [];
  let seen = 0;
  for await (const file of glob('shared/*/**/*.ts')) {
    const layer = file.split('/')[1] ?? '';
    const allowed = MAY_IMPORT[layer];
    if (!allowed) {
      violations.push(`${file}: shared/${layer} has no line in MAY_IMPORT; which room is it?`);
      continue;
    }
    seen += 1;
    for (const [, from, dynamic] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = from ?? dynamic ?? '';
      const to = folderOf(file, target);
      if (to === undefined) {
        const pure =
          PURE_PACKAGES.includes(target) || (file === DIGEST.file && target === DIGEST.package);
        if (layer === 'domain' && !pure)
          violations.push(`${file} → ${target}: the domain does no I/O; take it as an argument`);
      } else if (to !== layer && !allowed.includes(to)) {
        violations.push(`${file} → ${target}: ${layer} may import only [${allowed}]`);
      } else if (STANDIN.test(file) && to === 'channels') {
        violations.push(`${file} → ${target}: a stand-in shares no code with the channel it tests`);
      }
    }
  }
  expect(seen, 'the check saw no files: the glob or the layout changed').toBeGreaterThan(5);
  expect(violations).toEqual([]);
});

it.each([
  ['shared/tools', tools],
  ['shared/tools/own', ownTools],
])('registers every tool file of %s', async (folder, registered) => {
  const missing: string[] = [];
  for await (const file of glob(`${folder}/*.ts`)) {
    const name = posix.basename(file, '.ts').replaceAll('-', '_');
    if (name !== 'index' && !Object.hasOwn(registered, name)) missing.push(name);
  }
  expect(missing, `add the missing line to ${folder}/index.ts`).toEqual([]);
});
