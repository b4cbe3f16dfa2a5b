import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { canonicalJson, type Json } from '#domain/canonical-json.ts';
import type { Change, Condition, Path, Write } from '#domain/expression.ts';
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

/** DynamoDB refuses redundant parentheses, so one condition alone stands without. */
const joined = (of: readonly Condition[], word: 'AND' | 'OR', aliases: Aliases): string => {
  const parts = of.map((one) => renderCondition(one, aliases));
  if (parts.length > 1) return `(${parts.join(` ${word} `)})`;
  return parts[0] ?? constant(word === 'AND', aliases);
};

/** All of none is true and any of none is false; the language has no words for them. */
const constant = (value: boolean, { name }: Aliases): string => {
  const key = name(['pk']);
  return `(attribute_exists(${key}) ${value ? 'OR' : 'AND'} attribute_not_exists(${key}))`;
};

const renderCondition = (condition: Condition, aliases: Aliases): string => {
  const { name, value } = aliases;
  switch (condition.op) {
    case 'exists':
      return `attribute_exists(${name(condition.path)})`;
    case 'missing':
      return `attribute_not_exists(${name(condition.path)})`;
    case '=':
    case '<>':
    case '<':
    case '<=':
    case '>':
      return `${name(condition.path)} ${condition.op} ${value(condition.value)}`;
    case 'same': {
      // Engines disagree on whether two missing attributes are equal.
      const path = name(condition.path);
      return `(attribute_exists(${path}) AND ${path} = ${name(condition.other)})`;
    }
    case 'contains':
      return `contains(${name(condition.path)}, ${value(condition.value)})`;
    case 'all':
      return joined(condition.of, 'AND', aliases);
    case 'any':
      return joined(condition.of, 'OR', aliases);
    case 'not':
      return `NOT ${renderCondition(condition.of, aliases)}`;
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
  const condition = only && renderCondition(only, aliases);
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
