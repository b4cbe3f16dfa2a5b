import type { ModelMessage } from '#ports/model.ts';

/** What is left of a long result once the model's context is too small for it. */
const SHORT = 2_000;

/**
 * An estimate on the safe side, without a tokenizer per model: four ASCII characters are a token, any other character
 * is one of its own. English comes out about right, Chinese up to twice too high.
 */
export const estimateTokens = (text: string): number => {
  let ascii = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 128) ascii += 1;
  return Math.ceil(ascii / 4) + text.length - ascii;
};

const OVERHEAD = 8;
export const sizeOf = (...messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => {
    const more =
      message.role === 'assistant' ? JSON.stringify([message.calls, message.provider ?? '']) : '';
    return sum + OVERHEAD + estimateTokens(message.text) + estimateTokens(more);
  }, 0);

/**
 * The newest whole turns that fit. A turn begins with its user message, so no call ever loses its result. The last turn
 * always stays; if it alone is too long, its results are shortened, the oldest first, each with a note that says so.
 */
export const fitContext = (
  messages: readonly ModelMessage[],
  budget: number,
): readonly ModelMessage[] => {
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  let left = sizeOf(...messages);
  let from = 0;
  for (const start of starts) {
    if (left <= budget) break;
    left -= sizeOf(...messages.slice(from, start));
    from = start;
  }
  return messages.slice(from).map((message) => {
    if (left <= budget || message.role !== 'result' || message.text.length <= SHORT) return message;
    const short = { ...message, text: shorten(message.text) };
    left -= sizeOf(message) - sizeOf(short);
    return short;
  });
};

const shorten = (text: string): string =>
  `${text.slice(0, SHORT).replace(/[\uD800-\uDBFF]$/, '')}\n[shortened to fit the model's context: ${SHORT} of ${text.length} characters]`;
