import { isObject } from '../json.ts';
import type { ObjectShape, Shape } from './card-shapes.ts';
import { CARD, TAGS } from './card-structure.ts';
import { controlFaults } from './control-rules.ts';
import { checkMarkdown, countTables } from './markdown-rules.ts';
import { isUserId } from './world.ts';

/** Why a card is refused: the number inside `230099` or shown by the client, and where in the card. */
export interface CardFault {
  readonly errCode: number;
  readonly errMsg: string;
  readonly value: string;
  readonly path: string;
}

export type CardObject = Readonly<Record<string, unknown>>;

interface Place {
  readonly path: string;
  readonly depth: number;
  /** The form this stands in. */
  readonly form?: CardObject;
  /** The property of the parent this stands in. */
  readonly slot: string;
}

interface Seen {
  readonly atAll: boolean;
  readonly ids: Set<string>;
  readonly names: Set<string>;
  elements: number;
  tables: number;
  markdownTables: number;
}

type Faults = Generator<CardFault, void, undefined>;

/** card-json-v2-structure: "at most 200 elements (such as texts) or components". */
const MOST_ELEMENTS = 200;
/** Page form-container: "containers nest at most five levels". */
const MOST_LEVELS = 5;
/** Page table: five of them; tables in markdown fail from the fourth on, as live tenants report. */
const MOST_TABLES = { table: 5, markdown: 3 };
/** breaking-changes-release-notes, "note component and action module". */
const RETIRED = ['action', 'note'];
/** card-json-v2-structure: "letters, digits, underscores; starts with a letter; 20 characters at most". */
const ELEMENT_ID = /^[a-z]\w{0,19}$/i;
/** Properties that hold an address; `lark://msgcard/unsupported_action` closes one client (configuring-card-interactions). */
const ADDRESS = /^(?:default_|android_|ios_|pc_)?url$/;
const CLOSED = 'lark://msgcard/unsupported_action';

/** Sends' page, sub codes of 230099. */
const unparsable = (path: string, value: string): CardFault => ({
  errCode: 200621,
  errMsg: 'parse card json err, please check whether the card json is correct',
  value,
  path,
});
const tooMany = (value: string): CardFault => ({
  errCode: 11310,
  errMsg: 'element exceeds the limit',
  value,
  path: 'ROOT',
});
const unknownPerson = (path: string, id: string): CardFault => ({
  errCode: 100290,
  errMsg: 'There is an invalid user resource(at/person) in your card',
  value: id,
  path,
});

function* markdownFaults(text: unknown, place: Place, seen: Seen): Faults {
  if (typeof text !== 'string') return;
  const fault = checkMarkdown(text, seen.atAll);
  if (fault?.kind === 'at') yield unknownPerson(place.path, fault.id);
  if (fault?.kind === 'link')
    yield unparsable(place.path, `scheme not in scheme whitelist: ${fault.url}`);
  seen.markdownTables += countTables(text);
  if (seen.markdownTables > MOST_TABLES.markdown) yield tooMany('card table number over limit');
}

function* elementFaults(element: CardObject, place: Place, seen: Seen): Faults {
  seen.elements += 1;
  if (seen.elements > MOST_ELEMENTS) yield tooMany(`more than ${MOST_ELEMENTS} elements`);
  const id = element['element_id'];
  if (typeof id === 'string') {
    if (!ELEMENT_ID.test(id)) yield unparsable(place.path, `element_id ${id}`);
    if (seen.ids.has(id))
      yield {
        errCode: 300301,
        errMsg: 'Duplicate element_id in card component',
        value: id,
        path: place.path,
      };
    seen.ids.add(id);
  }
  const texts = [element['content'], ...Object.values(element['i18n_content'] ?? {})];
  if (['markdown', 'lark_md'].includes(String(element['tag'])))
    for (const text of texts) yield* markdownFaults(text, place, seen);
}

function* objectFaults(
  object: CardObject,
  { properties, required = [], longest }: ObjectShape,
  place: Place,
  seen: Seen,
): Faults {
  for (const [name, value] of Object.entries(object)) {
    const shape = properties[name];
    if (shape === undefined)
      yield unparsable(place.path, `unknown property, property: ${name}, path: [${place.path}]`);
    else if (ADDRESS.test(name) && !/^(?:https?:\/\/|$)/i.test(String(value)) && value !== CLOSED)
      yield unparsable(place.path, `scheme not in scheme whitelist: ${value}`);
    else
      yield* faultsOf(
        value,
        shape,
        { ...place, path: `${place.path} -> ${name}`, slot: name },
        seen,
      );
  }
  for (const name of required)
    if (object[name] === undefined) yield unparsable(place.path, `${name} is required`);
  if (longest !== undefined && [...String(object['content'] ?? '')].length > longest)
    yield unparsable(place.path, `content is longer than ${longest} characters`);
}

function* componentFaults(component: unknown, place: Place, seen: Seen): Faults {
  if (!isObject(component) || typeof component['tag'] !== 'string')
    return yield unparsable(place.path, 'a component has no tag');
  const { tag } = component as { tag: string };
  const path = `${place.path}(tag: ${tag})`;
  const shape = TAGS[tag];
  if (RETIRED.includes(tag))
    return yield {
      errCode: 200861,
      errMsg: 'cards of schema V2 no longer support this capability',
      value: `unsupported tag ${tag}`,
      path,
    };
  if (!shape) return yield unparsable(path, `unknown tag ${tag}`);
  if ((tag === 'column') !== (place.slot === 'columns'))
    yield unparsable(path, `${tag} may not stand in ${place.slot}`);
  if (shape.rootOnly && place.depth > 0) yield unparsable(path, `${tag} stands only in the body`);
  if (shape.formOnly && !place.form) yield unparsable(path, `${tag} stands only in a form`);
  const depth = place.depth + (shape.container ? 1 : 0);
  if (depth > MOST_LEVELS) yield unparsable(path, `more than ${MOST_LEVELS} levels of containers`);
  if (tag === 'table') seen.tables += 1;
  if (seen.tables > MOST_TABLES.table) yield tooMany('card table number over limit');
  if (tag === 'person' && !isUserId(String(component['user_id'])))
    yield unknownPerson(path, String(component['user_id']));

  const form = tag === 'form' ? component : place.form;
  const inside = { ...place, path, depth, ...(form && { form }) };
  yield* controlFaults(
    component,
    { shape, form: place.form, names: seen.names },
    (value, errCode) =>
      errCode === undefined ? unparsable(path, value) : { ...unparsable(path, value), errCode },
  );
  yield* elementFaults(component, inside, seen);
  yield* objectFaults(component, shape, inside, seen);
}

function* faultsOf(value: unknown, shape: Shape, place: Place, seen: Seen): Faults {
  const wrong = (expected: string) => unparsable(place.path, `expected ${expected}`);
  if (shape === 'free') return;
  if (shape === 'text') {
    if (typeof value !== 'string') yield wrong('a string');
  } else if (shape === 'flag') {
    if (typeof value !== 'boolean') yield wrong('true or false');
  } else if (shape === 'number') {
    if (typeof value !== 'number') yield wrong('a number');
  } else if (shape === 'components') {
    if (!Array.isArray(value)) return yield wrong('a list of components');
    for (const [index, one] of value.entries())
      yield* componentFaults(one, { ...place, path: `${place.path} -> [${index}]` }, seen);
  } else if ('oneOf' in shape) {
    if (!shape.oneOf.includes(String(value))) yield wrong(`one of ${shape.oneOf.join(', ')}`);
  } else if ('listOf' in shape) {
    if (!Array.isArray(value)) return yield wrong('a list');
    for (const [index, one] of value.entries())
      yield* faultsOf(one, shape.listOf, { ...place, path: `${place.path} -> [${index}]` }, seen);
  } else if (!isObject(value)) {
    yield wrong('an object');
  } else if ('mapOf' in shape) {
    for (const [name, one] of Object.entries(value))
      yield* faultsOf(one, shape.mapOf, { ...place, path: `${place.path} -> ${name}` }, seen);
  } else {
    if (typeof value['tag'] === 'string') yield* elementFaults(value, place, seen);
    yield* objectFaults(value, shape, place, seen);
  }
}

/** The first documented rule of JSON 2.0 that a card breaks. */
export const checkCard = (card: unknown, { atAll }: { atAll: boolean }): CardFault | undefined => {
  const place = { path: 'ROOT', depth: 0, slot: '' };
  const none = { ids: new Set<string>(), names: new Set<string>() };
  const seen = { atAll, ...none, elements: 0, tables: 0, markdownTables: 0 };
  return faultsOf(card, CARD, place, seen).next().value ?? undefined;
};
