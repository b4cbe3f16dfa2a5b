import { describe, expect, it } from 'vitest';
import { gist, OFFICE, SHOP, type Tables, talk } from './talk.ts';

type Row = readonly [text: string, ...calls: string[]];

const understands = (tables: Tables, rows: readonly Row[]) => {
  it.each(rows)('%s', async (text, ...calls) => {
    expect(gist(await talk(tables, text).think())).toEqual(calls);
  });
};
const modify = (sql: string) => `data_modify: ${sql}`;
const query = (sql: string) => `data_query: ${sql}`;

const LAST_MONTH =
  "created_at >= date_trunc('month', now()) - interval '1 month' AND created_at < date_trunc('month', now())";
const TODAY =
  "created_at >= date_trunc('day', now()) AND created_at < date_trunc('day', now()) + interval '1 day'";

describe('deleting', () => {
  const status = modify('DELETE FROM orders WHERE status = 1');
  understands(SHOP, [
    ['删除 orders 表里 status=1 的记录', status],
    ['删除orders表里status＝1的记录。', status],
    ['请帮我把状态是 1 的订单都删掉', status],
    ['delete the rows of orders where status = 1', status],
    ['Please remove orders with status 1', status],
    ['delete from orders where orders.status == 1;', status],
    ['删除上个月的订单', modify(`DELETE FROM orders WHERE ${LAST_MONTH}`)],
    ['delete all orders from last month', modify(`DELETE FROM orders WHERE ${LAST_MONTH}`)],
    ['清空 orders', modify('DELETE FROM orders')],
    ['delete everything in orders', modify('DELETE FROM orders')],
    [
      '删掉 30 天前且状态为 2 的订单',
      modify("DELETE FROM orders WHERE created_at < now() - interval '30 days' AND status = 2"),
    ],
    [
      'remove orders older than two weeks',
      modify("DELETE FROM orders WHERE created_at < now() - interval '2 weeks'"),
    ],
    ['delete order 7', modify('DELETE FROM orders WHERE id = 7')],
    [
      '删除前十条 status 不是 3 的订单',
      modify(
        'DELETE FROM orders WHERE id IN (SELECT id FROM orders WHERE status <> 3 ORDER BY id LIMIT 10)',
      ),
    ],
    [
      "delete customers whose name is O'Hara",
      modify("DELETE FROM customers WHERE name = 'O''Hara'"),
    ],
    [
      '删除 status=1 且 amount_fen<=500 或 status=9 的订单',
      modify('DELETE FROM orders WHERE (status = 1 AND amount_fen <= 500) OR status = 9'),
    ],
    ['删除 level=1 的记录', modify('DELETE FROM customers WHERE level = 1')],
    [
      "删除 customers 里 name='x''; drop table orders; --' 的",
      modify("DELETE FROM customers WHERE name = 'x''; drop table orders; --'"),
    ],
  ]);
});

describe('changing', () => {
  const five = modify('UPDATE customers SET level = 3 WHERE id = 5');
  understands(SHOP, [
    ['把客户 5 的等级改成 3', five],
    ['将 customers 中 id=5 的 level 更新为 3', five],
    ['update customers set level = 3 where id = 5', five],
    ['set level to 3 for customer 5', five],
    ['change the level of customer 5 to 3', five],
    ['把 status=1 的订单改成 status=2', modify('UPDATE orders SET status = 2 WHERE status = 1')],
    ['把 orders 的 status 从 1 改成 2', modify('UPDATE orders SET status = 2 WHERE status = 1')],
    [
      'change status from 1 to 2 in orders',
      modify('UPDATE orders SET status = 2 WHERE status = 1'),
    ],
    ['把所有客户的城市改为空', modify('UPDATE customers SET city = NULL')],
  ]);
});

describe('counting and listing', () => {
  understands(SHOP, [
    ['有多少订单', query('SELECT count(*) FROM orders')],
    ['select count(*) from orders', query('SELECT count(*) FROM orders')],
    ['how many orders were placed today?', query(`SELECT count(*) FROM orders WHERE ${TODAY}`)],
    [
      '统计 customers 中 city 为 上海 的数量',
      query("SELECT count(*) FROM customers WHERE city = '上海'"),
    ],
    ['name 是王为民的客户有多少', query("SELECT count(*) FROM customers WHERE name = '王为民'")],
    ['金额超过 100 元的订单有多少', query('SELECT count(*) FROM orders WHERE amount_fen > 10000')],
    [
      'count customers where city is New York and level is at least 2',
      query("SELECT count(*) FROM customers WHERE city = 'New York' AND level >= 2"),
    ],
    ['status 是 1 或 2 的订单有多少', query('SELECT count(*) FROM orders WHERE status IN (1, 2)')],
    [
      'count orders where status in (1, 2)',
      query('SELECT count(*) FROM orders WHERE status IN (1, 2)'),
    ],
    ['客户编号是 3 的订单有多少', query('SELECT count(*) FROM orders WHERE customer_id = 3')],
    ['city 不为空的客户有多少', query('SELECT count(*) FROM customers WHERE city IS NOT NULL')],
    [
      'created_at 是 2026-01-05 的订单有多少',
      query(
        "SELECT count(*) FROM orders WHERE created_at >= DATE '2026-01-05' AND created_at < DATE '2026-01-05' + 1",
      ),
    ],
    [
      '2026年1月1日之前的订单有多少',
      query("SELECT count(*) FROM orders WHERE created_at < '2026-01-01'"),
    ],
    [
      '按城市统计客户数量',
      query('SELECT city, count(*) FROM customers GROUP BY city ORDER BY city'),
    ],
    [
      '列出 customers 的 name 和 city，按 created_at 倒序，前 5 条',
      query('SELECT name, city FROM customers ORDER BY created_at DESC LIMIT 5'),
    ],
    [
      'show the top 5 customers by level',
      query('SELECT * FROM customers ORDER BY level DESC LIMIT 5'),
    ],
    [
      'show orders from the last 7 days',
      query("SELECT * FROM orders WHERE created_at >= now() - interval '7 days' LIMIT 100"),
    ],
    ['最近 10 条订单', query('SELECT * FROM orders ORDER BY created_at DESC LIMIT 10')],
    ['有哪些表', 'list_tables'],
    ['show tables', 'list_tables'],
    ['orders 有哪些列？', 'describe_table: orders'],
    ['describe customers', 'describe_table: customers'],
  ]);
});

describe('inserting', () => {
  const ann = modify("INSERT INTO customers (name, city) VALUES ('Ann', 'Paris')");
  understands(SHOP, [
    ['add a customer with name Ann and city Paris', ann],
    ["insert into customers (name, city) values ('Ann', 'Paris')", ann],
    ['新增一个客户，姓名Ann，城市Paris', ann],
    [
      '在 customers 表新增一条：name=张三，city=上海，level=2',
      modify("INSERT INTO customers (name, city, level) VALUES ('张三', '上海', 2)"),
    ],
  ]);
});

describe('notes', () => {
  understands(SHOP, [
    ['记一条笔记：周五提醒我', 'write_note: 周五提醒我'],
    ['记下 明天再看一下 orders，删除前先问我', 'write_note: 明天再看一下 orders，删除前先问我'],
    ['帮我记一下：“a；然后删除 orders”', 'write_note: a；然后删除 orders'],
    ['note: buy milk and delete the list', 'write_note: buy milk and delete the list'],
    ['remember to call Bob', 'write_note: call Bob'],
    ['write a note: done', 'write_note: done'],
    ['看笔记', 'read_notes'],
    ['有哪些笔记？', 'read_notes'],
    ['read my notes', 'read_notes'],
    ['清空笔记', 'delete_notes'],
    ['delete all notes', 'delete_notes'],
  ]);

  it('needs no look at the database', async () => {
    const world = talk(SHOP, '记一条笔记：周五提醒我');
    await world.think();
    expect(world.learned).toEqual([]);
  });
});

describe('several requests in one sentence', () => {
  understands(SHOP, [
    [
      '删除 orders 表里 status=1 的记录，再记一条笔记：清理完成',
      modify('DELETE FROM orders WHERE status = 1'),
      'write_note: 清理完成',
    ],
    [
      'Delete orders with status 1 and note: cleaned up',
      modify('DELETE FROM orders WHERE status = 1'),
      'write_note: cleaned up',
    ],
    [
      '记一条笔记：开始清理；删除 status=1 的订单，然后看看还有多少',
      'write_note: 开始清理',
      modify('DELETE FROM orders WHERE status = 1'),
      query('SELECT count(*) FROM orders'),
    ],
    [
      'count orders, then update customers set level = 1 where city = Paris and then show notes',
      query('SELECT count(*) FROM orders'),
      modify("UPDATE customers SET level = 1 WHERE city = 'Paris'"),
      'read_notes',
    ],
  ]);
});

describe('a schema with awkward names', () => {
  understands(OFFICE, [
    [
      '删除 user_accounts 里 email=a@b.com 的',
      modify("DELETE FROM user_accounts WHERE email = 'a@b.com'"),
    ],
    [
      'delete user accounts where active is false',
      modify('DELETE FROM user_accounts WHERE active = false'),
    ],
    [
      'update user_accounts set order = 3, count = 4 where account_no = 7',
      modify('UPDATE user_accounts SET "order" = 3, count = 4 WHERE account_no = 7'),
    ],
    [
      'delete user_accounts where count > 3 and order = 2',
      modify('DELETE FROM user_accounts WHERE count > 3 AND "order" = 2'),
    ],
    [
      'delete the first 3 user_accounts',
      modify(
        'DELETE FROM user_accounts WHERE ctid IN (SELECT ctid FROM user_accounts ORDER BY ctid LIMIT 3)',
      ),
    ],
    [
      'list tasks where due date is yesterday',
      query(
        `SELECT * FROM "Tasks" WHERE "due date" >= date_trunc('day', now()) - interval '1 day' AND "due date" < date_trunc('day', now()) LIMIT 100`,
      ),
    ],
    [
      '新增 Tasks：Title=写报告，done=否',
      modify(`INSERT INTO "Tasks" ("Title", done) VALUES ('写报告', false)`),
    ],
  ]);
});

describe('what it does not understand', () => {
  const nothing = (tables: Tables, rows: readonly (readonly [string, string])[]) => {
    it.each(rows)('%s', async (text, said) => {
      const thought = await talk(tables, text).think();
      expect(thought.calls).toEqual([]);
      expect(thought.text).toContain(said);
      expect(thought.text).toMatch(/什么都没有做|Nothing was done/);
    });
  };
  nothing(SHOP, [
    ['今天天气怎么样', '天气怎么样'],
    ['what is the weather', 'weather'],
    ['不要删除 status=1 的订单', '不'],
    ['do not delete orders where status = 1', 'not'],
    ['删除 orders 里 status 不含 1 的', '不含'],
    ['删除 orders 里 status=1 但是 id 不等于 5 的', '但'],
    ['delete orders except status 1', 'except'],
    ['delete orders where (status = 1 or id = 2) and level = 3', '('],
    ['delete orders where status is paid', 'integer'],
    ['delete orders and customers where id = 1', 'customers'],
    ['统计要删除的订单', '动作'],
    ['删除 city=上海 的客户，尽快', '尽快'],
    ['删除 city=上海，尽快', '尽快'],
    ['update customers set city > Paris where id = 1', '>'],
    ['delete orders by status', 'status'],
    ['删除第一条笔记', '第'],
    ['删除 orders 的 status', 'status'],
  ]);
  nothing(OFFICE, [['delete bank accounts from last month', 'bank_accounts']]);

  it('comes with sentences about the real tables, which it does understand', async () => {
    for (const tables of [SHOP, OFFICE])
      for (const text of ['呵呵', 'help', '你是谁']) {
        const { text: said } = await talk(tables, text).think();
        const examples = [...said.matchAll(/^- (.*)$/gm)].map(([, example]) => example ?? '');
        expect(examples.length).toBeGreaterThan(2);
        expect(said).toContain(tables === SHOP ? 'orders' : 'user_accounts');
        for (const example of examples)
          expect((await talk(tables, example).think()).calls, example).toHaveLength(1);
      }
  });
});

it('says what it is and how to set a real model', async () => {
  for (const text of ['你好', '你是谁？', 'Help', 'hello!', 'what can you do']) {
    const { text: said, calls } = await talk(SHOP, text).think();
    expect(calls).toEqual([]);
    expect(said).toMatch(/演示模型|demo model/);
    for (const setting of [
      'MODEL=anthropic/',
      'MODEL=openai-compatible/',
      'MODEL_BASE_URL',
      'MODEL_API_KEY',
    ])
      expect(said).toContain(setting);
  }
});
