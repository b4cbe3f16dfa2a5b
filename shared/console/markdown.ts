import { element } from './element.ts';

/**
 * The part of Feishu's markdown that cards here use: bold, italic, struck out, code, code blocks, http(s) links,
 * `<at>` and `<font color>`. All else is shown as it is written. Entities are decoded last and never in code, so
 * that an escaped character is never syntax, and code is shown letter by letter.
 */
export const markdown = (source: string, nameOf: (id: string) => string): readonly Node[] => {
  const nodes: Node[] = [];
  const lines = source.split('\n');
  let text: string[] = [];
  const flush = () => {
    if (text.length > 0) nodes.push(element('p', {}, ...inline(text.join('\n'), nameOf)));
    text = [];
  };
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const fence = /^(`{3,})[^`]*$/.exec(line)?.[1];
    if (fence === undefined) {
      text.push(line);
      continue;
    }
    flush();
    const end = lines.findIndex((one) => /^`+\s*$/.test(one) && one.trim().length >= fence.length);
    const code = lines.splice(0, end < 0 ? lines.length : end);
    lines.shift();
    nodes.push(element('pre', { tabindex: 0 }, element('code', {}, code.join('\n'))));
  }
  flush();
  return nodes;
};

export const atChip = (name: string): HTMLElement => element('span', { class: 'at' }, `@${name}`);

interface Span {
  readonly node: Node;
  readonly length: number;
}

type NameOf = (id: string) => string;
type Reader = (source: string, at: number, nameOf: NameOf) => Span | undefined;

const inline = (source: string, nameOf: NameOf): readonly (Node | string)[] => {
  const nodes: (Node | string)[] = [];
  let plain = '';
  const flush = () => {
    if (plain) nodes.push(decodeEntities(plain));
    plain = '';
  };
  for (let at = 0; at < source.length; ) {
    const span = READERS[source.charAt(at)]?.(source, at, nameOf);
    if (span) {
      flush();
      nodes.push(span.node);
    } else plain += source.charAt(at);
    at += span?.length ?? 1;
  }
  flush();
  return nodes;
};

const matchAt = (pattern: RegExp, source: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(source);
};

/** A pair of marks around something; `*` needs letters right inside, or `SELECT * FROM a * b` would turn italic. */
const pair =
  (pattern: RegExp, tag: 'strong' | 'em' | 'del'): Reader =>
  (source, at, nameOf) => {
    const [all, inner = ''] = matchAt(pattern, source, at) ?? [];
    return all === undefined
      ? undefined
      : { node: element(tag, {}, ...inline(inner, nameOf)), length: all.length };
  };

const bold = pair(/\*\*(?=\S)([\s\S]*?\S)\*\*/y, 'strong');
const italic = pair(/\*(?![\s*])([^*\n]*[^\s*])\*(?!\*)/y, 'em');

const code: Reader = (source, at) => {
  const [all, , inner] = matchAt(/(`+)(?!`)([\s\S]*?[^`])\1(?!`)/y, source, at) ?? [];
  return all === undefined
    ? undefined
    : { node: element('code', {}, inner ?? ''), length: all.length };
};

const link: Reader = (source, at, nameOf) => {
  const [all, text = '', address = ''] = matchAt(/\[([^\]\n]+)\]\(([^()\s]+)\)/y, source, at) ?? [];
  const href = webAddress(decodeEntities(address));
  if (all === undefined || href === undefined) return undefined;
  return { node: anchor(href, ...inline(text, nameOf)), length: all.length };
};

const tagged: Reader = (source, at, nameOf) => {
  const [mention, id = ''] =
    matchAt(/<at (?:id|user_id)=["']?([^"'\s<>]+)["']?\s*>[^<]*<\/at>/y, source, at) ?? [];
  if (mention) return { node: atChip(nameOf(id)), length: mention.length };
  const [font, colour = '', inner = ''] =
    matchAt(/<font color=["']?([\w-]+)["']?\s*>([\s\S]*?)<\/font>/y, source, at) ?? [];
  if (!font) return undefined;
  const node = element('span', { class: `ink-${colour}` }, ...inline(inner, nameOf));
  return { node, length: font.length };
};

const READERS: Readonly<Record<string, Reader>> = {
  '*': (source, at, nameOf) => bold(source, at, nameOf) ?? italic(source, at, nameOf),
  '~': pair(/~~(?=\S)([\s\S]*?\S)~~/y, 'del'),
  '`': code,
  '[': link,
  '<': tagged,
};

export const anchor = (href: string, ...children: readonly (Node | string)[]): HTMLElement =>
  element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);

/** Only the web: `javascript:`, `data:` and friends are no addresses. */
export const webAddress = (address: string): string | undefined =>
  /^https?:\/\//i.test(address) ? URL.parse(address)?.href : undefined;

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (all, decimal, hex, name) => {
    if (name) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? all) : all;
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : all;
  });
