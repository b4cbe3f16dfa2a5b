import { element, on } from './element.ts';
import { anchor, webAddress } from './markdown.ts';
import { words } from './words.ts';

/** What a link does that opens no page: `dtmd` makes the client write for the person who follows it. */
type Follow = (address: string) => void;

/**
 * The markdown that DingTalk documents for messages: headings, quotes, bold, italic, links, images and lists. A line
 * ends at two spaces and a break, a paragraph at an empty line. All else is shown as it is written.
 */
export const dingtalkMarkdown = (source: string, follow: Follow): readonly HTMLElement[] => {
  const blocks: Block[] = [];
  for (const line of source.split('\n')) {
    const [kind, text] = readLine(line);
    const last = blocks.at(-1);
    if (last?.kind === kind && kind !== 'h4') last.lines.push(text);
    else blocks.push({ kind, lines: [text] });
  }
  return blocks.filter(({ kind }) => kind !== 'gap').map((block) => drawBlock(block, follow));
};

type Kind = 'h4' | 'blockquote' | 'ul' | 'ol' | 'p' | 'gap';

interface Block {
  readonly kind: Kind;
  readonly lines: string[];
}

const MARKS: readonly (readonly [Kind, RegExp])[] = [
  ['h4', /^\s{0,3}#{1,6}\s+(.*)$/],
  ['blockquote', /^\s{0,3}>\s?(.*)$/],
  ['ul', /^\s{0,3}[-*]\s+(.*)$/],
  ['ol', /^\s{0,3}\d+\.\s+(.*)$/],
];

const readLine = (line: string): readonly [Kind, string] => {
  if (line.trim() === '') return ['gap', ''];
  for (const [kind, pattern] of MARKS) {
    const text = pattern.exec(line)?.[1];
    if (text !== undefined) return [kind, text];
  }
  return ['p', line];
};

const drawBlock = ({ kind, lines }: Block, follow: Follow): HTMLElement => {
  if (kind === 'ul' || kind === 'ol')
    return element(kind, {}, ...lines.map((line) => element('li', {}, ...inline(line, follow))));
  const text = lines.map((line) => line.replace(/ {2,}$/, '\n')).join(' ');
  return element(kind === 'gap' ? 'p' : kind, {}, ...inline(text.replace(/\n /g, '\n'), follow));
};

type Drawn = readonly (Node | string)[];

const INLINE =
  /\*\*(\S|\S.*?\S)\*\*|\*([^\s*]|[^\s*][^*]*[^\s*])\*|(!?)\[([^\]\n]*)\]\(([^()\s]+)\)/;

const inline = (source: string, follow: Follow): Drawn => {
  const found = INLINE.exec(source);
  if (!found) return [source];
  const [all, bold, italic, image, label = '', address = ''] = found;
  const node =
    bold !== undefined || italic !== undefined
      ? element(bold === undefined ? 'em' : 'strong', {}, ...inline(bold ?? italic ?? '', follow))
      : linkOrImage(image === '!', label, address, follow);
  const rest = source.slice(found.index + all.length);
  return [source.slice(0, found.index), node, ...inline(rest, follow)];
};

const linkOrImage = (isImage: boolean, label: string, address: string, follow: Follow): Node => {
  if (isImage) return element('span', { class: 'image' }, label || words().image);
  const href = webAddress(address);
  if (href) return anchor(href, label);
  const node = element('button', { type: 'button', class: 'link' }, label);
  return on(node, 'click', () => follow(address));
};
