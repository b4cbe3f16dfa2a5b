import { isUserId } from './world.ts';

export type MarkdownFault =
  | { readonly kind: 'at'; readonly id: string }
  | { readonly kind: 'link'; readonly url: string };

const FENCE = /^ {0,3}(`{3,}|~{3,}).*$[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm;
const CODE_SPAN = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g;

const withoutCode = (markdown: string) => markdown.replace(FENCE, '').replace(CODE_SPAN, '');

/** Page rich-text: `<at id=…>`, `<at ids=…,…>`; `<at email=…>` is not looked up here. */
const AT = /<at\s+ids?\s*=\s*["']?([^"'\s>]*)["']?[^>]*>/gi;
/** Page rich-text: "a link must carry its scheme; only HTTP and HTTPS". */
const LINK = /(?<!\\)\]\(\s*<?([^\s)>]*)/g;
const TAG_LINK = /<(?:a|link|number_tag)\b[^>]*?\b(?:href|url)\s*=\s*["']?([^"'\s>]*)/gi;
/** Reported from live tenants: an address that runs on into Chinese text fails the whole message. */
const GLUED = /(?<!\]\(\s*<?)https?:\/\/[^\s<>()[\]]*[\u2e80-\u9fff\uff00-\uffef]/gi;

const firstIn = (text: string, pattern: RegExp, wrong: (found: string) => boolean) =>
  [...text.matchAll(pattern)].map(([all, group]) => group ?? all).find(wrong);

/** What in a text of `markdown` or `lark_md` makes Feishu refuse the whole card. */
export const checkMarkdown = (markdown: string, atAll: boolean): MarkdownFault | undefined => {
  const text = withoutCode(markdown);
  const known = (id: string) => (id === 'all' ? atAll : isUserId(id));
  const at = firstIn(text, AT, (ids) => !ids.split(',').every(known));
  if (at !== undefined) return { kind: 'at', id: at };
  const allowed = (url: string) => /^https?:\/\//i.test(url);
  const url =
    firstIn(text, LINK, (found) => !allowed(found)) ??
    firstIn(text, TAG_LINK, (found) => !allowed(found)) ??
    firstIn(text, GLUED, () => true);
  return url === undefined ? undefined : { kind: 'link', url };
};

/** Tables in a markdown text, by the line under their heads. */
export const countTables = (markdown: string): number =>
  withoutCode(markdown).match(/^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$/gm)
    ?.length ?? 0;
