import type { Json } from '#domain/canonical-json.ts';

type Parser = (text: string) => Json;

const numberIfExact: Parser = (text) => {
  const number = Number(text);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
    ? number
    : text;
};

/** By the type's oid. All else stays the text Postgres gives: a `numeric` or a time as a JavaScript value would lose some of itself. */
const PARSERS: Readonly<Record<number, Parser>> = {
  16: (text) => text === 't',
  20: numberIfExact,
  21: numberIfExact,
  23: numberIfExact,
  26: numberIfExact,
  114: (text) => JSON.parse(text),
  700: numberIfExact,
  701: numberIfExact,
  3802: (text) => JSON.parse(text),
};

const asText: Parser = (text) => text;

export const jsonTypes = { getTypeParser: (oid: number) => PARSERS[oid] ?? asText };
