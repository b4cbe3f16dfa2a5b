/**
 * The properties JSON 2.0 knows, tag by tag, from the component pages under
 * open.feishu.cn/document/feishu-cards/card-json-v2-components and from card-json-v2-structure.
 * "In JSON 2.0 a property that is not supported is an error" (card-json-v2-breaking-changes-release-notes).
 */
export type Shape =
  | 'text'
  | 'flag'
  | 'number'
  | 'free'
  /** A list of components. */
  | 'components'
  | { readonly oneOf: readonly string[] }
  | { readonly listOf: Shape }
  /** Keys of the writer's own choice. */
  | { readonly mapOf: Shape }
  | ObjectShape;

export interface ObjectShape {
  readonly properties: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** For a text: the most characters its content may have. */
  readonly longest?: number;
}

export interface TagShape extends ObjectShape {
  /** Holds components; at most five deep in each other. */
  readonly container?: true;
  /** Only directly under `body` (pages form-container, table). */
  readonly rootOnly?: true;
  /** Only within a form (pages multi-select-dropdown-menu, multi-select-user-picker). */
  readonly formOnly?: true;
  /** Sends something back: needs a `name` of its own within a form (page form-container). */
  readonly interactive?: true;
}

export const oneOf = (...words: string[]): Shape => ({ oneOf: words });
export const listOf = (shape: Shape): Shape => ({ listOf: shape });
export const texts = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, 'text' as const]));

// Text elements: page plain-text; i18n_content: page configure-multi-language-content.
export const textWith = (tag: Shape, longest?: number): ObjectShape => ({
  properties: {
    tag,
    ...texts('content', 'element_id', 'text_size', 'text_color', 'text_align'),
    lines: 'number',
    i18n_content: { mapOf: 'text' },
  },
  required: ['tag'],
  ...(longest !== undefined && { longest }),
});
export const PLAIN = textWith(oneOf('plain_text'));
export const SHORT = textWith(oneOf('plain_text'), 100);
export const RICH = textWith(oneOf('plain_text', 'lark_md'));

// Page icons, and the `icon` rows of every component.
export const ICON: ObjectShape = {
  properties: {
    tag: oneOf('standard_icon', 'custom_icon'),
    ...texts('token', 'color', 'img_key', 'size'),
  },
};
export const CONFIRM: ObjectShape = {
  properties: { title: PLAIN, text: PLAIN },
  required: ['title', 'text'],
};
export const URLS = texts('url', 'android_url', 'ios_url', 'pc_url');
export const LINK: ObjectShape = { properties: { multi_url: { properties: URLS } } };

// Page configuring-card-interactions; which property goes with which type is checked by the walk.
export const BEHAVIORS = listOf({
  properties: {
    type: oneOf('callback', 'open_url'),
    ...texts('default_url', 'android_url', 'ios_url', 'pc_url'),
    value: 'free',
  },
  required: ['type'],
});

/** Every component has these (breaking-changes-release-notes; `fallback` in the sample of form-container). */
export const EVERY = { tag: 'text', ...texts('element_id', 'margin'), fallback: 'free' } as const;
export const LAYOUT = texts(
  'direction',
  'padding',
  'horizontal_spacing',
  'horizontal_align',
  'vertical_spacing',
  'vertical_align',
);
