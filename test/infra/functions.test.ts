import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTIONS, writeFunctions } from '../../infra/bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-functions-'));
const [code, maps] = [join(folder, 'code'), join(folder, 'maps')];
beforeAll(() => writeFunctions({ code, maps }, '{}'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In a process of its own and in the function's folder, as Lambda does it; with nothing of this repository in reach. */
const runIn = (name: string, script: string): string =>
  execFileSync(process.execPath, ['-e', script], {
    cwd: join(code, name),
    encoding: 'utf8',
  }).trim();

describe('the functions as they are deployed', () => {
  it.each(FUNCTIONS)('%s loads and has a handler', (name) => {
    const script = `process.stdout.write(typeof require('./index.js').handler)`;
    expect(runIn(name, script)).toBe('function');
  });

  it.each([
    [
      'libpg-query',
      `p.loadModule().then(() => process.stdout.write(Object.keys(p.parseSync('select 1').stmts[0].stmt)[0]))`,
      'SelectStmt',
    ],
    ['pg', 'process.stdout.write(typeof p.Pool + typeof p.Query)', 'functionfunction'],
    ['@ai-sdk/anthropic', 'process.stdout.write(typeof p.createAnthropic)', 'function'],
    [
      '@ai-sdk/openai-compatible',
      'process.stdout.write(typeof p.createOpenAICompatible)',
      'function',
    ],
  ])('the agent finds %s beside itself', (name, script, said) => {
    expect(runIn('agent', `const p = require('${name}'); ${script}`)).toBe(said);
  });

  it('hold their settings, and no source map', () => {
    for (const name of FUNCTIONS) {
      expect(readFileSync(join(code, name, 'countersign.config.json'), 'utf8')).toBe('{}');
      expect(readdirSync(join(code, name), { recursive: true }).join()).not.toMatch(/\.map/);
      expect(existsSync(join(maps, `${name}.js.map`))).toBe(true);
      const { length } = readFileSync(join(code, name, 'index.js'));
      expect(length).toBeLessThan(1_000_000);
    }
  });

  it('load neither packages nor settings of others: the webhook and the timeout have none beside them', () => {
    for (const name of ['webhook', 'timeout'])
      expect(readdirSync(join(code, name)).sort()).toEqual(['countersign.config.json', 'index.js']);
  });
});
