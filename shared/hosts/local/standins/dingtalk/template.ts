import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { parseJson } from '../json.ts';

/** The template that the owner of a bot imports into the card platform, as the platform exports one. */
const SHIPPED = new URL('../../../../../docs/dingtalk-card-template.json', import.meta.url);

const words = z.object({ content: z.string() });
const condition = z.object({ op: z.enum(['isTrue', 'notEmpty']), variable: z.string() });
const visible = z.object({
  valueType: z.enum(['fixed', 'condition']),
  condition: z.object({ op: z.literal('and'), conditions: z.array(condition) }),
});
const param = z.discriminatedUnion('type', [
  z.object({ type: z.literal('fixed'), name: z.string(), value: z.string() }),
  z.object({ type: z.literal('variable'), name: z.string(), variable: z.string() }),
]);
const button = z.object({
  id: z.string(),
  text: words,
  color: z.string(),
  actionType: z.literal('request'),
  actionId: words,
  params: z.array(param),
  visible,
});
/** Of the platform's many components those that the template is built of. */
const component = z.discriminatedUnion('componentName', [
  z.object({
    componentName: z.literal('BaseTextBlock'),
    props: z.object({ text: words, visible }),
  }),
  z.object({ componentName: z.literal('DividerBlock'), props: z.object({ visible }) }),
  z.object({
    componentName: z.literal('ButtonBlock'),
    props: z.object({ buttons: z.array(button), visible }),
  }),
  z.object({
    componentName: z.literal('Input'),
    props: z.object({
      title: words,
      placeholder: words,
      actionType: z.literal('setLocalState'),
      localVarAction: z.object({ variable: z.string() }),
      visible,
    }),
  }),
]);
const named = z.array(z.object({ name: z.string(), private: z.boolean() }));
const exported = z.object({
  schema: z.object({
    componentsTree: z
      .array(z.object({ componentName: z.literal('Card'), children: z.array(component) }))
      .check(z.length(1)),
  }),
  variableList: named,
  localList: named,
});

export type Component = z.infer<typeof component>;
export type TemplateButton = z.infer<typeof button>;
export type Visible = z.infer<typeof visible>;

/** A card template: what stands on a card, bound to variables; `${name}` in a text is the variable's value. */
export interface CardTemplate {
  readonly components: readonly Component[];
  /** All variables that a card may be given. */
  readonly variables: readonly string[];
  /** Those that can differ from person to person. */
  readonly private: readonly string[];
  /** Those that live on one client, and are sent by a button. */
  readonly local: readonly string[];
}

/** What this reader does not know is an error: a template that is drawn by halves proves nothing. */
export const readTemplate = (text: string): CardTemplate => {
  const outside = z.safeParse(z.object({ editorData: z.string() }), parseJson(text));
  const parsed = z.safeParse(exported, parseJson(outside.data?.editorData ?? ''));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `the stand-in cannot draw this card template: ${issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  const { schema, variableList, localList } = parsed.data;
  return {
    components: schema.componentsTree.flatMap(({ children }) => children),
    variables: variableList.map(({ name }) => name),
    private: variableList.filter((one) => one.private).map(({ name }) => name),
    local: localList.map(({ name }) => name),
  };
};

export const shippedTemplate = (): CardTemplate => readTemplate(readFileSync(SHIPPED, 'utf8'));
