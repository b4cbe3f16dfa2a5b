import { describe, expect, it } from 'vitest';
import type { Outcome } from '#domain/conversation.ts';
import { createDemoModel } from '#models/demo/demo-model.ts';
import { ALL_TOOLS, answered, done, gist, OFFICE, revised, SHOP, settled, talk } from './talk.ts';

const DELETE = '删除 orders 表里 status=1 的记录';
const LAST_MONTH =
  "created_at >= date_trunc('month', now()) - interval '1 month' AND created_at < date_trunc('month', now())";
const modify = (sql: string) => [`data_modify: ${sql}`];

describe('a turn', () => {
  it('looks up the tables, then the columns, then proposes the call, then tells the figures', async () => {
    const world = talk(SHOP, DELETE);
    expect(gist(await world.think())).toEqual(modify('DELETE FROM orders WHERE status = 1'));
    expect(world.learned.map(({ tool, input }) => [tool, input])).toEqual([
      ['list_tables', {}],
      ['describe_table', { table: 'orders' }],
    ]);
    const { text, calls } = await world.reply(done({ command: 'DELETE', rows: 37 }));
    expect(calls).toEqual([]);
    expect(text).toBe('已删除 37 条记录。');
  });

  it('does not look up again what an earlier turn has shown', async () => {
    const world = talk(SHOP, DELETE);
    await world.think();
    await world.reply(done({ command: 'DELETE', rows: 37 }));
    const before = world.learned.length;
    expect(gist(await world.say('orders 里 status=2 的有多少'))).toEqual([
      'data_query: SELECT count(*) FROM orders WHERE status = 2',
    ]);
    expect(world.learned).toHaveLength(before);
    const { text } = await world.reply(
      done({ columns: ['count'], rows: [[5]], rowCount: 1, truncated: false }),
    );
    expect(text).toBe('共 5 条。');
  });

  it('gives the same answer to the same request: a step lost in a crash is made again', async () => {
    const world = talk(SHOP, DELETE);
    await world.think();
    await world.reply(revised('前 10 条'));
    const request = { system: '', messages: world.messages.slice(0, -1), tools: [], deadline: 0 };
    const offered = {
      ...request,
      tools: ALL_TOOLS.map((name) => ({ name, description: '', input: {} })),
    };
    expect(await createDemoModel().think(offered)).toEqual(await createDemoModel().think(offered));
    expect(world.messages.at(-1)).toMatchObject(await createDemoModel().think(offered));
  });

  it('answers in the language it was asked in', async () => {
    const world = talk(SHOP, 'delete orders where status = 1');
    await world.think();
    const { text } = await world.reply(done({ command: 'DELETE', rows: 1 }));
    expect(text).toBe('Deleted 1 row.');
  });

  it('reports each of several requests', async () => {
    const world = talk(
      SHOP,
      '删除 status=1 的订单；统计客户有多少；记一下：完成；看笔记；清空笔记',
    );
    const { calls } = await world.think();
    expect(calls).toHaveLength(5);
    const { text } = await world.reply(
      settled('declined', 'not among those picked'),
      done({ columns: ['count'], rows: [[400]], rowCount: 1, truncated: false }),
      done({ saved: true }),
      done({ notes: ['完成'] }),
      settled('timeout'),
    );
    expect(text.split('\n\n')).toEqual([
      '没有执行（被取消）：DELETE FROM orders WHERE status = 1\nnot among those picked',
      '共 400 条。',
      '已记下：完成',
      '共 1 条笔记：\n1. 完成',
      '没有执行（等待确认超时）：delete_notes',
    ]);
  });
});

describe('a change after the card', () => {
  const rounds: readonly { request: string; changes: readonly (readonly [string, string])[] }[] = [
    {
      request: DELETE,
      changes: [
        ['只删上个月的', `DELETE FROM orders WHERE status = 1 AND ${LAST_MONTH}`],
        ['改成 status=2', `DELETE FROM orders WHERE ${LAST_MONTH} AND status = 2`],
      ],
    },
    {
      request: '把订单里 status=1 的删除',
      changes: [
        ['status=2', 'DELETE FROM orders WHERE status = 2'],
        ['3', 'DELETE FROM orders WHERE status = 3'],
        [
          '前 10 条',
          'DELETE FROM orders WHERE id IN (SELECT id FROM orders WHERE status = 3 ORDER BY id LIMIT 10)',
        ],
      ],
    },
    {
      request: 'delete orders with status 1',
      changes: [
        ['only last month', `DELETE FROM orders WHERE status = 1 AND ${LAST_MONTH}`],
        [
          'and amount_fen > 500',
          `DELETE FROM orders WHERE status = 1 AND ${LAST_MONTH} AND amount_fen > 500`,
        ],
        [
          'status > 3 or id = 4',
          `DELETE FROM orders WHERE (${LAST_MONTH} AND amount_fen > 500 AND status > 3) OR (${LAST_MONTH} AND amount_fen > 500 AND id = 4)`,
        ],
      ],
    },
    {
      request: '把 orders 里 id=5 的 status 改成 2',
      changes: [
        ['改成 3', 'UPDATE orders SET status = 3 WHERE id = 5'],
        ['status=4', 'UPDATE orders SET status = 4 WHERE id = 5'],
        ['id=6', 'UPDATE orders SET status = 4 WHERE id = 6'],
        ['status>1', 'UPDATE orders SET status = 4 WHERE id = 6 AND status > 1'],
      ],
    },
    {
      request: 'add a customer with name Ann',
      changes: [
        ['name Bob', "INSERT INTO customers (name) VALUES ('Bob')"],
        ['city = Paris', "INSERT INTO customers (name, city) VALUES ('Bob', 'Paris')"],
      ],
    },
    {
      request: '删除 orders 里 id=1 的',
      changes: [['删除 customers 里 level=1 的', 'DELETE FROM customers WHERE level = 1']],
    },
  ];
  it.each(rounds)('$request', async ({ request, changes }) => {
    const world = talk(SHOP, request);
    await world.think();
    for (const [feedback, sql] of changes)
      expect(gist(await world.reply(revised(feedback))), feedback).toEqual(modify(sql));
  });

  it('can turn a change into a look, never a look into a change', async () => {
    const world = talk(SHOP, DELETE);
    await world.think();
    expect(gist(await world.reply(revised('先数一下有多少')))).toEqual([
      'data_query: SELECT count(*) FROM orders WHERE status = 1',
    ]);
  });

  it('keeps what the wish is not about, and can reword a note', async () => {
    const world = talk(SHOP, `${DELETE}，再记一条笔记：清理完成`);
    await world.think();
    expect(gist(await world.reply(revised('只删上个月的')))).toEqual([
      `data_modify: DELETE FROM orders WHERE status = 1 AND ${LAST_MONTH}`,
      'write_note: 清理完成',
    ]);
    expect(gist(await world.reply(revised('笔记改成：清理了一半')))).toEqual([
      `data_modify: DELETE FROM orders WHERE status = 1 AND ${LAST_MONTH}`,
      'write_note: 清理了一半',
    ]);
  });

  it('takes the wish for the new text where the card has nothing but a note', async () => {
    const world = talk(SHOP, '记一条笔记：清理完成');
    await world.think();
    expect(gist(await world.reply(revised('完成了')))).toEqual(['write_note: 完成了']);
  });

  it('does not run again what was done in the step that came back', async () => {
    const world = talk(SHOP, `统计客户有多少；${DELETE}`);
    await world.think();
    const counted = done({ columns: ['count'], rows: [[400]], rowCount: 1, truncated: false });
    expect(gist(await world.reply(counted, revised('status=2')))).toEqual(
      modify('DELETE FROM orders WHERE status = 2'),
    );
    const { text } = await world.reply(done({ command: 'DELETE', rows: 3 }));
    expect(text).toBe('共 400 条。\n\n已删除 3 条记录。');
  });

  it.each(['再想想', 'hmm', '排除 status=3 的', '不是上个月的', '上个月以外的', '好像不对'])(
    'says so when it does not understand: %s',
    async (feedback) => {
      const world = talk(SHOP, DELETE);
      await world.think();
      const { calls, text } = await world.reply(revised(feedback));
      expect(calls).toEqual([]);
      expect(text).toContain(feedback);
      expect(text).toContain('没有执行');
      expect(text).toContain('只要上个月的');
    },
  );
});

describe('what did not happen is never called done', () => {
  const outcomes: Outcome[] = ['declined', 'timeout', 'refused', 'stopped', 'failed', 'unknown'];
  it.each(outcomes)('%s', async (outcome) => {
    for (const [text, claim, denial] of [
      [DELETE, /已删除/, /没有执行|没有成功/],
      ['delete orders where status = 1', /Deleted/, /Not run|did not succeed/],
    ] as const) {
      const world = talk(SHOP, text);
      await world.think();
      const { calls, text: said } = await world.reply(settled(outcome, 'why'));
      expect(calls).toEqual([]);
      expect(said).not.toMatch(claim);
      expect(said).toContain('DELETE FROM orders WHERE status = 1');
      // Of one that may have run, neither is said.
      expect(denial.test(said)).toBe(outcome !== 'unknown');
      expect(/可能已经执行|it may have/.test(said)).toBe(outcome === 'unknown');
    }
  });
});

describe('questions', () => {
  const lastInput = async (thought: ReturnType<ReturnType<typeof talk>['think']>) =>
    (await thought).calls.map(({ tool, input }) => [tool, input]);

  it('asks for the new value of an update', async () => {
    const world = talk(SHOP, '把 orders 里 id=5 的 status 改一下');
    expect(await lastInput(world.think())).toMatchObject([
      ['ask_user', { kind: 'input', pattern: '-?\\d+(\\.\\d+)?' }],
    ]);
    expect(gist(await world.reply(answered('2')))).toEqual(
      modify('UPDATE orders SET status = 2 WHERE id = 5'),
    );
  });

  it('asks for what an insert needs, one at a time where one is missing', async () => {
    const world = talk(SHOP, '往 orders 插入 product 为 键盘，amount_fen 为 100');
    const [, { prompt } = { prompt: '' }] = (await lastInput(world.think()))[0] as [
      string,
      { prompt: string },
    ];
    expect(prompt).toContain('customer_id');
    expect(prompt).toContain('status');
    expect(gist(await world.reply(answered('customer_id=3')))).toEqual([
      'ask_user: orders 的 status 填什么？',
    ]);
    expect(gist(await world.reply(answered('1')))).toEqual(
      modify(
        "INSERT INTO orders (product, amount_fen, customer_id, status) VALUES ('键盘', 100, 3, 1)",
      ),
    );
  });

  it('asks which rows before it proposes to delete them all', async () => {
    const world = talk(SHOP, 'delete orders');
    expect(await lastInput(world.think())).toMatchObject([['ask_user', { kind: 'input' }]]);
    expect(gist(await world.reply(answered('status = 4')))).toEqual(
      modify('DELETE FROM orders WHERE status = 4'),
    );
  });

  it('offers a choice where several tables may be meant', async () => {
    const world = talk(OFFICE, 'how many accounts');
    expect(await lastInput(world.think())).toMatchObject([
      ['ask_user', { kind: 'choice', options: ['user_accounts', 'bank_accounts'] }],
    ]);
    expect(gist(await world.reply(answered('bank_accounts')))).toEqual([
      'data_query: SELECT count(*) FROM bank_accounts',
    ]);
  });

  it('asks what a note shall say', async () => {
    const world = talk(SHOP, '新增一条笔记');
    expect(gist(await world.think())).toEqual(['ask_user: 笔记写什么？']);
    expect(gist(await world.reply(answered('买牛奶')))).toEqual(['write_note: 买牛奶']);
  });

  it('still tells what was done before a question nobody answered', async () => {
    const world = talk(SHOP, '统计客户有多少；把 orders 里 id=5 的 status 改成 2');
    await world.think();
    const counted = done({ columns: ['count'], rows: [[400]], rowCount: 1, truncated: false });
    expect(gist(await world.reply(counted, revised('删除 orders')))).toEqual([
      'ask_user: 要删除 orders 的哪些记录？请给出条件（例如 id=5），全部请写“所有”。',
    ]);
    const { text } = await world.reply(settled('declined'));
    expect(text).toBe('共 400 条。\n\n没有得到回答，所以没有执行。');
  });

  it('does nothing without an answer, or with one that does not fit', async () => {
    for (const reply of [settled('timeout'), settled('declined'), answered('whatever')]) {
      const world = talk(SHOP, 'delete orders');
      await world.think();
      const { calls, text } = await world.reply(reply);
      expect(calls).toEqual([]);
      expect(text).toMatch(/Nothing was done|it was not run/);
    }
  });
});

describe('tools that are not offered or do not answer', () => {
  const without = (...gone: readonly string[]) => ALL_TOOLS.filter((tool) => !gone.includes(tool));

  it('calls none of them, and says what it cannot do', async () => {
    for (const [text, tool] of [
      [DELETE, 'data_modify'],
      ['有多少订单', 'data_query'],
      ['有多少订单', 'list_tables'],
      ['清空笔记', 'delete_notes'],
    ] as const) {
      const { calls, text: said } = await talk(SHOP, text, without(tool)).think();
      expect(calls).toEqual([]);
      expect(said).toContain(tool);
    }
    const { calls, text } = await talk(SHOP, 'delete orders', without('ask_user')).think();
    expect(calls).toEqual([]);
    expect(text).toContain('Which rows of orders');
  });

  it('has something to say with no tools at all', async () => {
    expect((await talk(SHOP, '你好', []).think()).text).toContain('演示模型');
    expect((await talk(SHOP, DELETE, []).think()).text).toContain('list_tables');
  });

  it('gives up when the tables cannot be read', async () => {
    const model = createDemoModel();
    const tools = ALL_TOOLS.map((name) => ({ name, description: '', input: {} }));
    const asked = { role: 'user', text: DELETE } as const;
    const first = await model.think({ system: '', messages: [asked], tools, deadline: 0 });
    const [call] = first.calls;
    if (!call) throw new Error('no call');
    for (const text of ['Failed: no connection', '{"tables": "none"}']) {
      const { calls, text: said } = await model.think({
        system: '',
        messages: [
          asked,
          { role: 'assistant', ...first },
          { role: 'result', call, outcome: text.startsWith('F') ? 'failed' : 'done', text },
        ],
        tools,
        deadline: 0,
      });
      expect(calls).toEqual([]);
      expect(said).toContain(text);
    }
  });
});

describe('rows', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => [index, '上海']);
  const listed = async (text: string, count: number, truncated = false) => {
    const world = talk(SHOP, text);
    await world.think();
    return world.reply(
      done({ columns: ['id', 'city'], rows: rows(count), rowCount: count, truncated }),
    );
  };

  it('shows up to twenty, and says how many more there are', async () => {
    const { text } = await listed('列出前 50 条 customers', 33);
    const lines = text.split('\n');
    expect(lines.slice(0, 2)).toEqual(['id | city', '0 | 上海']);
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('……还有 13 条');
    expect((await listed('list customers', 21)).text.split('\n').at(-1)).toBe('… and 1 more');
  });

  it('says "at least" where the list itself was limited', async () => {
    expect((await listed('list customers', 100)).text).toMatch(/… and at least 80 more$/);
    expect((await listed('list the first 200 customers', 200)).text).toMatch(/… and 180 more$/);
    expect((await listed('list the first 5000 customers', 1000, true)).text).toMatch(
      /at least 980 more$/,
    );
  });

  it('says when nothing fits, and shows a result that reached it cut as far as it can', async () => {
    expect((await listed('列出 customers', 0)).text).toBe('没有符合条件的记录。');
    const world = talk(SHOP, '列出 customers');
    await world.think();
    const cut = `{"columns":["id"],"rows":[[1],[2\n[truncated: 32768 of 50000 bytes]`;
    const { text } = await world.reply({ outcome: 'done', text: cut });
    expect(text).toContain('[truncated: 32768 of 50000 bytes]');
  });
});
