import { type AttributeValue, DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { ModelMessage } from '#ports/model.ts';
import { defineTool } from '#ports/tool.ts';
import { type CloudOptions, startCloud } from '../support/cloud.ts';
import { startAws } from '../support/emulated-aws.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';

const DAY_MS = 86_400_000;
const LONG = 'rows '.repeat(9_000);

const { dynamo, sqs } = await startAws();

let chats = 0;
const start = async (more: Partial<CloudOptions> = {}) => {
  const ran: string[] = [];
  const read = defineTool({
    description: 'Reads',
    input: z.object({}),
    risk: 'LOW',
    run: async () => LONG,
  });
  const act = defineTool({
    description: 'Acts',
    input: z.object({ risk: z.enum(['MEDIUM', 'HIGH']) }),
    risk: ({ risk }) => risk,
    run: async ({ risk }) => {
      ran.push(risk);
      return LONG;
    },
  });
  const seen: (readonly ModelMessage[])[] = [];
  const script = scripted((text) =>
    text === 'hello'
      ? [say('hi')]
      : [
          callTool('read'),
          callTool('act', { risk: text === 'risky' ? 'HIGH' : 'MEDIUM' }),
          say('done'),
        ],
  );
  chats += 1;
  const cloud = await startCloud({
    dynamo,
    sqs,
    model: {
      think: (request) => {
        seen.push(request.messages);
        return script.think(request);
      },
    },
    tools: { read, act },
    chat: `kept-${chats}`,
    ...more,
  });
  onTestFinished(cloud.stop);
  return { ...cloud, ran, seen };
};
type World = Awaited<ReturnType<typeof start>>;

interface Row {
  readonly pk: string;
  readonly sk: string;
  /** Days from now. */
  readonly days: number | undefined;
}

const scan = async (): Promise<Record<string, AttributeValue>[]> => {
  const { Items = [] } = await dynamo.client.send(new ScanCommand({ TableName: dynamo.table }));
  return Items;
};

const rowsOf = async ({ chat, clock }: World): Promise<readonly Row[]> =>
  (await scan())
    .map(({ pk, sk, ttl }) => ({
      pk: String(pk?.S),
      sk: String(sk?.S),
      days: ttl && (Number(ttl.N) * 1000 - clock.now()) / DAY_MS,
    }))
    .filter(({ pk }) => `${pk}:`.includes(`:${chat}:`) || pk.startsWith(`R#test:app:`));

/** What the table does by itself, some time after a row's end and in any order. */
const deleteExpired = async ({ clock }: World): Promise<number> => {
  const over = (await scan()).filter(({ ttl }) => ttl && Number(ttl.N) * 1000 <= clock.now());
  for (const { pk, sk } of over) await deleteRow(String(pk?.S), String(sk?.S));
  return over.length;
};
const deleteRow = (pk: string, sk: string) =>
  dynamo.client.send(
    new DeleteItemCommand({ TableName: dynamo.table, Key: { pk: { S: pk }, sk: { S: sk } } }),
  );

/** `S#…` rows are told apart by what their second key begins with. */
const kindOf = ({ pk, sk }: Row): string =>
  pk.startsWith('S#') ? `S/${sk.split('#')[0]}` : (pk.split('#')[0] ?? '');

const daysByKind = async (world: World): Promise<Record<string, number | undefined>> =>
  Object.fromEntries(
    (await rowsOf(world)).map((row) => [kindOf(row), row.days && Math.round(row.days)]),
  );

describe('how long rows are kept', () => {
  it('is written with every row of a turn, by its kind', async () => {
    const world = await start({ retention: { messagesDays: 40, auditDays: 500 } });
    await world.write('change it');
    await world.runAgent();
    await world.click('confirm');
    await world.runAgent();
    expect(world.ran).toEqual(['MEDIUM']);
    expect(await daysByKind(world)).toEqual({
      'S/': 40,
      'S/I': 40,
      'S/M': 40,
      'S/X': 40,
      // A long text goes after the row that names it, never before.
      'S/L': 41,
      AUDIT: 500,
      P: 2,
      R: 30,
    });
  });

  it('is at least as long for the ledger as a job can lie in the queues', async () => {
    const world = await start({ retention: { messagesDays: 1 } });
    await world.write('change it');
    await world.runAgent();
    await world.click('confirm');
    await world.runAgent();
    expect(await daysByKind(world)).toMatchObject({ 'S/M': 1, 'S/X': 20 });
  });

  it('does not end for a session while its turn waits or runs', async () => {
    const world = await start();
    await world.write('hello');
    await world.runAgent();
    expect(await daysByKind(world)).toMatchObject({ 'S/': 30 });
    await world.write('change it');
    await world.runAgent();
    expect(await daysByKind(world)).toMatchObject({ 'S/': undefined });
  });
});

describe('a limit shorter than the question', () => {
  const SHORT = {
    retention: { messagesDays: 2 },
    approval: { timeoutSeconds: 5 * 86_400, otherReply: 'queue' },
  };

  it('deletes nothing that the turn still needs, nor what was said meanwhile', async () => {
    const world = await start(SHORT);
    await world.write('hello');
    await world.runAgent();
    await world.write('risky');
    await world.runAgent();
    await world.write('hello');
    await world.runAgent();
    expect((await world.session()).aside).toHaveLength(1);

    world.clock.advance(5 * DAY_MS - 3_600_000);
    // All of the first turn.
    expect(await deleteExpired(world)).toBeGreaterThan(2);
    await world.click('confirm');
    await world.runAgent();
    expect(world.ran).toEqual(['HIGH']);
    expect([...world.platform.said.values()].slice(-2).map(({ text }) => text)).toEqual([
      'done',
      'hi',
    ]);
    expect((await world.session()).phase).toBe('IDLE');
  });

  it('is as short for what has ended as it says', async () => {
    const world = await start(SHORT);
    await world.write('hello');
    await world.runAgent();
    world.clock.advance(2 * DAY_MS + 2_000);
    await deleteExpired(world);
    expect((await rowsOf(world)).filter(({ pk }) => pk.includes(world.chat))).toEqual([]);
  });
});

describe('a history whose time is over', () => {
  it('is not read, although the table has not deleted it, or only half of it', async () => {
    const world = await start({ retention: { messagesDays: 10 } });
    await world.write('change it');
    await world.runAgent();
    await world.click('confirm');
    await world.runAgent();
    world.clock.advance(10 * DAY_MS - 3_600_000);
    await world.write('hello');
    await world.runAgent();
    expect(world.seen.at(-1)?.length).toBeGreaterThan(3);

    world.clock.advance(4_000_000);
    for (const { pk, sk } of await rowsOf(world)) if (sk.startsWith('L#')) await deleteRow(pk, sk);
    await world.write('hello');
    await world.runAgent();
    expect(world.seen.at(-1)?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });
});
