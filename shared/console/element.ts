type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with its attributes and children. Text goes in as text nodes: nothing here reads HTML. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== undefined && child !== false));
  return node;
};

export const on = <Name extends keyof HTMLElementEventMap, Target extends HTMLElement>(
  target: Target,
  event: Name,
  listener: (event: HTMLElementEventMap[Name]) => void,
): Target => {
  target.addEventListener(event, listener);
  return target;
};

/** A part of `index.html`, by its id. */
export const part = <Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind => {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`index.html has no ${kind.name} with id ${id}`);
};
