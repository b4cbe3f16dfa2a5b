import { canonicalJson, type Json, type JsonObject } from './canonical-json.ts';

/**
 * A conditional write as data. The memory store evaluates it here; the DynamoDB store renders it as an expression.
 * The semantics are DynamoDB's: a comparison with a missing attribute is false, except `<>`, which is true.
 */
export interface Write {
  readonly key: Key;
  readonly only?: Condition;
  readonly change: readonly Change[];
}
export interface Key {
  readonly pk: string;
  readonly sk: string;
}
export type Item = JsonObject;
export type Path = readonly (string | number)[];

export type Condition =
  | { readonly op: 'exists' | 'missing'; readonly path: Path }
  | { readonly op: '=' | '<>' | '<' | '<=' | '>'; readonly path: Path; readonly value: Json }
  | { readonly op: 'same'; readonly path: Path; readonly other: Path }
  | { readonly op: 'contains'; readonly path: Path; readonly value: Json }
  | { readonly op: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition };

export type Change =
  | { readonly do: 'set' | 'set-if-missing' | 'append'; readonly path: Path; readonly value: Json }
  | { readonly do: 'remove'; readonly path: Path };

/** `at('ask.tasks.0.may')`: our own attribute names hold no dots. */
export const at = (path: string): Path =>
  path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

export const exists = (path: string): Condition => ({ op: 'exists', path: at(path) });
export const missing = (path: string): Condition => ({ op: 'missing', path: at(path) });
export const is = (path: string, value: Json): Condition => ({ op: '=', path: at(path), value });
export const isNot = (path: string, value: Json): Condition => ({
  op: '<>',
  path: at(path),
  value,
});
export const below = (path: string, value: Json): Condition => ({ op: '<', path: at(path), value });
export const atMost = (path: string, value: Json): Condition => ({
  op: '<=',
  path: at(path),
  value,
});
export const above = (path: string, value: Json): Condition => ({ op: '>', path: at(path), value });
export const same = (path: string, other: string): Condition => ({
  op: 'same',
  path: at(path),
  other: at(other),
});
export const contains = (path: string, value: Json): Condition => ({
  op: 'contains',
  path: at(path),
  value,
});
export const all = (...of: readonly Condition[]): Condition => ({ op: 'all', of });
export const any = (...of: readonly Condition[]): Condition => ({ op: 'any', of });
export const not = (of: Condition): Condition => ({ op: 'not', of });

export const set = (path: string, value: Json): Change => ({ do: 'set', path: at(path), value });
export const setIfMissing = (path: string, value: Json): Change => ({
  do: 'set-if-missing',
  path: at(path),
  value,
});
export const append = (path: string, value: Json): Change => ({
  do: 'append',
  path: at(path),
  value,
});
export const remove = (path: string): Change => ({ do: 'remove', path: at(path) });

export const valueAt = (item: Json | undefined, path: Path): Json | undefined => {
  let value = item;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) !== (typeof step === 'number')) return undefined;
    value = Object.hasOwn(value, step) ? (value as Record<string | number, Json>)[step] : undefined;
  }
  return value;
};

const equal = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b));

const compare = (op: '<' | '<=' | '>', left: Json | undefined, right: Json): boolean => {
  if (typeof left !== typeof right) return false;
  if (typeof left !== 'number' && typeof left !== 'string') return false;
  const value = right as typeof left;
  if (op === '<') return left < value;
  return op === '<=' ? left <= value : left > value;
};

export const holds = (condition: Condition, item: Item | undefined): boolean => {
  switch (condition.op) {
    case 'exists':
      return valueAt(item, condition.path) !== undefined;
    case 'missing':
      return valueAt(item, condition.path) === undefined;
    case '=':
      return equal(valueAt(item, condition.path), condition.value);
    case '<>':
      return !equal(valueAt(item, condition.path), condition.value);
    case '<':
    case '<=':
    case '>':
      return compare(condition.op, valueAt(item, condition.path), condition.value);
    case 'same': {
      const value = valueAt(item, condition.path);
      return value !== undefined && equal(value, valueAt(item, condition.other));
    }
    case 'contains': {
      const value = valueAt(item, condition.path);
      return Array.isArray(value) && value.some((member) => equal(member, condition.value));
    }
    case 'all':
      return condition.of.every((one) => holds(one, item));
    case 'any':
      return condition.of.some((one) => holds(one, item));
    case 'not':
      return !holds(condition.of, item);
    default:
      return condition satisfies never;
  }
};

const withValue = (node: Json | undefined, path: Path, change: Change): Json => {
  const [step, ...rest] = path;
  if (step === undefined) throw new Error('a change needs a path');
  if (typeof node !== 'object' || node === null)
    throw new Error(
      `a change under a missing parent (${change.path.join('.')}): DynamoDB refuses it`,
    );
  if (Array.isArray(node)) {
    const list = [...(node as Json[])];
    if (rest.length > 0) list[step as number] = withValue(list[step as number], rest, change);
    else if (change.do === 'remove') list.splice(step as number, 1);
    else list[step as number] = changed(list[step as number], change);
    return list;
  }
  const map: Record<string, Json> = { ...(node as JsonObject) };
  if (rest.length > 0) map[step] = withValue(map[step], rest, change);
  else if (change.do === 'remove') delete map[step];
  else map[step] = changed(map[step], change);
  return map;
};

const changed = (old: Json | undefined, change: Exclude<Change, { do: 'remove' }>): Json => {
  if (change.do === 'append') return [...((old as Json[] | undefined) ?? []), change.value];
  return change.do === 'set-if-missing' && old !== undefined ? old : change.value;
};

export const applied = (change: readonly Change[], item: Item | undefined): Item =>
  change.reduce<Item>((result, one) => withValue(result, one.path, one) as Item, item ?? {});

export type Written =
  | { readonly kind: 'written'; readonly item: Item }
  /** `item` is what stands there instead, so that the loser learns why in the same round trip. */
  | { readonly kind: 'refused'; readonly item: Item | undefined };

export const evaluate = (write: Write, item: Item | undefined): Written =>
  write.only === undefined || holds(write.only, item)
    ? { kind: 'written', item: applied(write.change, item) }
    : { kind: 'refused', item };
