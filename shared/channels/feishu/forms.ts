import type { Ask } from '#domain/ask.ts';
import { type CardTexts, cardTextsIn } from '#domain/card-texts.ts';
import { headOf } from '#domain/head-of.ts';
import { readReply } from '#domain/reply.ts';
import type { AskView } from '#ports/channel.ts';
import { inert, onOneLine } from '../inert.ts';
import { ANSWER, FEEDBACK, type Pointer, taskField } from './click.ts';

/** `bare` forms have few elements: no list to pick from, and a choice is typed. */
export type Forms = 'rich' | 'bare';

export type CardElement = { readonly tag: string; readonly [name: string]: unknown };

export const plainText = (content: string) => ({ tag: 'plain_text', content });

/** Confirm and cancel stand outside the forms: a button inside one can only submit it. */
export const controls = (view: AskView, forms: Forms): readonly CardElement[] => {
  const texts = cardTextsIn(view.language);
  const { ask } = view;
  const button = buttonsFor(view);
  if (ask.kind !== 'confirm')
    return [answerForm(view, texts, forms), row(button('cancel', texts.cancel, 'default'))];
  const several = ask.tasks.length > 1;
  return [
    row(
      button('confirm', several ? texts.confirmAll : texts.confirm, 'primary'),
      button('cancel', texts.cancel, 'danger'),
    ),
    ...(several && forms === 'rich' ? [pickForm(view, texts)] : []),
    {
      tag: 'form',
      name: 'modify_form',
      elements: [
        input(FEEDBACK, texts.modifyHint),
        button('modify', texts.modify, 'default', SUBMIT),
      ],
    },
  ];
};

const SUBMIT = { form_action_type: 'submit' };

const buttonsFor =
  ({ session, ask }: AskView) =>
  (decision: Pointer['d'], label: string, type: string, more: object = {}): CardElement => {
    const { id: a, binding: b, tasks } = ask;
    const value: Pointer = { v: 1, s: session, a, b, d: decision, n: tasks.length };
    return {
      tag: 'button',
      name: `${decision}_${a}`,
      type,
      text: plainText(label),
      behaviors: [{ type: 'callback', value }],
      ...more,
    };
  };

const row = (...buttons: readonly CardElement[]): CardElement => ({
  tag: 'column_set',
  columns: buttons.map((button) => ({ tag: 'column', width: 'auto', elements: [button] })),
});

const LONGEST_INPUT = 1000;
const LONGEST_HINT = 100;

const input = (name: string, hint: string): CardElement => ({
  tag: 'input',
  name,
  input_type: 'multiline_text',
  rows: 2,
  max_length: LONGEST_INPUT,
  width: 'fill',
  placeholder: plainText(hint),
});

/** Nothing is ticked at first: whether an untouched tick is reported is documented nowhere, and a yes must not be guessed. */
const pickForm = (view: AskView, texts: CardTexts): CardElement => ({
  tag: 'form',
  name: 'pick_form',
  elements: [
    { tag: 'div', text: plainText(texts.pickHint) },
    ...view.ask.tasks.map(({ tool }, index) => ({
      tag: 'checker',
      name: taskField(index),
      checked: false,
      text: plainText(`${index + 1}. ${onOneLine(inert(tool))}`),
      behaviors: [{ type: 'callback', value: { task: index + 1 } }],
    })),
    buttonsFor(view)('pick', texts.confirmPicked, 'default', SUBMIT),
  ],
});

const answerForm = (view: AskView, texts: CardTexts, forms: Forms): CardElement => {
  const { options = [], multiple, placeholder } = view.question ?? {};
  const choose = view.ask.kind === 'choice' && forms === 'rich' && options.length > 0;
  const hint = placeholder ? cutHint(inert(placeholder)) : texts.answerHint;
  return {
    tag: 'form',
    name: 'answer_form',
    elements: [
      choose
        ? {
            tag: multiple ? 'multi_select_static' : 'select_static',
            name: ANSWER,
            width: 'fill',
            placeholder: plainText(texts.choiceHint),
            options: options.map((option, index) => ({
              text: plainText(onOneLine(inert(option))),
              value: optionValue(view.ask, option, index),
            })),
          }
        : input(ANSWER, hint),
      buttonsFor(view)('answer', texts.answer, 'primary', SUBMIT),
    ],
  };
};

/** What stands for an option must be read as that option and no other: its number, unless another option is called so. */
const optionValue = (ask: Ask, option: string, index: number): string => {
  const number = String(index + 1);
  const read = readReply(number, ask);
  return read.kind === 'answer' && read.text === option ? number : option;
};

const cutHint = (hint: string): string =>
  hint.length <= LONGEST_HINT ? hint : `${headOf(hint, LONGEST_HINT - 1)}…`;
