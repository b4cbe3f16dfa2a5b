import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { canonicalJson, type Json } from '#domain/canonical-json.ts';
import {
  applied,
  type Change,
  type Condition,
  type Item,
  type Path,
  type Write,
} from '#domain/expression.ts';
import { toAttribute, toAttributes } from './attribute-value.ts';

type Rendered = Pick<
  UpdateItemCommandInput,
  | 'Key'
  | 'ConditionExpression'
  | 'UpdateExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
>;

/** Half of our attribute names are reserved words, so each gets an alias; an alias nobody uses is an error. */
interface Aliases {
  name(path: Path): string;
  value(value: Json): string;
}

const createAliases = () => {
  const names = new Map<string, string>();
  const values = new Map<string, { readonly alias: string; readonly value: Json }>();
  const nameOf = (step: string) => {
    const alias = names.get(step) ?? `#${names.size}`;
    names.set(step, alias);
    return alias;
  };
  const aliases: Aliases = {
    name: (path) =>
      path
        .map((step) => (typeof step === 'number' ? `[${step}]` : `.${nameOf(step)}`))
        .join('')
        .slice(1),
    // One alias for equal values: an expression may hold 4 KB, and the claim of a long list repeats the person.
    value: (value) => {
      const text = canonicalJson(value);
      const alias = values.get(text)?.alias ?? `:${values.size}`;
      values.set(text, { alias, value });
      return alias;
    },
  };
  return { aliases, names, values };
};

/** How tightly a rendered condition holds together: OR least, then AND, then NOT and single comparisons. */
type Binds = 'or' | 'and' | 'one';
interface Part {
  readonly text: string;
  readonly binds: Binds;
}
const STRENGTH = { or: 0, and: 1, one: 2 };

/**
 * No more parentheses than needed: DynamoDB refuses redundant ones, and the time that dynalite takes to read an
 * expression is exponential in their depth.
 */
const within = ({ text, binds }: Part, least: Binds): string =>
  STRENGTH[binds] < STRENGTH[least] ? `(${text})` : text;

const joined = (parts: readonly Part[], binds: 'or' | 'and', aliases: Aliases): Part => {
  const [only] = parts;
  // All of none is true and any of none is false; the language has no words for them.
  if (!only) return constant(binds === 'and', aliases);
  if (parts.length === 1) return only;
  return { text: parts.map((part) => within(part, binds)).join(` ${binds.toUpperCase()} `), binds };
};

const constant = (value: boolean, aliases: Aliases): Part => {
  const path = ['pk'];
  const either = [renderCondition({ op: 'exists', path }, aliases)];
  either.push(renderCondition({ op: 'missing', path }, aliases));
  return joined(either, value ? 'or' : 'and', aliases);
};

const renderCondition = (condition: Condition, aliases: Aliases): Part => {
  const one = (text: string): Part => ({ text, binds: 'one' });
  const { name, value } = aliases;
  switch (condition.op) {
    case 'exists':
      return one(`attribute_exists(${name(condition.path)})`);
    case 'missing':
      return one(`attribute_not_exists(${name(condition.path)})`);
    case '=':
    case '<>':
    case '<':
    case '<=':
    case '>':
      return one(`${name(condition.path)} ${condition.op} ${value(condition.value)}`);
    case 'same': {
      // Engines disagree on whether two missing attributes are equal.
      const path = name(condition.path);
      const equal = one(`${path} = ${name(condition.other)}`);
      return joined([one(`attribute_exists(${path})`), equal], 'and', aliases);
    }
    case 'contains':
      return one(`contains(${name(condition.path)}, ${value(condition.value)})`);
    case 'all':
    case 'any': {
      const parts = condition.of.map((member) => renderCondition(member, aliases));
      return joined(parts, condition.op === 'all' ? 'and' : 'or', aliases);
    }
    case 'not':
      return one(`NOT ${within(renderCondition(condition.of, aliases), 'one')}`);
    default:
      return condition satisfies never;
  }
};

const renderSet = (change: Exclude<Change, { do: 'remove' }>, { name, value }: Aliases): string => {
  const path = name(change.path);
  if (change.do === 'append')
    return `${path} = list_append(if_not_exists(${path}, ${value([])}), ${value([change.value])})`;
  const set = value(change.value);
  return `${path} = ${change.do === 'set' ? set : `if_not_exists(${path}, ${set})`}`;
};

const renderChanges = (changes: readonly Change[], aliases: Aliases): string => {
  const sets = changes.flatMap((one) => (one.do === 'remove' ? [] : [renderSet(one, aliases)]));
  const removes = changes.flatMap((one) => (one.do === 'remove' ? [aliases.name(one.path)] : []));
  return [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
  ].join(' ');
};

/** A `Write` in DynamoDB's language; what it means is defined by `evaluate`. */
export const renderWrite = ({ key, only, change }: Write): Rendered => {
  const { aliases, names, values } = createAliases();
  const condition = only && renderCondition(only, aliases).text;
  const update = renderChanges(change, aliases);
  return {
    Key: toAttributes({ ...key }),
    ...(condition !== undefined && { ConditionExpression: condition }),
    ...(update !== '' && { UpdateExpression: update }),
    ...(names.size > 0 && {
      ExpressionAttributeNames: Object.fromEntries(
        [...names].map(([step, alias]) => [alias, step]),
      ),
    }),
    ...(values.size > 0 && {
      ExpressionAttributeValues: Object.fromEntries(
        [...values.values()].map(({ alias, value }) => [alias, toAttribute(value)]),
      ),
    }),
  };
};

/**
 * A whole item that must not be there yet, as one put. It may be written by who may not update: the audit's rows are
 * put once, and no role may touch them again.
 */
export const itemToPut = ({ key, only, change }: Write): Item | undefined => {
  const absent = only?.op === 'missing' && only.path.join('.') === 'pk';
  const whole = change.every((one) => one.do === 'set' && one.path.length === 1);
  return absent && whole ? applied(change, { ...key }) : undefined;
};
