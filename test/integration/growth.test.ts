import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { toAttributes } from '#adapters/aws/attribute-value.ts';
import { MESSAGE_VERSION } from '#domain/conversation.ts';
import type { Item } from '#domain/expression.ts';
import { type SessionId, turnId } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { defineTool } from '#ports/tool.ts';
import { ANN, type Cloud, startCloud } from '../support/cloud.ts';
import { type AwsCall, countCalls } from '../support/count-calls.ts';
import { startAws } from '../support/emulated-aws.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';

const { dynamo, sqs } = await startAws();

const LENGTHS = [1, 100, 2_000] as const;
const BATCH = 25;

/** A conversation that came before: a message and its answer, turn after turn. */
const pastRows = (session: SessionId, messages: number): Item[] =>
  Array.from({ length: messages }, (_, index) => {
    const turn = turnId(String(1 + Math.floor(index / 2)));
    const text = { kind: 'inline', text: `message ${index} ${'.'.repeat(100)}` };
    const asks = index % 2 === 0;
    return {
      ...keys.message(session, turn, asks ? 0 : 1, asks ? 'user' : 'a'),
      version: MESSAGE_VERSION,
      turn,
      message: asks
        ? { role: 'user', text, from: ANN, message: `old-${index}` }
        : { role: 'step', step: 1, text, calls: [] },
    };
  });

const seed = async (session: SessionId, messages: number): Promise<void> => {
  const rows = pastRows(session, messages);
  for (let from = 0; from < rows.length; from += BATCH) {
    const page = rows.slice(from, from + BATCH);
    const requests = page.map((row) => ({ PutRequest: { Item: toAttributes(row) } }));
    await dynamo.client.send(
      new BatchWriteItemCommand({ RequestItems: { [dynamo.table]: requests } }),
    );
  }
};

interface Cost {
  readonly writes: number;
  readonly written: number;
  readonly reads: number;
  readonly rowsRead: number;
}

const costOf = (calls: readonly AwsCall[]): Cost => {
  const writes = calls.filter(({ command }) => /UpdateItem|PutItem|BatchWrite/.test(command));
  const reads = calls.filter(({ command }) => /GetItem|Query/.test(command));
  return {
    writes: writes.length,
    written: writes.reduce((sum, { bytes }) => sum + bytes, 0),
    reads: reads.length,
    rowsRead: reads.reduce((sum, { answer }) => sum + Number(answer['Count'] ?? 1), 0),
  };
};

/** One turn with a plain step, a suspension, its resume and the closing words, after so many messages. */
const measure = async (messages: number) => {
  const tool = (risk: 'LOW' | 'HIGH') =>
    defineTool({ description: risk, input: z.object({}), risk, run: async () => 'done' });
  const cloud: Cloud = await startCloud({
    dynamo,
    sqs,
    model: scripted([callTool('look'), callTool('act'), say('好了')]),
    tools: { look: tool('LOW'), act: tool('HIGH') },
    // Names of the same length: only the conversation differs.
    chat: `chat-${String(messages).padStart(5, '0')}`,
  });
  await seed(cloud.sessionId, messages);
  const calls: AwsCall[] = [];
  const stop = countCalls(dynamo.client, calls);
  onTestFinished(async () => {
    stop();
    await cloud.stop();
  });
  const during = async (path: () => Promise<unknown>): Promise<Cost> => {
    calls.length = 0;
    await path();
    return costOf(calls);
  };
  const accept = await during(() => cloud.write('做一下'));
  const suspend = await during(() => cloud.runAgent());
  const claim = await during(() => cloud.click('confirm'));
  const resume = await during(() => cloud.runAgent());
  expect(cloud.platform.texts()).toEqual(['好了']);
  stop();
  return { accept, suspend, claim, resume };
};

it('writes and reads no more for a long conversation than for a short one', async () => {
  const costs = [];
  for (const messages of LENGTHS) costs.push(await measure(messages));
  const [short, middle, long] = costs;
  // biome-ignore lint/suspicious/noConsole: the measured numbers are what this test is for
  console.log(
    costs.map((cost, index) => `${LENGTHS[index]} messages: ${JSON.stringify(cost)}`).join('\n'),
  );
  for (const path of ['accept', 'suspend', 'claim', 'resume'] as const) {
    expect(middle?.[path].written, `bytes written by ${path}`).toBe(short?.[path].written);
    expect(long?.[path].written, `bytes written by ${path}`).toBe(short?.[path].written);
    expect(long?.[path].writes, `writes of ${path}`).toBe(short?.[path].writes);
    expect(long?.[path].reads, `reads of ${path}`).toBe(short?.[path].reads);
    // A longer history fills its page, and stops there.
    expect(long?.[path].rowsRead, `rows read by ${path}`).toBe(middle?.[path].rowsRead);
  }
});
