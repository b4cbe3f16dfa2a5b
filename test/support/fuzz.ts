import { createRandom, type Random } from '../simulation/random.ts';

/** How often each status was answered; a case that throws is named by its number, which is its seed. */
export const fuzz = async (
  runs: number,
  attack: (random: Random) => Promise<number>,
): Promise<Map<number, number>> => {
  const counts = new Map<number, number>();
  for (let seed = 0; seed < runs; seed += 1) {
    const status = await attack(createRandom(seed)).catch((error: unknown) => {
      throw new Error(`case ${seed}`, { cause: error });
    });
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
};

/** Cut short, a byte twice, or a bit turned over. */
export const bend = (bytes: Buffer, random: Random): Buffer => {
  const place = random.below(bytes.length);
  const how = random.below(3);
  if (how === 0) return bytes.subarray(0, place);
  if (how === 1) return Buffer.concat([bytes.subarray(0, place + 1), bytes.subarray(place)]);
  const bent = Buffer.from(bytes);
  bent[place] = (bent[place] ?? 0) ^ (1 << random.below(8));
  return bent;
};

type Tree = { [name: string]: unknown };

/** Every place in a payload, as the path to it. */
export const pathsIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, one]) => pathsIn(one, [...path, name]))]
    : [path];
export const swap = (tree: Tree, [name, ...rest]: readonly string[], to: unknown): unknown => {
  if (name === undefined) return to;
  const copy = (Array.isArray(tree) ? [...tree] : { ...tree }) as Tree;
  copy[name] = swap(copy[name] as Tree, rest, to);
  return copy;
};
