import type { Json } from '#domain/canonical-json.ts';
import type { SdkMetadata } from './sdk.ts';

export type Family = 'anthropic' | 'openai-compatible';

/** Who is asked. What one model left in a step is given back to that model only. */
export interface Author {
  readonly family: Family;
  readonly model: string;
}

/**
 * What is saved with a step besides its text and calls, so that the same model can go on with it after a restart.
 * v1: `parts` in the order the model gave them; without it, the text and then the calls.
 */
export interface Trace extends Author {
  readonly parts?: readonly TracePart[];
}

export type TracePart =
  | { readonly reasoning: string; readonly metadata?: SdkMetadata }
  /** So many characters of the step's text. */
  | { readonly text: number }
  /** The index of the step's call. */
  | { readonly call: number; readonly metadata?: SdkMetadata };

/** A row has 400 KB, and the step's calls need their share: reasoning past this is not worth failing the step for. */
const MOST_BYTES = 150 * 1024;

export const saveTrace = (author: Author, parts: readonly TracePart[]): Json => {
  const plain = parts.every((part) => !('reasoning' in part || 'metadata' in part));
  const { family, model } = author;
  const whole = JSON.stringify({ family, model, ...(!plain && { parts }) });
  return JSON.parse(
    Buffer.byteLength(whole) > MOST_BYTES ? JSON.stringify({ family, model }) : whole,
  ) as Json;
};

export const readTrace = (provider: Json | undefined): Trace | undefined =>
  typeof provider === 'object' && provider !== null && 'family' in provider && 'model' in provider
    ? (provider as unknown as Trace)
    : undefined;

export const isBy = (trace: Trace | undefined, author: Author): trace is Trace =>
  trace?.family === author.family && trace.model === author.model;
