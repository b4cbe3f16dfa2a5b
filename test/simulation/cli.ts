import { parseArgs } from 'node:util';
import { CRASH_ROWS } from './crash-table.ts';
import { type Options, optionsFor, type Result, simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    story: { type: 'boolean', default: false },
  },
});

/** Leaves out what the failure does not need, one thing after the other. */
export const shrink = async (options: Options): Promise<Options> => {
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

const total: Record<string, number> = {};
const add = (result: Result) => {
  for (const [row, count] of Object.entries(result.crashes)) total[row] = (total[row] ?? 0) + count;
};

const first = Number(values.from);
const last = first + Number(values.seeds) - 1;
let failures = 0;
const started = Date.now();
for (let seed = first; seed <= last && failures < 5; seed += 1) {
  const result = await simulate({ ...optionsFor(seed), story: values.story });
  add(result);
  if (values.story) process.stdout.write(`${result.story.join('\n')}\n`);
  if (!result.violation) continue;
  failures += 1;
  const small = await shrink(optionsFor(seed));
  const told = await simulate({ ...small, story: true });
  process.stdout.write(
    `${told.story.join('\n')}\n\nseed ${seed}: ${told.violation}\n(shrunk to ${JSON.stringify(small)})\n`,
  );
}
for (const row of CRASH_ROWS)
  process.stdout.write(`${String(total[row] ?? 0).padStart(7)}  ${row}\n`);
process.stdout.write(
  `${last - first + 1} seeds, ${failures} violations, ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
);
process.exitCode = failures > 0 ? 1 : 0;
