import * as z from 'zod/mini';
import type { Platform } from './platform.ts';
import type { Params } from './state.ts';

/** All values are strings; objects are JSON in a string (page instructions-for-filling-in-api-card-data). */
export const dataSchema = z.object({
  cardParamMap: z.optional(z.record(z.string(), z.string())),
});
export const updateOptions = z.optional(
  z.object({
    updateCardDataByKey: z.optional(z.boolean()),
    updatePrivateDataByKey: z.optional(z.boolean()),
  }),
);

const LONGEST_KEY = 100;

/** Why a card cannot have these parameters: the table of createAndDeliver, "at most 100 B" and "at most 1 KB". */
export const wrongParams = ({ limits }: Platform, params: Params): string | undefined => {
  for (const [name, value] of Object.entries(params)) {
    if (Buffer.byteLength(name) > LONGEST_KEY)
      return `${name.slice(0, 20)}…: a name has at most ${LONGEST_KEY} bytes`;
    if (Buffer.byteLength(value) > limits.bytesPerValue)
      return `${name}: a value has at most ${limits.bytesPerValue} bytes`;
  }
  return undefined;
};
