import { expect, it } from 'vitest';
import { CRASH_ROWS } from './crash-table.ts';
import { explore } from './explore.ts';
import { SCENARIOS } from './scenarios.ts';
import { optionsFor, simulate } from './simulate.ts';

const SEEDS = 4_000;

it(`keeps every promise over ${SEEDS} seeds of crashes, repeats, zombies and late clicks`, async () => {
  const reached: Record<string, number> = {};
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { violation, crashes } = await simulate(optionsFor(seed));
    expect(violation, `npm run simulate -- --from ${seed} --seeds 1`).toBeUndefined();
    for (const [row, count] of Object.entries(crashes)) reached[row] = (reached[row] ?? 0) + count;
  }
  const table = CRASH_ROWS.map((row) => `${String(reached[row] ?? 0).padStart(6)}  ${row}`);
  process.stdout.write(`crash table, times reached in ${SEEDS} seeds:\n${table.join('\n')}\n`);
  for (const row of CRASH_ROWS)
    expect(reached[row] ?? 0, `never reached: ${row}`).toBeGreaterThan(0);
});

it('plays a seed the same way twice', async () => {
  const once = await simulate({ ...optionsFor(7), story: true });
  const again = await simulate({ ...optionsFor(7), story: true });
  expect(again.story).toEqual(once.story);
  expect(once.story.length).toBeGreaterThan(50);
});

for (const [name, scenario] of Object.entries(SCENARIOS.quick))
  it(`holds in every interleaving of ${name}`, async () => {
    const { states, quiet, complete, violation, trace } = await explore(scenario);
    process.stdout.write(
      `${name}: ${states} states, ${quiet} at rest, ${violation ? 1 : 0} violations\n`,
    );
    expect(violation, trace.join('\n')).toBeUndefined();
    expect(complete).toBe(true);
  });
