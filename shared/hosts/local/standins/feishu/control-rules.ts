import type { CardFault, CardObject } from './card-rules.ts';
import type { TagShape } from './card-shapes.ts';

interface Setting {
  readonly shape: TagShape;
  readonly form: CardObject | undefined;
  /** Names taken so far: they are unique in the whole card (page form-container). */
  readonly names: Set<string>;
}

type MakeFault = (value: string, errCode?: number) => CardFault;

const isList = (value: unknown): value is readonly CardObject[] => Array.isArray(value);

/** Both spellings: `form_action_type` and the historic `action_type` (page form-container). */
export const formActionOf = (button: CardObject): 'submit' | 'reset' | undefined => {
  const action = button['form_action_type'] ?? button['action_type'];
  if (action === 'submit' || action === 'form_submit') return 'submit';
  return action === 'reset' || action === 'form_reset' ? 'reset' : undefined;
};

const holdsSubmit = (part: unknown): boolean => {
  if (Array.isArray(part)) return part.some(holdsSubmit);
  if (typeof part !== 'object' || part === null) return false;
  const component = part as CardObject;
  if (component['tag'] === 'button' && formActionOf(component) === 'submit') return true;
  return holdsSubmit(component['elements']) || holdsSubmit(component['columns']);
};

function* nameFaults(component: CardObject, { shape, form, names }: Setting, fault: MakeFault) {
  const { name } = component as { name?: unknown };
  const named = component['tag'] === 'form' || (form !== undefined && shape.interactive === true);
  // 200530: "`name` may not be empty and may not repeat in one card" (page card-callback-communication).
  if (named && (typeof name !== 'string' || name === ''))
    yield fault(`${component['tag']} in a form has no name`, 200530);
  if (typeof name !== 'string') return;
  if (names.has(name)) yield fault(`the name ${name} is used twice`, 200530);
  names.add(name);
}

function* behaviorFaults(component: CardObject, fault: MakeFault) {
  if (!isList(component['behaviors'])) return;
  for (const behavior of component['behaviors']) {
    const { type, value, default_url: url } = behavior as Record<string, unknown>;
    // "Objects only: the SDKs take no string" (configuring-card-interactions).
    if (
      type === 'callback' &&
      (typeof value !== 'object' || value === null || Array.isArray(value))
    )
      yield fault('the value of a callback is not an object');
    if (type === 'open_url' && typeof url !== 'string') yield fault('default_url is required');
  }
}

function* optionFaults(component: CardObject, fault: MakeFault) {
  if (!isList(component['options'])) return;
  const values = component['options'].map((option) => option?.['value']);
  // Page single-select-dropdown-menu: each option's value is its own.
  if (new Set(values).size < values.length) yield fault('two options have the same value');
}

/** Rules on controls and forms that a list of properties cannot say. */
export function* controlFaults(component: CardObject, setting: Setting, fault: MakeFault) {
  yield* nameFaults(component, setting, fault);
  yield* behaviorFaults(component, fault);
  yield* optionFaults(component, fault);
  const { tag, max_length: longest } = component as Record<string, unknown>;
  // Page form-container: "at least one button that submits", and each button does one or the other.
  if (tag === 'form' && !holdsSubmit(component['elements']))
    yield fault('the form has no button that submits');
  if (tag === 'button' && setting.form && !formActionOf(component))
    yield fault('a button in a form submits or resets');
  // Page input: 1 to 1000.
  if (tag === 'input' && typeof longest === 'number' && !(longest >= 1 && longest <= 1000))
    yield fault('max_length is not within 1 and 1000');
}
