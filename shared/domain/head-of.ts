/** So many characters of it, and not half of the last one. */
export const headOf = (text: string, room: number): string =>
  text.slice(0, room).replace(/[\u{D800}-\u{DBFF}]$/u, '');
