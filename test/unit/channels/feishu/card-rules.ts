/** What the platform documents of a card, JSON 2.0, written down apart from the code that makes cards. */
type Node = { readonly tag?: string; readonly [name: string]: unknown };

const INTERACTIVE = ['input', 'button', 'checker', 'select_static', 'multi_select_static'];
const PROPERTIES: Record<string, readonly string[]> = {
  plain_text: ['tag', 'content'],
  div: ['tag', 'text'],
  hr: ['tag'],
  markdown: ['tag', 'content'],
  column_set: ['tag', 'columns'],
  column: ['tag', 'width', 'elements'],
  form: ['tag', 'name', 'elements'],
  button: ['tag', 'name', 'type', 'text', 'behaviors', 'form_action_type'],
  input: ['tag', 'name', 'input_type', 'rows', 'max_length', 'width', 'placeholder'],
  checker: ['tag', 'name', 'checked', 'text', 'behaviors'],
  select_static: ['tag', 'name', 'width', 'placeholder', 'options'],
  multi_select_static: ['tag', 'name', 'width', 'placeholder', 'options'],
};
const TEMPLATES =
  'blue wathet turquoise green yellow orange red carmine violet purple indigo grey default';

const children = (node: Node): Node[] =>
  Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter(
      (one): one is Node => typeof one === 'object' && one !== null,
    ),
  );

/** Everything that breaks a rule. Empty for a card the platform takes. */
export const brokenRules = (card: Node): string[] => {
  const broken: string[] = [];
  const rule = (holds: boolean, what: string) => {
    if (!holds) broken.push(what);
  };
  const names: string[] = [];
  let tags = 0;
  const walk = (node: Node, path: readonly string[]): void => {
    const { tag } = node;
    if (tag !== undefined) {
      tags += 1;
      const known = PROPERTIES[tag];
      rule(known !== undefined, `unknown tag ${tag}`);
      for (const name of Object.keys(node)) rule(!!known?.includes(name), `${tag}.${name}`);
      const inForm = path.includes('form');
      if (tag === 'form') rule(path.length === 0, 'a form stands at the root only');
      if (tag === 'form' || INTERACTIVE.includes(tag)) {
        rule(typeof node['name'] === 'string' && node['name'] !== '', `${tag} without a name`);
        names.push(String(node['name']));
      }
      if (tag === 'button') {
        const text = node['text'] as Node;
        rule(String(text['content']).length <= 100, 'a button of more than 100 characters');
        rule(inForm === (node['form_action_type'] === 'submit'), 'submit belongs into a form');
        const [behavior] = node['behaviors'] as Node[];
        rule(typeof behavior?.['value'] === 'object', 'a value that is no object');
      }
      if (tag === 'input') {
        const placeholder = node['placeholder'] as Node;
        rule(String(placeholder['content']).length <= 100, 'a placeholder too long');
        rule(Number(node['max_length']) <= 1000, 'max_length');
      }
      if (tag.includes('select')) {
        const values = (node['options'] as Node[]).map((option) => option['value']);
        rule(new Set(values).size === values.length, 'two options with one value');
        if (tag.startsWith('multi')) rule(inForm, 'multi_select outside a form');
      }
      if (tag === 'form')
        rule(JSON.stringify(node).includes('"form_action_type":"submit"'), 'no submit in a form');
    }
    for (const child of children(node)) walk(child, tag ? [...path, tag] : path);
  };
  const { schema, config, header, body, ...rest } = card as Record<string, Node>;
  const title = header?.['title'] as Node | undefined;
  const elements = body?.['elements'] as Node[] | undefined;
  rule(schema === ('2.0' as unknown), 'schema');
  rule(config?.['update_multi'] === true, 'update_multi');
  rule(TEMPLATES.split(' ').includes(String(header?.['template'])), 'template');
  rule(!!title?.['content'], 'title');
  rule(Object.keys(rest).length === 0, `unknown property ${Object.keys(rest)}`);
  rule(!!elements?.length, 'no elements');
  for (const element of elements ?? []) walk(element, []);
  rule(new Set(names).size === names.length, `names are not unique: ${names}`);
  rule(tags <= 198, `${tags} elements`);
  rule(Buffer.byteLength(JSON.stringify(card)) <= 30 * 1024, 'more than 30 KB');
  return broken;
};

const textsWith = (tag: string, node: Node): string[] => [
  ...(node.tag === tag ? [String(node['content'])] : []),
  ...children(node).flatMap((child) => textsWith(tag, child)),
];
/** What the client interprets, and what it shows as it is. */
export const interpreted = (card: Node): string[] => [
  ...textsWith('markdown', card),
  ...textsWith('lark_md', card),
];
export const shownAsIs = (card: Node): string[] => textsWith('plain_text', card);
