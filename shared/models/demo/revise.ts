import { kindOf, lastOfEach } from './build.ts';
import { comparisonWith, type Draft } from './draft.ts';
import { columnNamed } from './schema.ts';
import {
  type Assignment,
  literalFor,
  type Predicate,
  type Statement,
  type Where,
} from './statement.ts';

/** A wish ("only last month's") put into the statement it is about; `undefined` where it changes nothing. */
export const reviseStatement = (statement: Statement, draft: Draft): Statement | undefined => {
  if (draft.unclear) return undefined;
  const kind = revisedKind(statement, draft);
  const wishes = kind && sortWishes({ ...statement, kind }, draft);
  if (!wishes) return undefined;
  const { by, limit, latest, top, columns, words } = draft;
  const all = words.has('all') && draft.where.length === 0;
  const where = all ? [] : narrowed(statement.where, wishes.where);
  const named = columns.map(({ name }) => name);
  if (named.length > 0 && kind !== 'list') return undefined;
  const revised: Statement = {
    ...statement,
    kind,
    where,
    all: statement.all || all,
    set: lastOfEach([...statement.set, ...wishes.set]),
    columns: named.length > 0 ? named : statement.columns,
    ...(by && { by: { descending: top, ...by } }),
    ...(limit !== undefined && { limit, latest }),
  };
  return JSON.stringify(revised) === JSON.stringify(statement) ? undefined : revised;
};

/** "Count them first" turns a change into a look; a look never turns into a change. */
const revisedKind = ({ kind }: Statement, draft: Draft): Statement['kind'] | undefined => {
  const { words } = draft;
  if (words.has('count') || words.has('list') || words.has('which')) {
    const wanted = kindOf(draft);
    return kind === 'insert' ? undefined : wanted;
  }
  const said =
    words.has('delete') || words.has('clear') ? 'delete' : words.has('insert') ? 'insert' : kind;
  return said === kind ? kind : undefined;
};

interface Wishes {
  readonly where: Where;
  readonly set: readonly Assignment[];
}

/** `status = 2` is a new value where the statement sets that column, and a condition where it does not. */
const sortWishes = (statement: Statement, draft: Draft): Wishes | undefined => {
  const loose = looseWish(statement, draft);
  if (draft.loose && !loose) return undefined;
  const said = [...draft.set, ...(loose ? [loose] : [])];
  const conditions = said
    .filter(({ column }) => !sets(statement, column))
    .flatMap((one) => asPredicate(statement, one));
  const single = draft.where.length === 1;
  const isValue = (one: Predicate) => single && sets(statement, one.column) && isEquation(one);
  const where = draft.where.map((all) => all.filter((one) => !isValue(one)));
  const narrowing = (where.length > 0 ? where : [[]])
    .map((all) => [...all, ...conditions])
    .filter((all) => all.length > 0);
  if (statement.kind === 'insert' && narrowing.length > 0) return undefined;
  const values = draft.where.flat().filter(isValue).flatMap(asAssignment);
  return {
    where: narrowing,
    set: [...said.filter(({ column }) => sets(statement, column)), ...values],
  };
};

const sets = ({ kind, set }: Statement, column: string): boolean =>
  kind === 'insert' || (kind === 'update' && set.some((one) => one.column === column));

const isEquation = (one: Predicate) => one.op === '=' && one.literals.length === 1;
const asAssignment = (one: Predicate): readonly Assignment[] =>
  one.op === '=' ? [{ column: one.column, literal: one.literals[0] }] : [];
const asPredicate = ({ table }: Statement, { column: name, literal }: Assignment) => {
  const column = columnNamed(table, name);
  return column && literal !== undefined ? [comparisonWith(column, '=', literal)] : [];
};

/** "改成 2" speaks of the one value that is being set, or else of the one that is compared with. */
const looseWish = (statement: Statement, { loose }: Draft): Assignment | undefined => {
  const { kind, table, set, where } = statement;
  const changes = kind === 'update' || kind === 'insert';
  const [only, ...others] = changes ? set : where.flat().filter(isEquation);
  const column = only && others.length === 0 && columnNamed(table, only.column);
  const literal = loose && column ? literalFor(column, loose) : undefined;
  return column && literal !== undefined ? { column: column.name, literal } : undefined;
};

/** New conditions take the place of old ones on the same column. */
const narrowed = (where: Where, wishes: Where): Where => {
  if (wishes.length === 0) return where;
  const columns = new Set(wishes.flat().map(({ column }) => column));
  const kept = where.map((all) => all.filter(({ column }) => !columns.has(column)));
  return (kept.length > 0 ? kept : [[]]).flatMap((all) => wishes.map((wish) => [...all, ...wish]));
};
