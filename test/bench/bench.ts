import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, bundleFunction, FUNCTIONS, writeBundle } from '../../infra/bundle.ts';
import { clientsOnly, EMPTY } from './clients-only.ts';

/**
 * Size and load time of each function beside an empty handler and one with only its AWS clients, in one run. Timings
 * on a shared machine are noisy: read the ratios, not the milliseconds. Loads are interleaved, so that noise hits all alike.
 */
const LOADS = 15;
const RESULTS = 'bench-results.json';

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly file: string;
  readonly loads: number[];
}

const LOAD = `const t=performance.now();require(process.argv[1]);process.stdout.write(String(performance.now()-t))`;

const loadMs = (file: string): number => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', LOAD, file], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} does not load:\n${stderr}`);
  return Number(stdout);
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'));
const row = async (name: string, code: Uint8Array): Promise<Row> => {
  const file = join(folder, `${name.replaceAll(' ', '-')}.cjs`);
  await writeBundle(file, { code });
  return { name, bytes: code.length, file, loads: [] };
};

try {
  const rows = [await row('empty', (await bundle({ source: EMPTY })).code)];
  for (const name of FUNCTIONS) {
    rows.push(await row(name, (await bundleFunction(name)).code));
    rows.push(await row(`${name} clients`, (await bundle({ source: clientsOnly(name) })).code));
  }
  for (let load = 0; load < LOADS; load += 1)
    for (const one of rows) one.loads.push(loadMs(one.file));
  const results = rows.map(({ name, bytes, loads }) => ({ name, bytes, loadMs: median(loads) }));
  const of = (name: string) => results.find((one) => one.name === name);
  const table = results.map(({ name, bytes, loadMs: ms }) => {
    const least = of(`${name} clients`);
    return {
      bundle: name,
      KB: (bytes / 1024).toFixed(0),
      'load ms': ms.toFixed(1),
      'size / clients': least ? (bytes / least.bytes).toFixed(2) : '',
      'load / clients': least ? (ms / least.loadMs).toFixed(2) : '',
    };
  });
  console.table(table);
  await writeFile(RESULTS, `${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
