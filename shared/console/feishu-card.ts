import { element } from './element.ts';
import { button } from './feishu-button.ts';
import { type Form, form, formField } from './feishu-form.ts';
import { type Fields, fields, list, text, textOf, token } from './fields.ts';
import { atChip, markdown } from './markdown.ts';
import type { CardPage } from './render-card.ts';
import { words } from './words.ts';

/** Feishu's card JSON 2.0: `header`, `body.elements`. What is not drawn is named in its place, never left out. */
export const feishuCard = (source: unknown, page: CardPage): HTMLElement | undefined => {
  const card = fields(source);
  const body = fields(card['body'])['elements'];
  if (!Array.isArray(body)) return undefined;
  const header = fields(card['header']);
  return element(
    'section',
    { class: `card template-${token(header['template']) || 'default'}` },
    header['title'] !== undefined && cardHeader(header),
    element('div', { class: 'card-body' }, ...elements(body, page)),
  );
};

const cardHeader = (header: Fields): HTMLElement =>
  element(
    'header',
    { class: 'card-header' },
    element('h3', {}, textOf(header['title'])),
    ...list(header['text_tag_list']).map((tag) =>
      element('span', { class: `tag tag-${token(tag['color'])}` }, textOf(tag['text'])),
    ),
    header['subtitle'] !== undefined && element('p', {}, textOf(header['subtitle'])),
  );

type Draw = (part: Fields, page: CardPage, form?: Form) => Node;

const elements = (source: unknown, page: CardPage, inForm?: Form): readonly Node[] =>
  list(source).map((part) => {
    const tag = text(part['tag']);
    const draw = Object.hasOwn(TAGS, tag) ? TAGS[tag] : undefined;
    return draw?.(part, page, inForm) ?? unsupported(tag);
  });

const unsupported = (tag: string): HTMLElement =>
  element('p', { class: 'unsupported' }, `[unsupported: ${tag || '?'}]`);

const markdownBlock = (content: unknown, page: CardPage, size: unknown): HTMLElement =>
  element(
    'div',
    { class: `markdown size-${token(size) || 'normal'}` },
    ...markdown(text(content), page.nameOf),
  );

/** The text of a `div`: `plain_text` is nothing but text, also where it looks like markdown. */
const textBlock = (source: unknown, page: CardPage): HTMLElement => {
  const { tag, content, text_size: size, text_color: colour } = fields(source) as Fields;
  return tag === 'lark_md'
    ? markdownBlock(content, page, size)
    : element(
        'div',
        { class: `plain size-${token(size) || 'normal'} ink-${token(colour)}` },
        text(content),
      );
};

const div: Draw = (part, page) =>
  element(
    'div',
    { class: 'div' },
    part['text'] !== undefined && textBlock(part['text'], page),
    ...list(part['fields']).map((field) => textBlock(field['text'], page)),
  );

const columnSet: Draw = (part, page, inForm) =>
  element(
    'div',
    { class: 'columns' },
    ...list(part['columns']).map((column) => {
      const weight = Number(column['weight'] ?? 1);
      const weighted = column['width'] === 'weighted';
      const node = element(
        'div',
        { class: 'column' },
        ...elements(column['elements'], page, inForm),
      );
      if (weighted) node.style.flex = `${Number.isFinite(weight) ? weight : 1} 1 0`;
      return node;
    }),
  );

const collapsiblePanel: Draw = (part, page, inForm) =>
  element(
    'details',
    { class: 'panel', open: part['expanded'] === true },
    element('summary', {}, panelTitle(fields(part['header'])['title'], page)),
    element('div', { class: 'panel-body' }, ...elements(part['elements'], page, inForm)),
  );

const panelTitle = (title: unknown, page: CardPage): Node =>
  fields(title)['tag'] === 'plain_text' ? new Text(textOf(title)) : textBlock(title, page);

const image: Draw = (part) =>
  element('div', { class: 'image', role: 'img' }, textOf(part['alt']) || words().image);

const person = (id: unknown, page: CardPage): HTMLElement => atChip(page.nameOf(text(id)));

const TAGS: Readonly<Record<string, Draw>> = {
  markdown: (part, page) => markdownBlock(part['content'], page, part['text_size']),
  div,
  hr: () => element('hr'),
  column_set: columnSet,
  collapsible_panel: collapsiblePanel,
  button,
  form: (part, page) => form(part, (source, inForm) => elements(source, page, inForm)),
  img: image,
  person: (part, page) => person(part['user_id'], page),
  person_list: (part, page) =>
    element('div', {}, ...list(part['persons']).map((one) => person(one['id'], page))),
  input: formField,
  select_static: formField,
  multi_select_static: formField,
  checker: formField,
};
