import { plainName, type Schema, type Table } from './schema.ts';

/** What a word of a sentence may name. */
export interface Name {
  readonly tables: readonly string[];
  readonly columns: readonly { readonly table: string; readonly column: string }[];
}
export type Names = ReadonlyMap<string, Name>;

/** Words that identifiers are made of, as Chinese speakers call them. */
const CHINESE: Readonly<Record<string, string>> = {
  amount: '金额',
  at: '时间',
  city: '城市',
  created: '创建 下单 注册',
  customer: '客户 顾客',
  date: '日期',
  email: '邮箱',
  id: '编号',
  level: '等级 级别',
  name: '姓名 名字 名称',
  order: '订单',
  price: '价格 单价',
  product: '产品 商品',
  quantity: '件数',
  status: '状态',
  time: '时间',
};
/** A unit or a preposition at the end of a column's name is often left out in speech. */
const LEFT_OUT = new Set(['fen', 'cents', 'at', 'on']);

const singular = (word: string): string => {
  if (/(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies$/, 'y').replace(/(?<=..)s$/, '');
};
const plural = (word: string): string =>
  word.endsWith('y') ? word.replace(/y$/, 'ies') : `${word}s`;

const chineseForms = (words: readonly string[]): readonly string[] =>
  words.reduce<readonly string[]>(
    (forms, word) =>
      (CHINESE[word]?.split(' ') ?? []).flatMap((form) => forms.map((before) => before + form)),
    [''],
  );

/** Every way a name may be written: `user_accounts`, "user accounts", "user account", 用户账户. */
const formsOf = (name: string): readonly string[] => {
  const lower = name.toLowerCase();
  const words = lower.split(/[_\s]+/).filter(Boolean);
  const last = words.at(-1);
  if (last === undefined) return [lower];
  const short = words.length > 1 && LEFT_OUT.has(last) ? [words.slice(0, -1)] : [];
  return [words, ...short]
    .flatMap((parts) => {
      const stems = parts.map(singular);
      const before = parts.slice(0, -1);
      const end = stems.at(-1) ?? '';
      return [
        ...[parts.at(-1) ?? '', end, plural(end)].flatMap((tail) => [
          [...before, tail].join(' '),
          [...before, tail].join('_'),
        ]),
        ...chineseForms(stems),
      ];
    })
    .concat(lower);
};

/** "accounts" for `user_accounts`: a table may go by its last word, which may then mean several. */
const looseFormsOf = (name: string): readonly string[] => {
  const words = name.toLowerCase().split('_');
  return words.length > 1 ? formsOf(words.at(-1) ?? '') : [];
};

export const namesOf = ({ tables }: Schema): Names => {
  const names = new Map<
    string,
    { tables: string[]; columns: { table: string; column: string }[] }
  >();
  const at = (form: string) => {
    const name = names.get(form) ?? { tables: [], columns: [] };
    if (form !== '') names.set(form, name);
    return name;
  };
  const add = <T>(list: T[], one: T, same: (other: T) => boolean) => {
    if (!list.some(same)) list.push(one);
  };
  const addColumn = (form: string, table: string, column: string) =>
    add(at(form).columns, { table, column }, (one) => one.table === table && one.column === column);

  for (const { name } of tables)
    for (const form of [name.toLowerCase(), ...formsOf(plainName(name))])
      add(at(form).tables, name, (one) => one === name);
  for (const { name: table, columns = [] } of tables)
    for (const { name: column } of columns)
      for (const form of [...formsOf(column), `${plainName(table)}.${column}`.toLowerCase()])
        addColumn(form, table, column);
  const exact = new Set(names.keys());
  for (const { name } of tables)
    for (const form of looseFormsOf(plainName(name)))
      if (!exact.has(form)) add(at(form).tables, name, (one) => one === name);
  return names;
};

/** A form that two columns of a table share names neither, unless it is one's very name. */
export const columnOf = (name: Name | undefined, written: string, table: Table) => {
  const here = (name?.columns ?? []).filter((one) => one.table === table.name);
  const exactly = here.find(({ column }) => column.toLowerCase() === written.toLowerCase());
  const one = exactly ?? (here.length === 1 ? here[0] : undefined);
  return one && table.columns?.find((column) => column.name === one.column);
};
