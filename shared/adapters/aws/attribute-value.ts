import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Json, JsonObject } from '#domain/canonical-json.ts';

type Attributes = Record<string, AttributeValue>;

export const toAttribute = (value: Json): AttributeValue => {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number') return { N: digits(value) };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  return { M: toAttributes(value as JsonObject) };
};

/** A member that is undefined is left out, as in JSON. */
export const toAttributes = (item: JsonObject): Attributes =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, toAttribute(value)]),
  );

const digits = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  throw new Error(`${value} cannot be stored: DynamoDB holds finite numbers only`);
};

export const fromAttribute = (attribute: AttributeValue): Json => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL) return null;
  if (attribute.L) return attribute.L.map(fromAttribute);
  if (attribute.M) return fromAttributes(attribute.M);
  throw new Error(
    `an attribute of type ${Object.keys(attribute)} was not written by this store; it knows S, N, BOOL, NULL, L and M`,
  );
};

export const fromAttributes = (attributes: Attributes): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => [name, fromAttribute(attribute)]),
  );
