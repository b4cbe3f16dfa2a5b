import { dingtalkMarkdown } from './dingtalk-markdown.ts';
import { element } from './element.ts';
import { button } from './feishu-button.ts';
import { type Form, form, formField } from './feishu-form.ts';
import { type Fields, fields, list, text } from './fields.ts';
import { atChip } from './markdown.ts';
import type { CardPage } from './render-card.ts';
import { currentLanguage } from './words.ts';

/** DingTalk's messages in markdown, its action cards, and interactive cards as their template draws them. */
export const dingtalkCard = (source: unknown, page: CardPage): HTMLElement | undefined => {
  const card = fields(source);
  switch (card['msgtype']) {
    case 'markdown':
      return element(
        'div',
        { class: 'bubble dingtalk-markdown' },
        ...markdown(fields(card['markdown'])['text'], page),
      );
    case 'actionCard':
      return actionCard(fields(card['actionCard']), page);
    case 'card':
      return interactiveCard(card, page);
    default:
      return undefined;
  }
};

const markdown = (source: unknown, page: CardPage): readonly Node[] =>
  dingtalkMarkdown(text(source), (address) => void page.act({ value: address }));

/** A button that opens a page or, by a `dtmd` address, writes; one with any other address does nothing there. */
const linkButton = ({ title, actionURL: address }: Fields, page: CardPage): Node =>
  button(
    {
      text: { content: title },
      behaviors: [
        { type: 'open_url', default_url: address },
        { type: 'callback', value: address },
      ],
    },
    page,
  );

const actionCard = (card: Fields, page: CardPage): HTMLElement =>
  element(
    'section',
    { class: 'card' },
    element(
      'div',
      { class: 'card-body' },
      element('div', { class: 'dingtalk-markdown' }, ...markdown(card['text'], page)),
      element(
        'div',
        { class: card['btnOrientation'] === '1' ? 'columns' : 'stack' },
        ...list(card['btns']).map((one) => linkButton(one, page)),
      ),
    ),
  );

/** An interactive card comes with its template's components drawn: in `parts` for all, in `alone` what differs for some. */
const interactiveCard = (card: Fields, page: CardPage): HTMLElement =>
  element(
    'section',
    { class: 'card' },
    element(
      'div',
      { class: 'card-body' },
      ...parts(list(card['parts']), page),
      ...list(card['alone']).map((one) => alone(one, page)),
      ...Object.entries(fields(card['unplaced'])).map(([name, value]) =>
        element('p', { class: 'unsupported' }, `${name}: ${text(value)}`),
      ),
    ),
  );

/** From an input on, what follows belongs to it, up to the buttons that send what was entered. */
const parts = (drawn: readonly Fields[], page: CardPage): readonly Node[] => {
  const nodes: Node[] = [];
  for (let at = 0; at < drawn.length; at += 1) {
    const part = drawn[at] ?? {};
    const next = drawn[at + 1];
    if (part['kind'] === 'input' && next?.['kind'] === 'buttons') at += 1;
    nodes.push(part['kind'] === 'input' ? inputForm(part, next, page) : drawPart(part, page));
  }
  return nodes;
};

const drawPart = (part: Fields, page: CardPage): Node => {
  switch (part['kind']) {
    case 'text':
      return element('div', { class: 'plain' }, text(part['text']));
    case 'divider':
      return element('hr');
    case 'buttons':
      return buttons(part, page);
    default:
      return element('p', { class: 'unsupported' }, `[unsupported: ${text(part['kind']) || '?'}]`);
  }
};

const STYLES: Readonly<Record<string, string>> = { blue: 'primary_filled', red: 'danger' };

const buttons = (part: Fields | undefined, page: CardPage, filled?: Form): HTMLElement =>
  element(
    'div',
    { class: 'columns' },
    ...list(part?.['buttons']).map((one) =>
      button(
        {
          text: { content: one['text'] },
          type: STYLES[text(one['color'])] ?? 'default',
          name: one['id'],
        },
        page,
        one['sends'] === true ? filled : undefined,
      ),
    ),
  );

const inputForm = (part: Fields, next: Fields | undefined, page: CardPage): HTMLElement =>
  form({}, (_, filled) => [
    formField(
      {
        tag: 'input',
        name: part['local'],
        label: { content: part['title'] },
        placeholder: { content: part['placeholder'] },
      },
      page,
      filled,
    ),
    buttons(next, page, filled),
  ]);

/** What only one person sees; here everybody looks over their shoulder. */
const alone = (one: Fields, page: CardPage): HTMLElement =>
  element(
    'div',
    { class: 'private' },
    atChip(page.nameOf(text(one['person']))),
    currentLanguage() === 'zh-CN' ? ' 仅本人可见：' : ' alone sees: ',
    ...parts(list(one['parts']), page),
  );
