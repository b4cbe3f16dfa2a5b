import { isDeepStrictEqual } from 'node:util';
import type { Card, Params } from './state.ts';
import type { CardTemplate, Component, TemplateButton, Visible } from './template.ts';

/** A component with its variables filled in. */
export type Drawn =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'divider' }
  | {
      readonly kind: 'input';
      readonly local: string;
      readonly title: string;
      readonly placeholder: string;
    }
  | { readonly kind: 'buttons'; readonly buttons: readonly DrawnButton[] };

interface DrawnButton {
  readonly id: string;
  readonly text: string;
  readonly color: string;
  /** Whether it sends what was entered on the card. */
  readonly sends: boolean;
}

/** What a person has in their variables: their own values come first, where the template has them as private. */
export const seenBy = (template: CardTemplate, card: Card, person: string): Params => {
  const own = Object.entries(card.private[person] ?? {}).filter(([name]) =>
    template.private.includes(name),
  );
  return { ...card.params, ...Object.fromEntries(own) };
};

export const isVisible = ({ valueType, condition }: Visible, seen: Params): boolean =>
  valueType === 'fixed' ||
  condition.conditions.every(({ op, variable }) =>
    op === 'isTrue' ? seen[variable] === 'true' : (seen[variable] ?? '') !== '',
  );

const filled = (text: string, seen: Params): string =>
  text.replace(/\$\{(\w+)\}/g, (_, name) => seen[name] ?? '');

const sendsLocal = ({ local }: CardTemplate, { params }: TemplateButton): boolean =>
  params.some((one) => one.type === 'variable' && local.includes(one.variable));

const draw = (template: CardTemplate, one: Component, seen: Params): Drawn => {
  switch (one.componentName) {
    case 'BaseTextBlock':
      return { kind: 'text', text: filled(one.props.text.content, seen) };
    case 'DividerBlock':
      return { kind: 'divider' };
    case 'Input':
      return {
        kind: 'input',
        local: one.props.localVarAction.variable,
        title: filled(one.props.title.content, seen),
        placeholder: filled(one.props.placeholder.content, seen),
      };
    case 'ButtonBlock':
      return {
        kind: 'buttons',
        buttons: one.props.buttons
          .filter((button) => isVisible(button.visible, seen))
          .map((button) => ({
            id: button.id,
            text: filled(button.text.content, seen),
            color: button.color,
            sends: sendsLocal(template, button),
          })),
      };
    default:
      return one satisfies never;
  }
};

const drawn = (template: CardTemplate, seen: Params): readonly Drawn[] =>
  template.components
    .filter(({ props }) => isVisible(props.visible, seen))
    .map((one) => draw(template, one, seen));

/** A card as the clients draw it: for all, and what is different for some. */
export interface CardView {
  readonly parts: readonly Drawn[];
  readonly alone: readonly { readonly person: string; readonly parts: readonly Drawn[] }[];
  /** Given to the card, though its template has no such variable: no client shows it. */
  readonly unplaced: Params;
}

export const viewOf = (template: CardTemplate, card: Card): CardView => {
  const parts = drawn(template, card.params);
  const people = Object.keys(card.private).map((person) => ({
    person,
    parts: drawn(template, seenBy(template, card, person)).filter(
      (own) => !parts.some((one) => isDeepStrictEqual(one, own)),
    ),
  }));
  const unplaced = Object.entries(card.params).filter(
    ([name]) => !template.variables.includes(name),
  );
  return {
    parts,
    alone: people.filter((one) => one.parts.length > 0),
    unplaced: Object.fromEntries(unplaced),
  };
};
