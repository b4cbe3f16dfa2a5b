import { readFileSync } from 'node:fs';

export const guide = readFileSync('docs/deploy.md', 'utf8');

/** The rows of the tables in a section of the guide, without their headings. */
export const tablesIn = (section: string): readonly (readonly string[])[] => {
  const text = guide.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return cells.filter(
    (_, index) => !/^\|---/.test(rows[index] ?? '') && !/^\|---/.test(rows[index + 1] ?? ''),
  );
};
