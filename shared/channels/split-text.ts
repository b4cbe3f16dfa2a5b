/** The bytes a character takes. */
type Measure = (character: string) => number;

/** Pieces that each take at most so many bytes as a JSON string, broken after a line where one ends not too early. */
export const splitText = (
  text: string,
  mostBytes: number,
  bytesOf: Measure = inJson,
): readonly string[] => {
  const pieces: string[] = [];
  let start = 0;
  do {
    const end = furthestEnd(text, start, mostBytes, bytesOf);
    const line = end < text.length ? text.lastIndexOf('\n', end - 1) + 1 : end;
    const cut = line - start > (end - start) / 2 ? line : end;
    pieces.push(text.slice(start, cut));
    start = cut;
  } while (start < text.length);
  return pieces;
};

/** Never through the middle of a character, and never nothing. */
const furthestEnd = (text: string, start: number, mostBytes: number, bytesOf: Measure): number => {
  let bytes = 2;
  let end = start;
  while (end < text.length) {
    const character = String.fromCodePoint(text.codePointAt(end) ?? 0);
    bytes += bytesOf(character);
    if (bytes > mostBytes && end > start) break;
    end += character.length;
  }
  return end;
};

const PLAIN = /^[ !#-[\]-~]$/;
const inJson: Measure = (character) =>
  PLAIN.test(character) ? 1 : Buffer.byteLength(JSON.stringify(character)) - 2;

/** In a JSON string that itself stands in JSON, as platforms take contents: its quotes count four times. */
export const inNestedJson: Measure = (character) =>
  PLAIN.test(character)
    ? 1
    : Buffer.byteLength(JSON.stringify(JSON.stringify(character).slice(1, -1))) - 2;
