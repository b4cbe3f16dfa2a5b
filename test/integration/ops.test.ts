import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createDynamoStore, createTableInput } from '#adapters/aws/dynamodb.ts';
import { createStoreNotes } from '#adapters/notes.ts';
import { bindingOfCall } from '#domain/binding.ts';
import { policyVersion } from '#domain/gate.ts';
import { jobName, type MessageId, messageId } from '#domain/ids.ts';
import { envelope, type TurnJob } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { putIfAbsent } from '#domain/moves.ts';
import { recordFailure } from '#domain/operator-moves.ts';
import { asks } from '#hosts/cli/ops/asks.ts';
import { audit } from '#hosts/cli/ops/audit.ts';
import { dingtalkRegister } from '#hosts/cli/ops/dingtalk-register.ts';
import { failed } from '#hosts/cli/ops/failed.ts';
import { forget } from '#hosts/cli/ops/forget.ts';
import { redrive } from '#hosts/cli/ops/redrive.ts';
import type { Target } from '#hosts/cli/ops/target.ts';
import { turns } from '#hosts/cli/ops/turns.ts';
import type { Asked } from '#hosts/cli/ops/verb.ts';
import { createTableIfAbsent, startLocalDynamo } from '#hosts/local/aws/dynamodb.ts';
import { startDingtalkStandIn } from '#hosts/local/standins/dingtalk/index.ts';
import { STANDIN_SECRETS } from '#hosts/local/standins/dingtalk/world.ts';
import type { Model } from '#ports/model.ts';
import { defineTool } from '#ports/tool.ts';
import { ANN, messageOf, startCloud } from '../support/cloud.ts';
import {
  type DynamoEmulator,
  emulated,
  type SqsEmulator,
  startDynalite,
  startFauxqs,
} from '../support/emulators.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';
import { TEST_CHANNEL } from '../support/test-channel.ts';
import { startPlatform } from '../unit/channels/dingtalk/platform.ts';

const ORDER = { orderId: 'o1' };
const refundThenSay = scripted([callTool('refund_order', ORDER), say('已退款')]);

let sqs: SqsEmulator;
beforeAll(async () => {
  sqs = await startFauxqs();
});
afterAll(() => sqs.stop());

/** A table of its own: what operators see is the whole of it. */
const openWorld = async (model: Model = refundThenSay) => {
  const dynamo = await startDynalite();
  onTestFinished(dynamo.stop);
  const ran: string[] = [];
  const tools = {
    refund_order: defineTool({
      description: 'Refund an order',
      input: z.object({ orderId: z.string() }),
      risk: 'HIGH',
      run: async ({ orderId }) => {
        ran.push(orderId);
        return `refunded ${orderId}`;
      },
    }),
  };
  const cloud = await startCloud({ dynamo, sqs, model, tools });
  onTestFinished(cloud.stop);
  return { ...cloud, ran, asked: askedOf(cloud, dynamo) };
};
type World = Awaited<ReturnType<typeof openWorld>>;

const askedOf = (
  { ports, queue }: Awaited<ReturnType<typeof startCloud>>,
  { client, table }: DynamoEmulator,
) => {
  const target: Target = {
    name: 'test',
    dynamo: client,
    table,
    store: ports.store,
    sqs: sqs.client,
    queue: ports.queue,
    queues: { jobs: queue.url, deadLetters: queue.deadLetterUrl },
    url: 'http://127.0.0.1:1',
    environment: async () => ({}),
    alarms: async () => [],
  };
  return (words: readonly string[] = [], more: Partial<Asked> = {}): Asked => ({
    words,
    environment: {},
    target: async () => target,
    ...more,
  });
};

const askFor = async (world: World) => {
  await world.write('把 o1 退掉');
  await world.runAgent();
  expect((await world.session()).phase).toBe('WAITING_CONFIRM');
};
const rowsOf = ({ ports, sessionId }: World, from: string) =>
  ports.store.list({ pk: keys.partition(sessionId), from, to: `${from}~`, limit: 100 });

const down: Model = { think: () => Promise.reject(new Error('the model is down')) };

describe('what waits, runs and failed', () => {
  it('shows an ask while it waits, its turn while it runs, and neither once it is over', async () => {
    const world = await openWorld();
    const nothing = { rows: [] };
    expect(await asks(world.asked())).toMatchObject(nothing);
    await askFor(world);
    const { ask } = await world.session();
    expect((await asks(world.asked())).rows).toEqual([
      {
        session: world.sessionId,
        ask: ask?.id,
        kind: 'confirm',
        state: 'open',
        tools: ['refund_order'],
        may: [ANN],
        since: new Date(ask?.openedAt ?? 0).toISOString(),
        deadline: new Date(ask?.expiresAt ?? 0).toISOString(),
      },
    ]);
    expect(await turns(world.asked())).toMatchObject(nothing);
    await world.click('confirm');
    expect((await asks(world.asked())).rows).toMatchObject([{ state: 'decided' }]);
    await world.runAgent();
    for (const verb of [asks, turns, failed])
      expect(await verb(world.asked())).toMatchObject(nothing);
  });

  it('shows which job holds a turn, and since when', async () => {
    const world = await openWorld(down);
    await world.write('把 o1 退掉');
    await world.runAgent();
    expect((await turns(world.asked())).rows).toMatchObject([
      {
        session: world.sessionId,
        job: 'm:message-1',
        requester: ANN,
        since: new Date(world.clock.now()).toISOString(),
      },
    ]);
  });

  it('says what to do where the table was made before there was an index', async () => {
    const world = await openWorld();
    const { endpoint, stop } = await startLocalDynamo();
    const client = new DynamoDBClient(emulated(endpoint));
    onTestFinished(async () => {
      client.destroy();
      await stop();
    });
    const { GlobalSecondaryIndexes: _, ...old } = createTableInput('old');
    const AttributeDefinitions = old.AttributeDefinitions?.slice(0, 2);
    await client.send(new CreateTableCommand({ ...old, AttributeDefinitions }));
    await createTableIfAbsent(endpoint, 'old');
    const store = createDynamoStore(client, 'old');
    const target = async () => ({ ...(await world.asked().target()), store });
    await expect(asks(world.asked([], { target }))).rejects.toThrow('has no index: deployed');
  });

  it('names a word too many', async () => {
    const world = await openWorld();
    await expect(asks(world.asked(['all']))).rejects.toThrow('usage: ops asks');
  });
});

describe('redrive', () => {
  it('runs a message that failed as a new one, once, and lists it no longer', async () => {
    let model = down;
    const world = await openWorld({ think: (request) => model.think(request) });
    await world.write('把 o1 退掉');
    await world.runAgent();
    await world.runDeadLetters();
    const found = (await failed(world.asked())).rows;
    expect(found).toMatchObject([
      { job: 'm:message-1', type: 'message', session: world.sessionId },
    ]);
    expect(JSON.stringify(found)).not.toContain('退掉');

    model = refundThenSay;
    const again = await redrive(world.asked(['m:message-1']));
    expect(again.rows[0]?.['queued_as']).toMatch(/^m:message-1-again-/);
    expect((await failed(world.asked())).rows).toEqual([]);
    await world.runAgent();
    expect((await asks(world.asked())).rows).toMatchObject([{ tools: ['refund_order'] }]);
    await expect(redrive(world.asked(['m:message-1']))).rejects.toThrow('no failed job is called');
  });

  it('lists a message again that was put back and failed again', async () => {
    const world = await openWorld(down);
    await world.write('把 o1 退掉');
    await world.runAgent();
    await world.runDeadLetters();
    const { rows } = await redrive(world.asked(['m:message-1']));
    await world.runAgent();
    await world.runDeadLetters();
    expect((await failed(world.asked())).rows).toMatchObject([{ job: rows[0]?.['queued_as'] }]);
  });

  it('puts a job that this release could not read back as it came, for one that can', async () => {
    const world = await openWorld();
    const body = JSON.stringify({ type: 'surprise', session: world.sessionId, text: '退掉' });
    await world.ports.queue.send({ group: 'g', deduplication: 'of-a-newer-release', body });
    await world.runAgent();
    await world.runDeadLetters();
    const [found, more] = (await failed(world.asked())).rows;
    expect(found).toMatchObject({ type: 'unreadable', session: world.sessionId });
    expect(more).toBeUndefined();
    expect(JSON.stringify([found, world.logged])).not.toContain('退掉');

    await redrive(world.asked([String(found?.['job'])]));
    expect((await failed(world.asked())).rows).toEqual([]);
    const { Messages } = await sqs.client.send(
      new ReceiveMessageCommand({
        QueueUrl: world.queue.url,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    );
    expect(Messages).toMatchObject([{ Body: body, Attributes: { MessageGroupId: 'g' } }]);
  });

  /** The resume of a confirmed ask has failed and is gone from the queue; nobody has freed the session yet. */
  const failedResume = async () => {
    const world = await openWorld();
    await askFor(world);
    await world.click('confirm');
    const { Messages } = await sqs.client.send(
      new ReceiveMessageCommand({ QueueUrl: world.queue.url, MaxNumberOfMessages: 1 }),
    );
    const job = JSON.parse(Messages?.[0]?.Body ?? '') as Extract<TurnJob, { type: 'resume' }>;
    const ReceiptHandle = Messages?.[0]?.ReceiptHandle;
    await sqs.client.send(new DeleteMessageCommand({ QueueUrl: world.queue.url, ReceiptHandle }));
    const { store, clock } = world.ports;
    await store.write(recordFailure(job, 'delivery-1', clock.now()));
    return { world, job, name: jobName.resume(job.ask) };
  };

  it('lists a job again that failed again, and not for a dead letter that came twice', async () => {
    const { world, job, name } = await failedResume();
    const { store, clock } = world.ports;
    await redrive(world.asked([name]));
    await store.write(recordFailure(job, 'delivery-1', clock.now()));
    expect((await failed(world.asked())).rows).toEqual([]);
    await store.write(recordFailure(job, 'delivery-2', clock.now()));
    expect((await failed(world.asked())).rows).toMatchObject([{ job: name, type: 'resume' }]);
  });

  it('lets a yes be carried out that is fresh', async () => {
    const { world, name } = await failedResume();
    await redrive(world.asked([name]));
    await world.runAgent();
    expect(world.ran).toEqual(['o1']);
  });

  it('carries out no yes that is older than carryOutSeconds', async () => {
    const { world, name } = await failedResume();
    world.clock.advance(901_000);
    await redrive(world.asked([name]));
    await world.runAgent();
    expect(world.ran).toEqual([]);
  });
});

describe('forget', () => {
  const wholeStory = async () => {
    const world = await openWorld();
    await askFor(world);
    await world.write('确认');
    await world.runAgent();
    const { store } = world.ports;
    await createStoreNotes(store).add(world.sessionId, 'n1', 'a note');
    const call = { id: 'c', tool: 'write_note', input: {} };
    const memory = keys.memory(TEST_CHANNEL, 'app', world.chat, call.tool, bindingOfCall(call));
    await store.write(putIfAbsent(memory, { by: ANN, at: 1 }));
    return { world, memory };
  };

  it('leaves the bare ids, and the platform that delivers again starts nothing', async () => {
    const { world, memory } = await wholeStory();
    const { store } = world.ports;
    const { accepted } = await world.session();
    expect(await rowsOf(world, 'M#')).not.toEqual([]);
    await forget(world.asked([world.sessionId]));

    const [item] = await store.read([keys.session(world.sessionId)]);
    expect(item).toEqual({
      ...keys.session(world.sessionId),
      version: 1,
      phase: 'IDLE',
      accepted,
      asked: 1,
      ttl: expect.any(Number),
    });
    for (const kind of ['M#', 'X#', 'L#', 'F#']) expect(await rowsOf(world, kind)).toEqual([]);
    const inbox = await rowsOf(world, 'I#');
    const ids = ['message-1', 'message-2'].map(messageId);
    const bare = (id: MessageId) => ({
      ...keys.inbox(world.sessionId, id),
      ttl: expect.any(Number),
    });
    expect(inbox).toEqual(ids.map(bare));
    expect(await createStoreNotes(store).list(world.sessionId)).toEqual([]);
    expect(await store.read([memory])).toEqual([undefined]);
    // Who decided is kept for as long as the audit is.
    expect((await audit(world.asked([], { session: world.sessionId }))).rows).toHaveLength(1);

    // Hours later: the queue does not know the messages any more.
    for (const id of ids) {
      const message = messageOf(id, world.chat, '把 o1 退掉', world.clock.now());
      const job = { type: 'message', session: world.sessionId, message } as const;
      await world.ports.queue.send(envelope(job, `hours later: ${id}`));
    }
    expect(await world.runAgent()).toBe(2);
    expect(await world.session()).toMatchObject({ phase: 'IDLE' });
    expect(world.ran).toEqual(['o1']);
    await askFor(world);
  });

  it('refuses while a turn is under way, and deletes nothing', async () => {
    const world = await openWorld();
    await askFor(world);
    const before = await rowsOf(world, 'M#');
    await expect(forget(world.asked([world.sessionId]))).rejects.toThrow('WAITING_CONFIRM');
    expect(await rowsOf(world, 'M#')).toEqual(before);
    await world.click('confirm');
    await world.runAgent();
    expect(world.ran).toEqual(['o1']);
  });

  it('says that there is no such session, and makes none', async () => {
    const world = await openWorld();
    await expect(forget(world.asked(['test:app:nobody']))).rejects.toThrow('there is no session');
    expect(await world.ports.store.read([{ pk: 'S#test:app:nobody', sk: '#' }])).toEqual([
      undefined,
    ]);
  });
});

describe('audit', () => {
  it('says who decided what, under which policy, and what came of it', async () => {
    const world = await openWorld();
    await askFor(world);
    const { ask } = await world.session();
    await world.click('confirm');
    const decidedAt = world.clock.now();
    await world.runAgent();
    expect((await audit(world.asked([], { session: world.sessionId }))).rows).toEqual([
      {
        at: new Date(decidedAt).toISOString(),
        ask: ask?.id,
        tools: ['refund_order'],
        kind: 'confirm',
        decided_by: ANN,
        channel: TEST_CHANNEL,
        outcome: 'done',
        shown: ask?.shown,
        binding: ask?.binding,
        policy_version: policyVersion(world.ports.settings.approval),
      },
    ]);
  });
});

describe('dingtalk-register', () => {
  const start = async () => {
    // Without cards of its own it registers nothing itself.
    const standIn = await startDingtalkStandIn({ cards: 'action' });
    onTestFinished(standIn.stop);
    const environment: Readonly<Record<string, string>> = {
      ...standIn.environment,
      DINGTALK_CARD_TEMPLATE_ID: STANDIN_SECRETS.cardTemplateId,
      DINGTALK_CARD_ROUTE_KEY: 'a-new-key',
      DINGTALK_CARD_API_SECRET: 'a-secret',
    };
    const target = () => Promise.reject(new Error('not needed'));
    const register = (url: string, more: object = {}) =>
      dingtalkRegister({ words: [], url, environment, target, ...more });
    return { standIn, environment, register };
  };

  it('is refused where the key leads elsewhere, names no secret, and is done by force', async () => {
    const { environment, register } = await start();
    await register('https://prod.example.com');
    const pathSecret = environment['DINGTALK_PATH_SECRET'] ?? '';
    const refused = await register('https://dev.example.com').catch(
      ({ message }: Error) => message,
    );
    expect(refused).toMatch(/a-new-key leads to https:\/\/prod\.example\.com already.*--force/);
    expect(refused).not.toContain(pathSecret);
    expect(await registeredUrl(environment)).toContain('https://prod.example.com/');
    await register('https://dev.example.com', { force: true });
    expect(await registeredUrl(environment)).toContain('https://dev.example.com/');
  });

  it('brings a changed secret along, and may be done again', async () => {
    const { environment, register } = await start();
    await register('https://bot.example.com');
    await register('https://bot.example.com');
    const DINGTALK_CARD_API_SECRET = 'another';
    await register('https://bot.example.com', {
      environment: { ...environment, DINGTALK_CARD_API_SECRET },
    });
    expect(await registered(environment)).toMatchObject({ apiSecret: 'another' });
  });

  it('is done where the platform says yes and no more', async () => {
    const platform = await startPlatform();
    onTestFinished(platform.stop);
    platform.script({ body: { success: true } });
    const { environment, register } = await start();
    const answer = await register('https://bot.example.com', {
      environment: { ...environment, DINGTALK_BASE_URL: platform.url },
    });
    expect(answer.rows).toHaveLength(1);
    expect(platform.calls()).toHaveLength(1);
  });

  it('needs force where the platform does not say where the key leads', async () => {
    const { standIn, register } = await start();
    const path = '/v1.0/card/callbacks/register';
    standIn.fail({ path, code: 'param.callbackRouteKeyExist', status: 500, times: 1 });
    await expect(register('https://bot.example.com')).rejects.toThrow(/another address.*--force/);
  });

  it('tells the platform the address given, and prints no secret', async () => {
    const { environment, register } = await start();
    const answer = await register('https://bot.example.com/');
    expect(answer.rows).toEqual([
      {
        route_key: environment['DINGTALK_CARD_ROUTE_KEY'],
        registered: 'https://bot.example.com/webhook/dingtalk/{DINGTALK_PATH_SECRET}/card',
      },
    ]);
    const kept = await registeredUrl(environment);
    expect(kept).toBe(
      `https://bot.example.com/webhook/dingtalk/${environment['DINGTALK_PATH_SECRET']}/card`,
    );
  });
});

/** Asked as DingTalk answers: without force, a key that exists says where it leads. */
const registered = async (
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly callbackUrl: string }> => {
  const call = async (path: string, body: object, token?: string) => {
    const response = await fetch(`${environment['DINGTALK_BASE_URL']}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token && { 'x-acs-dingtalk-access-token': token }),
      },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { accessToken: string; result: { callbackUrl: string } };
  };
  const { accessToken } = await call('/v1.0/oauth2/accessToken', {
    appKey: environment['DINGTALK_APP_KEY'],
    appSecret: environment['DINGTALK_APP_SECRET'],
  });
  const kept = await call(
    '/v1.0/card/callbacks/register',
    {
      callbackRouteKey: environment['DINGTALK_CARD_ROUTE_KEY'],
      callbackUrl: 'https://other.example.com',
      forceUpdate: false,
    },
    accessToken,
  );
  return kept.result;
};
const registeredUrl = async (environment: Readonly<Record<string, string>>): Promise<string> =>
  (await registered(environment)).callbackUrl;
