import * as z from 'zod';
import type { ModelMessage } from '#ports/model.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}
export interface Table {
  /** As SQL has it: `orders`, `sales.orders`, `"Tasks"`. */
  readonly name: string;
  /** An estimate. */
  readonly rows: number | null;
  /** Unknown until the table was described. */
  readonly columns?: readonly Column[];
}
export interface Schema {
  /** Whether all tables are known. */
  readonly listed: boolean;
  readonly tables: readonly Table[];
}

export const LISTED = z.object({
  tables: z.array(z.object({ name: z.string(), rows: z.number().nullable().catch(null) })),
});
export const DESCRIBED = z.object({
  table: z.string(),
  columns: z.array(
    z.object({ name: z.string(), type: z.string(), nullable: z.boolean().catch(true) }),
  ),
});

/** `undefined` also for text that is no JSON: a long result reaches a model cut. */
export const parseResult = <T>(shape: z.ZodType<T>, text: string): T | undefined => {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** All that the conversation has told of the database so far, the newest last. */
export const learnSchema = (messages: readonly ModelMessage[]): Schema => {
  let known: Schema = { listed: false, tables: [] };
  for (const message of messages) {
    if (message.role !== 'result' || message.outcome !== 'done') continue;
    if (message.call.tool === 'list_tables') known = withTables(known, message.text);
    if (message.call.tool === 'describe_table') known = withColumns(known, message.text);
  }
  return known;
};

const withTables = (known: Schema, text: string): Schema => {
  const found = parseResult(LISTED, text);
  if (!found) return known;
  const columnsOf = (name: string) => known.tables.find((table) => table.name === name)?.columns;
  return {
    listed: true,
    tables: found.tables.map((table) => {
      const columns = columnsOf(table.name);
      return { ...table, ...(columns && { columns }) };
    }),
  };
};

const withColumns = (known: Schema, text: string): Schema => {
  const found = parseResult(DESCRIBED, text);
  if (!found) return known;
  const { table: name, columns } = found;
  const table = known.tables.find((one) => one.name === name) ?? { name, rows: null };
  const others = known.tables.filter((one) => one.name !== name);
  const position = known.tables.findIndex((one) => one.name === name);
  return {
    ...known,
    tables: others.toSpliced(position < 0 ? others.length : position, 0, { ...table, columns }),
  };
};

const NUMERIC = /^(?:(?:small|big)?(?:int|serial)|numeric|decimal|real|double|float)/i;
const TIME = /^(?:timestamp|date)/i;

export const isNumeric = ({ type }: Column) => NUMERIC.test(type);
export const isTime = ({ type }: Column) => TIME.test(type);
export const isBoolean = ({ type }: Column) => /^bool/i.test(type);

/** The column a bare "last month" speaks of. */
export const timeColumnOf = ({ columns = [] }: Table): Column | undefined => {
  const times = columns.filter(isTime);
  return times.find(({ name }) => /^creat/i.test(name)) ?? times[0];
};

/** `sales."Tasks"` → Tasks: what a person calls it. */
export const plainName = (table: string): string =>
  /(?:"((?:[^"]|"")*)"|[^."]+)$/
    .exec(table)
    ?.slice(0, 2)
    .findLast(Boolean)
    ?.replaceAll('""', '"') ?? table;

export const columnNamed = (table: Table, name: string): Column | undefined =>
  table.columns?.find((column) => column.name === name);
