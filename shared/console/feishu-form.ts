import { element, on } from './element.ts';
import { type Fields, fields, list, text, textOf } from './fields.ts';
import type { CardPage } from './render-card.ts';
import type { FormValues } from './wire.ts';
import { words } from './words.ts';

type Value = FormValues[string];

interface Field {
  readonly name: string;
  readonly required: boolean;
  /** Nothing: never chosen, and then not sent. An input left alone sends an empty text. */
  value(): Value | undefined;
  /** Shows, or takes back, that it has to be filled in. */
  mark(missing: boolean): void;
  focus(): void;
}

/** A form while it is being filled in. */
export interface Form {
  readonly fields: Field[];
  /** The values by component name; nothing when a required one is missing, which is then marked. */
  submit(): FormValues | undefined;
  reset(): void;
}

export const form = (
  part: Fields,
  draw: (elements: unknown, form: Form) => readonly Node[],
): HTMLElement => {
  const node = element('form', { class: 'form', novalidate: true, autocomplete: 'off' });
  const all: Field[] = [];
  const filled: Form = {
    fields: all,
    submit: () => submit(all),
    reset: () => node.reset(),
  };
  node.append(...draw(part['elements'], filled));
  // Enter in a field submits nothing, as in Feishu: only a button does.
  return on(node, 'submit', (event) => event.preventDefault());
};

const isEmpty = (value: Value | undefined): boolean =>
  value === undefined ||
  (typeof value === 'string' ? value.trim() === '' : value === false) ||
  (Array.isArray(value) && value.length === 0);

const submit = (all: readonly Field[]): FormValues | undefined => {
  const missing = all.filter((field) => field.required && isEmpty(field.value()));
  for (const field of all) field.mark(missing.includes(field));
  missing[0]?.focus();
  if (missing.length > 0) return undefined;
  const values = all.map((field) => [field.name, field.value()] as const);
  return Object.fromEntries(
    values.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined),
  );
};

/** Outside a form these call back on every use, which no card here needs: then they are named, not drawn. */
export const formField = (part: Fields, _: CardPage, form?: Form): HTMLElement => {
  const make = FIELDS[text(part['tag'])];
  if (!form || !make)
    return element('p', { class: 'unsupported' }, `[unsupported: ${text(part['tag'])}]`);
  const problem = element('p', { class: 'problem', hidden: true, id: nextId() });
  const { node, control, value } = make(part);
  control.setAttribute('aria-describedby', problem.id);
  form.fields.push({
    name: text(part['name']),
    required: part['required'] === true,
    value,
    mark: (missing) => {
      problem.hidden = !missing;
      problem.textContent = words().required;
      control.setAttribute('aria-invalid', String(missing));
    },
    focus: () => (control.querySelector('input') ?? control).focus(),
  });
  return element('div', { class: 'field' }, node, problem);
};

let ids = 0;
const nextId = (): string => {
  ids += 1;
  return `field-${ids}`;
};

interface Made {
  readonly node: HTMLElement;
  readonly control: HTMLElement;
  readonly value: () => Value | undefined;
}

/** A field without a label of its own is called by its placeholder, or by its name. */
const labelled = (part: Fields, control: HTMLElement): HTMLElement => {
  const label = textOf(part['label']);
  if (!label) control.setAttribute('aria-label', textOf(part['placeholder']) || text(part['name']));
  return element('label', {}, label && element('span', {}, label, star(part)), control);
};

const star = (part: Fields) =>
  part['required'] === true && element('span', { class: 'star', 'aria-hidden': true }, ' *');

const input = (part: Fields): Made => {
  const shared = {
    placeholder: textOf(part['placeholder']) || undefined,
    maxlength: Number(part['max_length'] ?? 1000),
    disabled: part['disabled'] === true,
    'aria-required': part['required'] === true && 'true',
  };
  const initial = text(part['default_value']);
  const kind = part['input_type'] === 'password' ? 'password' : 'text';
  const control =
    part['input_type'] === 'multiline_text'
      ? element('textarea', { ...shared, rows: Number(part['rows'] ?? 3) }, initial)
      : element('input', { ...shared, type: kind, value: initial });
  return { node: labelled(part, control), control, value: () => control.value };
};

const select = (part: Fields): Made => {
  const initial = text(part['initial_option']);
  const control = element(
    'select',
    { disabled: part['disabled'] === true, 'aria-required': part['required'] === true && 'true' },
    element('option', { value: '' }, textOf(part['placeholder']) || words().choose),
    ...list(part['options']).map((option) => {
      const value = text(option['value']);
      return element('option', { value, selected: value === initial }, textOf(option['text']));
    }),
  );
  return { node: labelled(part, control), control, value: () => control.value || undefined };
};

const multiSelect = (part: Fields): Made => {
  const chosen = part['selected_values'];
  const boxes = list(part['options']).map((option) => {
    const value = text(option['value']);
    const checked = Array.isArray(chosen) && chosen.includes(value);
    const disabled = part['disabled'] === true;
    const box = element('input', { type: 'checkbox', value, checked, disabled });
    return { box, label: element('label', { class: 'check' }, box, textOf(option['text'])) };
  });
  const title = textOf(part['label']) || textOf(part['placeholder']) || words().choose;
  const node = element(
    'fieldset',
    {},
    element('legend', {}, title, star(part)),
    ...boxes.map(({ label }) => label),
  );
  const value = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  return { node, control: node, value };
};

const checker = (part: Fields): Made => {
  const box = element('input', {
    type: 'checkbox',
    checked: part['checked'] === true,
    disabled: part['disabled'] === true,
  });
  const title = text(fields(part['text'])['content']);
  const node = element('label', { class: 'check' }, box, element('span', {}, title));
  return { node, control: box, value: () => box.checked };
};

const FIELDS: Readonly<Record<string, (part: Fields) => Made>> = {
  input,
  select_static: select,
  multi_select_static: multiSelect,
  checker,
};
