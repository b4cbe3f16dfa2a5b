import { parseArgs } from 'node:util';
import { CRASH_ROWS } from './crash-table.ts';
import { explore } from './explore.ts';
import { SCENARIOS } from './scenarios.ts';
import { type Options, optionsFor, type Result, simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    story: { type: 'boolean', default: false },
    explore: { type: 'boolean', default: false },
  },
});

/** Leaves out what the failure does not need, one thing after the other. */
const shrink = async (options: Options): Promise<Options> => {
  const off: (keyof Options)[] = ['redrive', 'zombies', 'skew', 'duplicates', 'crashes', 'faults'];
  let best = options;
  for (const name of off) {
    const candidate = { ...best, [name]: false };
    if ((await simulate(candidate)).violation) best = candidate;
  }
  for (const name of ['messages', 'acts'] as const) {
    for (let size = 1; size < best[name]; size += 1) {
      const candidate = { ...best, [name]: size };
      if ((await simulate(candidate)).violation) best = candidate;
    }
  }
  return best;
};

const simulateSeeds = async (first: number, last: number): Promise<number> => {
  const total: Record<string, number> = {};
  let failures = 0;
  const started = Date.now();
  for (let seed = first; seed <= last && failures < 1; seed += 1) {
    const result: Result = await simulate({ ...optionsFor(seed), story: values.story });
    for (const [row, count] of Object.entries(result.crashes))
      total[row] = (total[row] ?? 0) + count;
    if (values.story) print(result.story.join('\n'));
    if (!result.violation) continue;
    failures += 1;
    const small = await shrink(optionsFor(seed));
    const told = await simulate({ ...small, story: true });
    print(
      `${told.story.join('\n')}\n\nseed ${seed}: ${told.violation}\n(shrunk to ${JSON.stringify(small)})`,
    );
  }
  for (const row of CRASH_ROWS) print(`${String(total[row] ?? 0).padStart(7)}  ${row}`);
  print(
    `${last - first + 1} seeds, ${failures} violations, ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  return failures;
};

const exploreAll = async (): Promise<number> => {
  let failures = 0;
  for (const [name, scenario] of Object.entries({ ...SCENARIOS.quick, ...SCENARIOS.whole })) {
    const started = Date.now();
    const { states, quiet, complete, violation, trace } = await explore(scenario);
    print(
      `${name}: ${states} states, ${quiet} at rest, ${complete ? 'complete' : 'NOT COMPLETE'}, ${violation ?? '0 violations'}, ${((Date.now() - started) / 1000).toFixed(1)} s`,
    );
    if (violation) print(trace.join('\n'));
    failures += violation ? 1 : 0;
  }
  return failures;
};

const print = (text: string) => process.stdout.write(`${text}\n`);
const from = Number(values.from);
const failures = values.explore
  ? await exploreAll()
  : await simulateSeeds(from, from + Number(values.seeds) - 1);
process.exitCode = failures > 0 ? 1 : 0;
