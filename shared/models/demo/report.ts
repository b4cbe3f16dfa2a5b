import * as z from 'zod';
import type { Outcome, ToolCall } from '#domain/conversation.ts';
import type { Phrases } from './phrases.ts';
import { DESCRIBED, LISTED, parseResult } from './schema.ts';
import { LIST_LIMIT } from './statement.ts';

export interface Settled {
  readonly call: ToolCall;
  readonly outcome: Outcome;
  readonly text: string;
}

const ROWS_SHOWN = 20;
const CELL_CHARACTERS = 60;
const TEXT_CHARACTERS = 600;

export const cut = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
};

const whatOf = ({ tool, input }: ToolCall): string => {
  const said = input['sql'] ?? input['text'];
  return typeof said === 'string' ? cut(said.replace(/\s+/gu, ' '), 200) : tool;
};

/** What became of a call, in honest words: nothing is called done that was not. */
export const report = ({ call, outcome, text }: Settled, phrases: Phrases): string => {
  const what = whatOf(call);
  switch (outcome) {
    case 'done':
      return reportDone(call, text, phrases) ?? phrases.done(what, cut(text, TEXT_CHARACTERS));
    case 'failed':
      return phrases.failed(what, cut(text, TEXT_CHARACTERS));
    case 'unknown':
      return phrases.unknown(what);
    case 'declined':
    case 'timeout':
    case 'stopped':
    case 'refused':
      return phrases.notRun(outcome, what, cut(reasonIn(text), TEXT_CHARACTERS));
    case 'revised':
    case 'answered':
      return cut(text, TEXT_CHARACTERS);
    default:
      return outcome satisfies never;
  }
};

/** "Not run: declined by …: too many" → "too many"; the rest is in the sentence already. */
const reasonIn = (text: string): string =>
  /^(?:Not run: (?:declined|stopped)(?: by \S+)?|Refused|Operation cancelled \(timeout\))(?:: ([\s\S]*))?$/.exec(
    text,
  )?.[1] ?? '';

const reportDone = (call: ToolCall, text: string, phrases: Phrases): string | undefined => {
  switch (call.tool) {
    case 'list_tables': {
      const found = parseResult(LISTED, text);
      return found && phrases.tables(found.tables);
    }
    case 'describe_table': {
      const found = parseResult(DESCRIBED, text);
      return (
        found &&
        phrases.columns(
          found.table,
          found.columns.map(({ name, type }) => `${name} (${type})`),
        )
      );
    }
    case 'data_query': {
      const found = parseResult(ROWS, text);
      return found && reportRows(found, String(call.input['sql']), phrases);
    }
    case 'data_modify': {
      const found = parseResult(CHANGED, text);
      return found && phrases.changed(found.command, found.rows);
    }
    case 'write_note':
      return phrases.noted(whatOf(call));
    case 'read_notes': {
      const found = parseResult(NOTES, text);
      return found && phrases.notes(found.notes);
    }
    case 'delete_notes': {
      const found = parseResult(DELETED, text);
      return found && phrases.notesDeleted(found.deleted);
    }
    default:
      return undefined;
  }
};

const ROWS = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.unknown())),
  rowCount: z.number(),
  truncated: z.boolean(),
});
const CHANGED = z.object({ command: z.string(), rows: z.number() });
const NOTES = z.object({ notes: z.array(z.string()) });
const DELETED = z.object({ deleted: z.number() });

const reportRows = (
  { columns, rows, rowCount, truncated }: z.infer<typeof ROWS>,
  sql: string,
  phrases: Phrases,
): string => {
  if (sql.startsWith('SELECT count(*)')) return phrases.count(cell(rows[0]?.[0]));
  if (rows.length === 0) return phrases.noRows;
  const lines = rows.slice(0, ROWS_SHOWN).map((row) => row.map(cell).join(' | '));
  const left = rowCount - lines.length;
  const limited = rowCount === LIST_LIMIT && sql.endsWith(` LIMIT ${LIST_LIMIT}`);
  const more = left > 0 ? [phrases.moreRows(left, truncated || limited)] : [];
  return [columns.join(' | '), ...lines, ...more].join('\n');
};

const cell = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return cut(text.replace(/\s+/gu, ' '), CELL_CHARACTERS);
};
