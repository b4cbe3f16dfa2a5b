/** Pieces that each take at most so many bytes as a JSON string, broken after a line where one ends not too early. */
export const splitText = (text: string, mostBytes: number): readonly string[] => {
  const pieces: string[] = [];
  let rest = text;
  while (Buffer.byteLength(JSON.stringify(rest)) > mostBytes) {
    const end = longestPrefix(rest, mostBytes);
    const line = rest.lastIndexOf('\n', end - 1) + 1;
    const cut = line > end / 2 ? line : end;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return rest === '' && pieces.length > 0 ? pieces : [...pieces, rest];
};

/** Never through the middle of a character, and never nothing. */
const longestPrefix = (text: string, mostBytes: number): number => {
  let bytes = 2;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > mostBytes && end > 0) break;
    end += character.length;
  }
  return end;
};
