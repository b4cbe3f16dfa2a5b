import { confirmIn } from './confirm-dialog.ts';
import { element, on } from './element.ts';
import type { Form } from './feishu-form.ts';
import { type Fields, fields, list, text, textOf, token } from './fields.ts';
import { anchor, webAddress } from './markdown.ts';
import type { CardPage } from './render-card.ts';

/** A button of a card: it opens a page, or calls back with its value and, when it submits a form, the form's values. */
export const button = (part: Fields, page: CardPage, form?: Form): HTMLElement => {
  const style = `card-button type-${token(part['type']) || 'default'}`;
  const href = addressOf(part);
  if (href && part['disabled'] !== true) {
    const node = anchor(href, textOf(part['text']));
    node.className = style;
    return node;
  }
  const node = element(
    'button',
    {
      type: 'button',
      class: style,
      disabled: part['disabled'] === true,
      title: textOf(part['disabled_tips']) || undefined,
    },
    textOf(part['text']),
  );
  return on(node, 'click', () => void press(part, page, form, node));
};

const addressOf = (part: Fields): string | undefined => {
  const opens = list(part['behaviors']).find(({ type }) => type === 'open_url');
  return webAddress(text(opens?.['default_url']));
};

const callbackValue = (part: Fields): unknown =>
  list(part['behaviors']).find(({ type }) => type === 'callback')?.['value'] ?? part['value'];

const press = async (
  part: Fields,
  page: CardPage,
  form: Form | undefined,
  node: HTMLButtonElement,
): Promise<void> => {
  if (isReset(part)) return form?.reset();
  const values = form?.submit();
  if (form && !values) return;
  // As in Feishu, only a form's submit button asks back.
  if (form && part['confirm'] !== undefined && !(await confirmIn(confirmTexts(part)))) return;
  const name = text(part['name']);
  node.setAttribute('aria-busy', 'true');
  node.disabled = true;
  await page.act({
    value: callbackValue(part),
    ...(name && { name }),
    ...(values && { form: values }),
  });
  node.disabled = false;
  node.removeAttribute('aria-busy');
};

const isReset = (part: Fields): boolean =>
  part['form_action_type'] === 'reset' || part['action_type'] === 'form_reset';

const confirmTexts = (part: Fields) => {
  const confirm = fields(part['confirm']);
  return { title: textOf(confirm['title']), text: textOf(confirm['text']) };
};
