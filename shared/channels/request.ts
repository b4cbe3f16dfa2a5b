import { timingSafeEqual } from 'node:crypto';

export type JsonRecord = { readonly [name: string]: unknown };

export interface Rejected {
  readonly kind: 'rejected';
  readonly status: 400 | 401 | 413;
  readonly why: string;
}
export const rejected = (status: Rejected['status'], why: string): Rejected => ({
  kind: 'rejected',
  status,
  why,
});

export const LARGEST_BYTES = 1024 * 1024;
const DEEPEST = 64;

/** Takes as long whatever is different. */
export const sameText = (given: string, expected: string): boolean => {
  const bytes = Buffer.from(given);
  const right = Buffer.from(expected);
  return bytes.length === right.length && timingSafeEqual(bytes, right);
};

/** An object, or what is wrong with it. */
export const readJson = (bytes: Uint8Array): JsonRecord | string => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (isTooDeep(text)) return `nested deeper than ${DEEPEST}`;
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonRecord)
      : 'not a JSON object';
  } catch {
    return 'not JSON';
  }
};

/** Counted on the text, before anything walks the value. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length && depth <= DEEPEST; index += 1) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
  }
  return depth > DEEPEST;
};
