import type { Phrases } from './phrases.ts';
import { type Column, isNumeric, isTime, type Schema, type Table } from './schema.ts';

/** Sentences that the grammar is sure to understand, about the tables that are really there. */
export const examplesFor = (
  schema: Schema,
  offered: ReadonlySet<string>,
  { example }: Phrases,
): readonly string[] => {
  const table = busiest(schema);
  const column = table && tellingColumn(table);
  const about =
    table && column
      ? { table: table.name, condition: `${column.name}=${sample(column)}` }
      : undefined;
  const examples: string[] = [];
  if (about && offered.has('data_query'))
    examples.push(example.count(about.table, about.condition));
  if (about && offered.has('data_modify'))
    examples.push(example.remove(about.table, about.condition));
  if (
    table &&
    column &&
    offered.has('data_modify') &&
    table.columns?.some(({ name }) => name === 'id')
  )
    examples.push(example.change(table.name, column.name, sample(column, 2)));
  if (offered.has('write_note')) examples.push(example.note);
  return examples;
};

export const busiest = ({ tables }: Schema): Table | undefined =>
  tables.reduce<Table | undefined>(
    (most, table) => (most === undefined || (table.rows ?? 0) > (most.rows ?? 0) ? table : most),
    undefined,
  );

const sample = (column: Column, number = 1): string =>
  isNumeric(column) ? String(number) : "'abc'";

const tellingColumn = ({ columns = [] }: Table): Column | undefined => {
  const telling = columns.filter(
    (column) => !isTime(column) && !/(?:^|_)id$/i.test(column.name) && /^\w+$/.test(column.name),
  );
  const plain = telling.filter((column) => isNumeric(column) || /char|text/i.test(column.type));
  return plain.find(({ name }) => /^(?:status|state|level|type)$/.test(name)) ?? plain[0];
};
