import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '#domain/canonical-json.ts';
import { defineTool, type Tool } from '#ports/tool.ts';
import { startCloud } from '../support/cloud.ts';
import { type AwsCall, commandsOf, countCalls } from '../support/count-calls.ts';
import {
  type DynamoEmulator,
  type SqsEmulator,
  startDynalite,
  startDynoxide,
  startFauxqs,
} from '../support/emulators.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';

/**
 * What each path may cost, in AWS calls. A number that grows here is latency and money for everyone: make it smaller
 * again, or change the table of the design first.
 */
let dynamo: DynamoEmulator;
let sqs: SqsEmulator;
/** dynalite sends no old item with a refusal, so there the store has to read it; DynamoDB and dynoxide do. */
let readsAfterRefusal: number;
beforeAll(async () => {
  const dynoxide = await startDynoxide();
  dynamo = dynoxide ?? (await startDynalite());
  readsAfterRefusal = dynoxide ? 0 : 1;
  sqs = await startFauxqs();
});
afterAll(async () => {
  await Promise.all([dynamo.stop(), sqs.stop()]);
});

let chats = 0;
const start = async (tool: string, input: JsonObject, approval: object = {}) => {
  const calls: AwsCall[] = [];
  const ran: AwsCall[][] = [];
  const act: Tool = defineTool({
    description: 'Does it',
    input: z.object({ what: z.string() }),
    risk: 'HIGH',
    run: async () => {
      ran.push([...calls]);
      return 'done';
    },
  });
  const ask: Tool = defineTool({
    description: 'Asks',
    input: z.object({ prompt: z.string() }),
    question: ({ prompt }) => ({ kind: 'input', prompt, pattern: '\\d+' }),
  });
  chats += 1;
  const cloud = await startCloud({
    dynamo,
    sqs,
    model: scripted([callTool(tool, input), say('好了')]),
    tools: { act, ask },
    approval,
    chat: `chat-${chats}`,
  });
  const stops = [dynamo.client, sqs.client, cloud.schedulerClient].map((one) =>
    countCalls(one, calls),
  );
  onTestFinished(async () => {
    for (const stop of stops) stop();
    await cloud.stop();
  });
  /** The calls this path makes, without those of the event source. */
  const callsOf = async (path: () => Promise<unknown>): Promise<readonly AwsCall[]> => {
    calls.length = 0;
    await path();
    return calls.filter(({ command }) => !/Receive|DeleteMessage/.test(command));
  };
  return { ...cloud, calls, ran, callsOf };
};

const asked = async (tool = 'act', input: JsonObject = { what: 'it' }, approval: object = {}) => {
  const world = await start(tool, input, approval);
  await world.write('做一下');
  await world.runAgent();
  return world;
};

describe('AWS calls of each path', () => {
  it('webhook, ordinary message: 2', async () => {
    const world = await start('act', { what: 'it' });
    const calls = await world.callsOf(() => world.write('做一下'));
    expect(commandsOf(calls)).toEqual(['BatchGetItem', 'SendMessage']);
  });

  it('webhook, card click: 2', async () => {
    const world = await asked();
    const calls = await world.callsOf(() => world.click('confirm'));
    expect(commandsOf(calls)).toEqual(['UpdateItem', 'SendMessage']);
  });

  it('webhook, late click: 3', async () => {
    const world = await asked();
    world.clock.advance(400_000);
    const calls = await world.callsOf(() => world.click('confirm'));
    expect(commandsOf(calls).filter((one) => one !== 'GetItem')).toEqual([
      'UpdateItem',
      'UpdateItem',
      'SendMessage',
    ]);
    expect(calls).toHaveLength(3 + readsAfterRefusal);
  });

  it('webhook, text reply: 3', async () => {
    const world = await asked();
    const calls = await world.callsOf(() => world.write('确认'));
    expect(commandsOf(calls)).toEqual(['BatchGetItem', 'UpdateItem', 'SendMessage']);
  });

  it('webhook, form: 3', async () => {
    const world = await asked('ask', { prompt: '几个？' });
    const calls = await world.callsOf(() => world.click('answer', { form: true, text: '3' }));
    expect(commandsOf(calls)).toEqual(['GetItem', 'UpdateItem', 'SendMessage']);
  });

  it('timeout: 2', async () => {
    const world = await asked();
    world.clock.advance(301_000);
    const calls = await world.callsOf(() => world.fireTimers());
    expect(commandsOf(calls)).toEqual(['UpdateItem', 'SendMessage']);
  });

  const suspendCalls = async (approval: object): Promise<readonly string[]> => {
    const world = await start('act', { what: 'it' }, approval);
    await world.write('做一下');
    const calls = await world.callsOf(() => world.runAgent());
    const saved = calls.findIndex(({ input }) =>
      JSON.stringify(input['Key'] ?? input['Item'] ?? '').includes('#0001#a"'),
    );
    expect(saved, 'no call saved the step').toBeGreaterThan(0);
    return commandsOf(calls.slice(saved + 1));
  };

  it('agent, suspend: 4 after the step is saved', async () => {
    expect(await suspendCalls({})).toEqual([
      'UpdateItem',
      'CreateSchedule',
      'PutItem',
      'UpdateItem',
    ]);
  });

  it('agent, suspend with a long ask: 5', async () => {
    expect(await suspendCalls({ timeoutSeconds: 3600 })).toEqual([
      'UpdateItem',
      'CreateSchedule',
      'CreateSchedule',
      'PutItem',
      'UpdateItem',
    ]);
  });

  const callsToTheTool = async (decide: 'click' | 'text'): Promise<readonly string[]> => {
    const world = await asked();
    await (decide === 'click' ? world.click('confirm') : world.write('确认'));
    await world.callsOf(() => world.runAgent());
    expect(world.ran).toHaveLength(1);
    return commandsOf(world.ran[0] ?? []).filter((one) => !one.startsWith('Receive'));
  };

  it('agent, resume by a click up to the start of the tool: 4', async () => {
    expect(await callsToTheTool('click')).toEqual(['UpdateItem', 'PutItem', 'Query', 'PutItem']);
  });

  it('agent, resume by a text up to the start of the tool: 5', async () => {
    expect(await callsToTheTool('text')).toEqual([
      'UpdateItem',
      'UpdateItem',
      'PutItem',
      'Query',
      'PutItem',
    ]);
  });

  it('agent, from a message to the model: 5', async () => {
    const world = await start('act', { what: 'it' });
    await world.write('做一下');
    const calls = await world.callsOf(() => world.runAgent());
    const saved = calls.findIndex(({ input }) =>
      JSON.stringify(input['Key'] ?? input['Item'] ?? '').includes('#0001#a"'),
    );
    expect(commandsOf(calls.slice(0, saved))).toEqual([
      'PutItem',
      'UpdateItem',
      'PutItem',
      'Query',
      'GetItem',
    ]);
  });

  /** What docs/deploy.md reckons with when it says what a thousand approvals cost. */
  it('a whole approval, with the timer that finds it settled: 18 writes, 5 reads, 2 jobs, 1 timer', async () => {
    const world = await start('act', { what: 'it' });
    const calls = await world.callsOf(async () => {
      await world.write('做一下');
      await world.runAgent();
      await world.click('confirm');
      await world.runAgent();
      world.clock.advance(301_000);
      await world.fireTimers();
    });
    const count = (kind: RegExp) => commandsOf(calls).filter((one) => kind.test(one)).length;
    expect({
      writes: count(/^(?:Put|Update)Item$/),
      reads: count(/^(?:GetItem|BatchGetItem|Query)$/) - readsAfterRefusal,
      jobs: count(/^SendMessage$/),
      timers: count(/^CreateSchedule$/),
      others: count(/^(?!Put|Update|Get|BatchGet|Query|SendMessage|CreateSchedule)/),
    }).toEqual({ writes: 18, reads: 5, jobs: 2, timers: 1, others: 0 });
  });
});
