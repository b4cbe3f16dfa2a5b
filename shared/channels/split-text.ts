/** Pieces that each take at most so many bytes as a JSON string, broken after a line where one ends not too early. */
export const splitText = (text: string, mostBytes: number): readonly string[] => {
  const pieces: string[] = [];
  let start = 0;
  do {
    const end = furthestEnd(text, start, mostBytes);
    const line = end < text.length ? text.lastIndexOf('\n', end - 1) + 1 : end;
    const cut = line - start > (end - start) / 2 ? line : end;
    pieces.push(text.slice(start, cut));
    start = cut;
  } while (start < text.length);
  return pieces;
};

/** Never through the middle of a character, and never nothing. */
const furthestEnd = (text: string, start: number, mostBytes: number): number => {
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
const bytesOf = (character: string): number =>
  PLAIN.test(character) ? 1 : Buffer.byteLength(JSON.stringify(character)) - 2;
