import type { Json } from './canonical-json.ts';
import type { ToolCall } from './conversation.ts';

/** A row holds 400 KB, this deep, and numbers of this size; the model's words and its reasoning need room beside the calls. */
const MOST_CHARACTERS = 100_000;
const DEEPEST = 20;
const LARGEST = 1e126;
const SMALLEST = 1e-130;

/** Arguments that no row can hold are kept out of it, or the same answer would be asked for and lost for ever. */
export const storableCalls = (calls: readonly ToolCall[]): readonly ToolCall[] => {
  let room = MOST_CHARACTERS;
  return calls.map((call) => {
    const { id, tool, input, malformed } = call;
    if (malformed !== undefined) return { id, tool, input, malformed: malformed.slice(0, 1_000) };
    const characters = fits(input, DEEPEST)
      ? JSON.stringify(input).length
      : Number.POSITIVE_INFINITY;
    if (characters > room) return { id, tool, input: {}, malformed: 'more than a row can hold' };
    room -= characters;
    return call;
  });
};

const fits = (value: Json, levels: number): boolean => {
  if (typeof value === 'number') {
    const size = Math.abs(value);
    return size === 0 || (size >= SMALLEST && size < LARGEST);
  }
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => fits(inner, levels - 1));
};
