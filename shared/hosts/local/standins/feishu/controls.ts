import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../json.ts';
import type { Click } from '../stand-in.ts';
import type { CardObject } from './card-rules.ts';
import { formActionOf } from './control-rules.ts';

/** A control of a card, and the form it stands in. */
export interface Control {
  readonly component: CardObject;
  readonly form?: CardObject;
}

export type FormValues = Readonly<Record<string, unknown>>;

const controlsIn = (part: unknown, form?: CardObject): Control[] => {
  if (Array.isArray(part)) return part.flatMap((one) => controlsIn(one, form));
  if (!isObject(part)) return [];
  const inside = part['tag'] === 'form' ? part : form;
  const own = typeof part['tag'] === 'string' ? [{ component: part, ...(form && { form }) }] : [];
  return [...own, ...Object.values(part).flatMap((one) => controlsIn(one, inside))];
};

/** What a control sends back of the writer's own; absent where it calls nobody. */
export const sentBack = ({ behaviors, value }: CardObject): unknown => {
  const calling = Array.isArray(behaviors)
    ? behaviors.filter((one) => isObject(one) && one['type'] === 'callback')
    : [];
  return calling[0]?.value ?? value;
};

/** The control a click was on: by its name, else by what it sends back. */
export const findControl = (card: unknown, { name, value }: Click): Control | undefined =>
  controlsIn(card).find(({ component }) =>
    name === undefined
      ? value !== undefined && isDeepStrictEqual(sentBack(component), value)
      : component['name'] === name && component['tag'] !== 'form',
  );

const FIELDS = /^(?:input|checker|date_picker|picker_|select_|multi_select_)/;
const CHOICES = /^(?:multi_)?select_static$/;
const LONGEST_INPUT = 1000;

const emptyOf = (value: unknown) =>
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** What stands in a field that nobody touched. */
const initialOf = (field: CardObject): unknown => {
  const { tag, options } = field;
  if (tag === 'input') return field['default_value'] ?? '';
  if (tag === 'checker') return field['checked'] ?? false;
  const byIndex = Array.isArray(options)
    ? options[Number(field['initial_index'] ?? 0) - 1]?.value
    : undefined;
  return (
    field['selected_values'] ??
    field['initial_option'] ??
    field['initial_date'] ??
    field['initial_time'] ??
    field['initial_datetime'] ??
    byIndex
  );
};

/** What a client could not have sent is a mistake of the caller. */
const impossible = (field: CardObject, given: unknown): string | undefined => {
  const tag = String(field['tag']);
  const { name } = field;
  const expected = tag === 'checker' ? 'boolean' : tag.startsWith('multi_') ? 'object' : 'string';
  if (typeof given !== expected) return `${tag} ${name} takes a ${expected}, not ${typeof given}`;
  const options = Array.isArray(field['options']) ? field['options'].map((one) => one?.value) : [];
  const unknown = [given].flat().find((one) => !options.includes(one));
  return CHOICES.test(tag) && unknown !== undefined
    ? `${name} has no option ${unknown}`
    : undefined;
};

const tooLongIn = (field: CardObject, value: unknown) =>
  field['tag'] === 'input' &&
  typeof value === 'string' &&
  [...value].length > Number(field['max_length'] ?? LONGEST_INPUT);

export type Filled =
  | { readonly kind: 'filled'; readonly values: FormValues }
  | { readonly kind: 'stopped'; readonly why: 'required' | 'too-long' };

/** A form as its client sends it, after the checks the client makes itself (page form-container, `required`). */
export const fillForm = (form: CardObject, given: Click['form'] = {}): Filled => {
  const fields = controlsIn(form['elements']).map(({ component }) => component);
  const named = new Map(
    fields
      .filter(({ tag, name }) => FIELDS.test(String(tag)) && typeof name === 'string')
      .map((field) => [String(field['name']), field]),
  );
  const stray = Object.keys(given).find((name) => !named.has(name));
  if (stray !== undefined) throw new Error(`the form has no field ${stray}`);

  const values: Record<string, unknown> = {};
  for (const [name, field] of named) {
    const value = given[name] ?? initialOf(field);
    const wrong = given[name] === undefined ? undefined : impossible(field, value);
    if (wrong !== undefined) throw new Error(wrong);
    if (field['required'] === true && emptyOf(value)) return { kind: 'stopped', why: 'required' };
    if (tooLongIn(field, value)) return { kind: 'stopped', why: 'too-long' };
    if (value !== undefined) values[name] = value;
  }
  return { kind: 'filled', values };
};

/** Where a control outside a form puts what was entered (page card-callback-communication). */
export const enteredIn = ({ tag, name }: CardObject, given: Click['form'] = {}): object => {
  const entered = given[String(name)] ?? Object.values(given)[0];
  if (entered === undefined) return {};
  if (tag === 'input') return { input_value: entered };
  if (tag === 'checker') return { checked: entered };
  return Array.isArray(entered) ? { options: entered } : { option: entered };
};

export const isReset = ({ component, form }: Control): boolean =>
  form !== undefined && formActionOf(component) === 'reset';
