import type { Period } from './periods.ts';
import { type Column, isBoolean, isNumeric, isTime, type Table } from './schema.ts';
import type { Value } from './tokens.ts';

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type Predicate = { readonly column: string } & (
  | { readonly op: Comparison; readonly literals: readonly string[] }
  | { readonly op: 'on-day'; readonly literal: string }
  | { readonly op: 'null' | 'not-null' }
  | { readonly op: 'period'; readonly period: Period }
);
/** Any of these, each all of its own. None at all means every row. */
export type Where = readonly (readonly Predicate[])[];
export interface Assignment {
  readonly column: string;
  /** Missing until somebody says what it shall be. */
  readonly literal?: string | undefined;
}

/** A request to the database, in a form that a later wish can be merged into. */
export interface Statement {
  readonly kind: 'count' | 'list' | 'delete' | 'update' | 'insert';
  readonly table: Table;
  readonly where: Where;
  /** Every row was asked for in so many words. */
  readonly all: boolean;
  readonly set: readonly Assignment[];
  readonly columns: readonly string[];
  readonly by?: { readonly column: string; readonly descending?: boolean } | undefined;
  readonly limit?: number | undefined;
  readonly latest: boolean;
}

/** Longer lists are not asked for: the result has to reach the model whole. */
export const LIST_LIMIT = 100;

/** PostgreSQL's reserved words: as names they need quotes. */
const RESERVED = new Set(
  (
    'all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation ' +
    'column concurrently constraint create cross current_catalog current_date current_role current_schema current_time ' +
    'current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze ' +
    'from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit ' +
    'localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references ' +
    'returning right select session_user similar some symmetric system_user table tablesample then to trailing true ' +
    'union unique user using variadic verbose when where window with'
  ).split(' '),
);

export const identifier = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`;

const PART = '(?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+")';
const QUALIFIED = new RegExp(`^${PART}\\.${PART}$|^"(?:[^"]|"")+"$`);
/** A table's name comes in SQL's own form where it is quoted or has its schema with it. */
const tableSql = ({ name }: Table): string => (QUALIFIED.test(name) ? name : identifier(name));

const textLiteral = (text: string): string =>
  `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;

const TRUTHS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  1: 'true',
  是: 'true',
  真: 'true',
  false: 'false',
  no: 'false',
  0: 'false',
  否: 'false',
  假: 'false',
};

/** What a person wrote, as SQL of the column's type; `undefined` where it does not fit. Text never leaves its quotes. */
export const literalFor = (column: Column, value: Value, unit?: 'yuan'): string | undefined => {
  const text = value.text.trim();
  if (isNumeric(column)) {
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) return undefined;
    const inFen = unit === 'yuan' && /_(?:fen|cents)$/.test(column.name);
    return inFen ? String(Math.round(Number(text) * 100)) : text;
  }
  if (isBoolean(column)) return TRUTHS[text.toLowerCase()];
  if (isTime(column)) {
    if (/^(?:now|现在)$/i.test(text)) return 'now()';
    return /^\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?$/.test(text)
      ? textLiteral(text)
      : undefined;
  }
  return textLiteral(value.text);
};

const periodSql = (column: string, period: Period): string => {
  if (period.kind !== 'calendar') {
    const sign = period.kind === 'last' ? '>=' : '<';
    return `${column} ${sign} now() - interval '${period.count} ${period.unit}${period.count === 1 ? '' : 's'}'`;
  }
  const { unit, offset } = period;
  const edge = (shift: number) => {
    const start = `date_trunc('${unit}', now())`;
    if (shift === 0) return start;
    return `${start} ${shift < 0 ? '-' : '+'} interval '${Math.abs(shift)} ${unit}${Math.abs(shift) === 1 ? '' : 's'}'`;
  };
  return `${column} >= ${edge(offset)} AND ${column} < ${edge(offset + 1)}`;
};

const predicateSql = (predicate: Predicate): string => {
  const column = identifier(predicate.column);
  switch (predicate.op) {
    case 'null':
      return `${column} IS NULL`;
    case 'not-null':
      return `${column} IS NOT NULL`;
    case 'on-day':
      return `${column} >= DATE ${predicate.literal} AND ${column} < DATE ${predicate.literal} + 1`;
    case 'period':
      return periodSql(column, predicate.period);
    default: {
      const { op, literals } = predicate;
      if (literals.length === 1) return `${column} ${op} ${literals[0]}`;
      return `${column} ${op === '=' ? 'IN' : 'NOT IN'} (${literals.join(', ')})`;
    }
  }
};

export const whereSql = (where: Where): string =>
  where
    .map((all) => all.map(predicateSql).join(' AND '))
    .map((all) => (where.length > 1 && all.includes(' AND ') ? `(${all})` : all))
    .join(' OR ');

export const sqlOf = (statement: Statement): string => {
  const { kind, table, where, set } = statement;
  const from = tableSql(table);
  const filter = where.length > 0 ? ` WHERE ${whereSql(where)}` : '';
  const literals = set.map(({ literal = 'NULL' }) => literal);
  const targets = set.map(({ column }) => identifier(column));
  switch (kind) {
    case 'count':
      return countSql(statement, from, filter);
    case 'list': {
      const columns = statement.columns.map(identifier).join(', ') || '*';
      const limit = statement.limit ?? LIST_LIMIT;
      return `SELECT ${columns} FROM ${from}${filter}${orderSql(statement)} LIMIT ${limit}`;
    }
    case 'delete':
      return `DELETE FROM ${from}${limited(statement, from, filter)}`;
    case 'update': {
      const changes = targets.map((target, index) => `${target} = ${literals[index]}`).join(', ');
      return `UPDATE ${from} SET ${changes}${limited(statement, from, filter)}`;
    }
    case 'insert':
      return `INSERT INTO ${from} (${targets.join(', ')}) VALUES (${literals.join(', ')})`;
    default:
      return kind satisfies never;
  }
};

const countSql = ({ by }: Statement, from: string, filter: string): string => {
  if (!by) return `SELECT count(*) FROM ${from}${filter}`;
  const column = identifier(by.column);
  return `SELECT ${column}, count(*) FROM ${from}${filter} GROUP BY ${column} ORDER BY ${column}`;
};

const orderSql = ({ by, latest, table, limit }: Statement): string => {
  const time = latest && limit !== undefined ? table.columns?.find(isTime) : undefined;
  const column = by?.column ?? time?.name;
  if (column === undefined) return '';
  return ` ORDER BY ${identifier(column)}${(by ? by.descending : true) ? ' DESC' : ''}`;
};

/** PostgreSQL changes no "first ten rows": they are chosen by their key, or by where they lie. */
const limited = (statement: Statement, from: string, filter: string): string => {
  const { limit, table } = statement;
  if (limit === undefined) return filter;
  const key = table.columns?.some(({ name }) => name === 'id') ? 'id' : 'ctid';
  const order = orderSql(statement) || ` ORDER BY ${key}`;
  return ` WHERE ${key} IN (SELECT ${key} FROM ${from}${filter}${order} LIMIT ${limit})`;
};
