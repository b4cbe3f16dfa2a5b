import type { Json } from '#domain/canonical-json.ts';
import type { Answer, Row } from './verb.ts';

/** Ids come from outside: what could move the cursor or turn the text round is not printed. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}]/gu;

const cell = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '-';
  if (Array.isArray(value)) return value.map(cell).join(', ') || '-';
  if (typeof value === 'object') return Object.values(value).map(cell).join('/');
  return String(value).replace(UNPRINTABLE, '?');
};

const columnsOf = (rows: readonly Row[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
];

const tableOf = (rows: readonly Row[]): string => {
  const columns = columnsOf(rows);
  const lines = [
    columns.map((name) => name.replaceAll('_', ' ').toUpperCase()),
    ...rows.map((row) => columns.map((name) => cell(row[name]))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
};

/** A table for people, or a JSON object per line for scripts, which of nothing is nothing. */
export const printed = ({ rows, none }: Answer, json: boolean): string => {
  if (json) return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return `${rows.length > 0 ? tableOf(rows) : none}\n`;
};
