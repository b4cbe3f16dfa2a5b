import type { Tool } from '#ports/tool.ts';
import { askUser } from './ask-user.ts';
import { dataModify } from './data-modify.ts';
import { dataQuery } from './data-query.ts';
import { deleteNotes } from './delete-notes.ts';
import { describeTable } from './describe-table.ts';
import { listTables } from './list-tables.ts';
import { ownTools } from './own/index.ts';
import { readNotes } from './read-notes.ts';
import { writeNote } from './write-note.ts';

/** Every tool, by the name the model calls it: its file's, with underscores. */
export const tools: Readonly<Record<string, Tool>> = {
  ask_user: askUser,
  data_modify: dataModify,
  data_query: dataQuery,
  delete_notes: deleteNotes,
  describe_table: describeTable,
  list_tables: listTables,
  read_notes: readNotes,
  write_note: writeNote,
  ...ownTools,
};
