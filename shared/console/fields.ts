/** Reading JSON of which nothing is certain. */
export type Fields = Readonly<Record<string, unknown>>;

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

export const list = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fields) : [];

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The content of a text object, `{ "tag": "plain_text", "content": … }`. */
export const textOf = (value: unknown): string => text(fields(value)['content']);

/** A word that may become part of a class name; anything else becomes none. */
export const token = (value: unknown): string => (/^[\w-]+$/.test(text(value)) ? text(value) : '');
