import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, bundleFunction, FUNCTIONS, writeBundle } from '../../infra/bundle.ts';
import { clientsOnly, EMPTY } from './clients-only.ts';

/**
 * Size and load time of each function beside an empty handler and one with only its AWS clients, and of the agent with
 * one model provider beside that provider alone, in one run. Timings on a shared machine are noisy: read the ratios,
 * not the milliseconds. Loads are interleaved, so that noise hits all alike.
 */
const LOADS = 15;
const RESULTS = 'bench-results.json';
const PROVIDERS = ['@ai-sdk/anthropic', '@ai-sdk/openai-compatible'];

interface Row {
  readonly name: string;
  /** The row whose size and load time this one is measured against. */
  readonly beside?: string;
  readonly bytes: number;
  readonly files: readonly string[];
  readonly loads: number[];
}

const LOAD =
  'const t=performance.now();process.argv.slice(1).forEach(require);process.stdout.write(String(performance.now()-t))';

const loadMs = (files: readonly string[]): number => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', LOAD, ...files], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${files.join(', ')} do not load:\n${stderr}`);
  return Number(stdout);
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const measure = async (folder: string): Promise<readonly Row[]> => {
  const row = async (name: string, code: Uint8Array, beside?: string): Promise<Row> => {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.cjs`);
    await writeBundle(file, { code });
    return { name, bytes: code.length, files: [file], loads: [], ...(beside && { beside }) };
  };
  const both = (name: string, one: Row, other: Row): Row => ({
    name,
    beside: other.name,
    bytes: one.bytes + other.bytes,
    files: [...one.files, ...other.files],
    loads: [],
  });
  const rows = [await row('empty', (await bundle({ source: EMPTY })).code)];
  for (const name of FUNCTIONS) {
    const clients = `${name}: clients alone`;
    rows.push(await row(clients, (await bundle({ source: clientsOnly(name) })).code));
    rows.push(await row(name, (await bundleFunction(name)).code, clients));
  }
  const agent = rows.find(({ name }) => name === 'agent');
  for (const name of agent ? PROVIDERS : []) {
    const provider = await row(`${name} alone`, (await bundle({ file: name })).code);
    rows.push(provider);
    if (agent) rows.push(both(`agent with ${name}`, agent, provider));
  }
  for (let load = 0; load < LOADS; load += 1)
    for (const one of rows) one.loads.push(loadMs(one.files));
  return rows;
};

const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'));
try {
  const rows = await measure(folder);
  const results = rows.map(({ name, beside, bytes, loads }) => ({
    name,
    beside,
    bytes,
    loadMs: median(loads),
  }));
  const table = results.map(({ name, beside, bytes, loadMs: ms }) => {
    const least = results.find((one) => one.name === beside);
    return {
      bundle: name,
      KB: (bytes / 1024).toFixed(0),
      'load ms': ms.toFixed(1),
      'size ×': least ? (bytes / least.bytes).toFixed(2) : '',
      'load ×': least ? (ms / least.loadMs).toFixed(2) : '',
    };
  });
  console.table(table);
  await writeFile(RESULTS, `${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
