import type { JsonObject } from '#domain/canonical-json.ts';
import { type Statement, sqlOf } from './statement.ts';

export type Request =
  | Statement
  | { readonly kind: 'tables' }
  | { readonly kind: 'describe'; readonly table: string }
  | { readonly kind: 'write-note'; readonly text: string }
  | { readonly kind: 'read-notes' }
  | { readonly kind: 'delete-notes' };

/** Why nothing was made of a text. */
export type Unclear = { readonly kind: 'unclear' } & (
  | {
      readonly problem: 'words' | 'verb' | 'two-tables' | 'change' | 'no-time' | 'no-table';
      readonly text: string;
    }
  | {
      readonly problem: 'value';
      readonly text: string;
      readonly column: string;
      readonly type: string;
    }
);
export const unclear = (problem: Exclude<Unclear['problem'], 'value'>, text: string): Unclear => ({
  kind: 'unclear',
  problem,
  text,
});

export const isStatement = (request: Request): request is Statement => 'where' in request;

export interface Wanted {
  readonly tool: string;
  readonly input: JsonObject;
}

export const callFor = (request: Request): Wanted => {
  switch (request.kind) {
    case 'tables':
      return { tool: 'list_tables', input: {} };
    case 'describe':
      return { tool: 'describe_table', input: { table: request.table } };
    case 'write-note':
      return { tool: 'write_note', input: { text: request.text } };
    case 'read-notes':
      return { tool: 'read_notes', input: {} };
    case 'delete-notes':
      return { tool: 'delete_notes', input: {} };
    case 'count':
    case 'list':
      return { tool: 'data_query', input: { sql: sqlOf(request) } };
    case 'delete':
    case 'update':
    case 'insert':
      return { tool: 'data_modify', input: { sql: sqlOf(request) } };
    default:
      return request satisfies never;
  }
};
