import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PLANTED, type Plant } from './planted-bugs.ts';

/** Plants each bug alone in a copy of the tree and says which seed catches it. */
const { values } = parseArgs({
  options: { only: { type: 'string' }, seeds: { type: 'string', default: '6000' } },
});
const ROOT = join(import.meta.dirname, '../..');
const COPIED = ['package.json', 'tsconfig.json', 'shared', 'test', 'functions'];

const print = (text: string) => process.stdout.write(`${text}\n`);

const simulateIn = (tree: string): Promise<string> =>
  new Promise((resolve) => {
    const command = ['test/simulation/cli.ts', '--seeds', values.seeds];
    const options = { cwd: tree, maxBuffer: 2 ** 28 };
    execFile(process.execPath, command, options, (_, stdout, stderr) => resolve(stdout + stderr));
  });

/** The seed that caught it and what it said; null if none did. */
const caughtBy = async (tree: string, { rule, file, find, replace }: Plant) => {
  const before = await readFile(join(tree, file), 'utf8');
  const parts = before.split(find);
  if (parts.length !== 2)
    throw new Error(
      `the plant ${rule} no longer fits: ${file} has ${parts.length - 1} places that read "${find}". ` +
        'See how the code says it now, and change test/simulation/planted-bugs.ts',
    );
  await writeFile(join(tree, file), parts.join(replace));
  const said = await simulateIn(tree);
  await writeFile(join(tree, file), before);
  const caught = /^seed (\d+): (.*)$/m.exec(said);
  if (!caught && !/^\d+ seeds, 0 violations/m.test(said))
    throw new Error(`the simulation does not run with ${rule} planted: ${said.slice(-1000)}`);
  // Turn ids are 39 digits.
  return caught && `${caught[1]} | ${caught[2]?.replaceAll(/\d{39}/g, '…')}`;
};

const tryOut = async (tree: string, one: Plant): Promise<void> => {
  const caught = await caughtBy(tree, one).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    return undefined;
  });
  const not = caught === null ? 'not caught |' : 'not tried |';
  print(`| ${one.rule} | ${one.bug} | ${caught ?? not} |`);
  if (!caught) process.exitCode = 1;
};

const chosen = PLANTED.filter(({ rule }) => values.only === undefined || rule === values.only);
if (chosen.length === 0)
  throw new Error(
    `no plant is called ${values.only}; known are ${PLANTED.map(({ rule }) => rule).join(', ')}`,
  );
const tree = await mkdtemp(join(tmpdir(), 'planted-'));
try {
  for (const name of COPIED) await cp(join(ROOT, name), join(tree, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  print('| rule | bug | seed | what it said |\n|---|---|---|---|');
  for (const one of chosen) await tryOut(tree, one);
} finally {
  await rm(tree, { recursive: true });
}
