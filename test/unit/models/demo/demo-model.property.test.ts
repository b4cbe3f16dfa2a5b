import fc from 'fast-check';
import { loadModule, parseSync } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { answered, OFFICE, revised, SHOP, type Tables, talk } from './talk.ts';

beforeAll(() => loadModule());

/** Everything a parsed statement names. */
interface Named {
  readonly tables: string[];
  readonly columns: string[];
  readonly functions: string[];
  readonly texts: string[];
}
const namedIn = (node: unknown, found: Named): Named => {
  if (typeof node !== 'object' || node === null) return found;
  for (const [key, value] of Object.entries(node)) {
    const words = (list: { String?: { sval: string } }[]) =>
      list.map((one) => one.String?.sval ?? '*');
    if (key === 'relation' || key === 'RangeVar')
      found.tables.push([value.schemaname, value.relname].filter(Boolean).join('.'));
    else if (key === 'ColumnRef') found.columns.push(...words(value.fields));
    else if (key === 'ResTarget' && value.name) found.columns.push(value.name);
    else if (key === 'FuncCall') found.functions.push(words(value.funcname).join('.'));
    else if (key === 'A_Const' && value.sval) found.texts.push(value.sval.sval ?? '');
    namedIn(value, found);
  }
  return found;
};
const parsed = (sql: string): Named => {
  const { stmts } = parseSync(sql);
  expect(stmts, sql).toHaveLength(1);
  const [[kind = '', body] = []] = [Object.entries(stmts?.[0]?.stmt ?? {})[0] ?? []];
  expect(['SelectStmt', 'DeleteStmt', 'UpdateStmt', 'InsertStmt']).toContain(kind);
  return namedIn(body, { tables: [], columns: [], functions: [], texts: [] });
};

const plain = (table: string) => table.replaceAll('"', '');
const checkSql = (sql: string, tables: Tables) => {
  const named = parsed(sql);
  expect(named.tables.length).toBeGreaterThan(0);
  const [table = ''] = named.tables;
  expect(new Set(named.tables)).toEqual(new Set([table]));
  const [, known] = Object.entries(tables).find(([name]) => plain(name) === table) ?? [];
  expect(known, sql).toBeDefined();
  const columns = [...Object.keys(known?.columns ?? {}), '*', 'ctid'];
  for (const column of named.columns) expect(columns, sql).toContain(column);
  for (const name of named.functions)
    expect(['count', 'now', 'date_trunc'], sql).toContain(name.replace('pg_catalog.', ''));
};

const sqlOf = ({ calls }: { calls: readonly { input: { readonly [name: string]: unknown } }[] }) =>
  calls.map(({ input }) => input['sql']).filter((sql) => typeof sql === 'string');

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^['"\\;\-/*$%_ \n]{0,12}$/),
);

describe('values', () => {
  it('come out of the statement as they went in, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (value) => {
        const text = value.toWellFormed().replaceAll('\0', '');
        const world = talk(
          SHOP,
          `把 customers 里 name='${text.replaceAll("'", "''")}' 的 city 改一下`,
        );
        await world.think();
        const [sql = ''] = sqlOf(await world.reply(answered(`"${text}"`)));
        expect(sql).toMatch(/^UPDATE customers SET city = /);
        const { texts } = parsed(sql);
        expect(texts).toEqual([text, text]);
      }),
      { numRuns: 300 },
    );
  });

  it('stay inside their quotes when they come unquoted, in a wish or as a pattern', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.constantFrom('=', ' is ', '改成'), async (value, op) => {
        for (const sentence of [
          `删除 customers 里 city${op}${value}`,
          `update customers set city${op}${value} where id = 1`,
        ]) {
          const world = talk(SHOP, sentence);
          for (const sql of sqlOf(await world.think())) checkSql(sql, SHOP);
          for (const sql of sqlOf(await world.reply(revised(`name${op}${value}`))))
            checkSql(sql, SHOP);
        }
      }),
      { numRuns: 200 },
    );
  });
});

const WORDS =
  '删除 清空 把 改成 更新 多少 统计 列出 新增 记 笔记 所有 且 或 ， 的 里 表 前 条 按 倒序 上个月 最近7天 30天前 是 不是 大于 >= 包含 为空 ' +
  'delete update set to where count how many list insert into values ( ) add note and or then ; last month first top by in between is not null 1 2.5 -3 1,000 1万 2026-01-05 before 元 ' +
  "'x' \"y\" “z” o'k *";
const BEGINNINGS = ['删除', '把', '更新', 'update', '统计', 'list', '新增', 'insert into', ''];
const OPERATORS = '=|是| is | 改成 | to |>=| 不是 | in (| '.split('|');
const VALUES = "1|2.5|-3|'x'|“z”|abc|上海|o'k|2026-01-05|1,000|空|今天".split('|');
const JOINTS = '且|或| and | or |，| where | set | 的 |；| then '.split('|');

/** Half-sensible sentences, with any word of the grammar or strange text somewhere. */
const sentences = (tables: Tables) => {
  const wild = fc.oneof(
    { weight: 8, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: fc.constantFrom(...WORDS.split(' ')) },
    { weight: 1, arbitrary: anyText },
  );
  return fc.constantFrom(...Object.entries(tables)).chain(([table, { columns }]) => {
    const condition = fc.tuple(
      fc.constantFrom(...Object.keys(columns)),
      fc.constantFrom(...OPERATORS),
      fc.constantFrom(...VALUES),
      fc.constantFrom(...JOINTS),
    );
    return fc
      .tuple(
        fc.constantFrom(...BEGINNINGS),
        fc.constant(` ${plain(table)} `),
        wild,
        fc.constant(' '),
        fc.array(condition, { maxLength: 3 }).map((all) => all.flat().join('')),
        wild,
      )
      .map((parts) => parts.join(''));
  });
};

describe.each([
  ['a shop', SHOP],
  ['an office', OFFICE],
] as const)('any sentence about %s', (_, tables) => {
  it('ends in words or in calls whose SQL names only what is there', async () => {
    let statements = 0;
    await fc.assert(
      fc.asyncProperty(sentences(tables), sentences(tables), async (text, wish) => {
        const world = talk(tables, text);
        const first = await world.think();
        const second =
          first.calls.length > 0 ? await world.reply(revised(wish), answered('1')) : first;
        for (const sql of [...sqlOf(first), ...sqlOf(second)]) {
          statements += 1;
          checkSql(sql, tables);
        }
        for (const thought of [first, second])
          expect(thought.calls.length > 0 || thought.text.trim() !== '').toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(statements, 'the sentences are too wild to test anything').toBeGreaterThan(40);
  }, 30_000);
});

it('reads a very long message as fast as a short one', async () => {
  for (const text of [
    '“'.repeat(100_000),
    '删除 orders 里 '.repeat(20_000),
    `记：${'，再'.repeat(2_400)}`,
  ])
    expect((await talk(SHOP, text).think()).calls.length).toBeLessThan(2);
});
