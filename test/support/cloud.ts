import { SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { createEventBridgeScheduler } from '#adapters/aws/scheduler.ts';
import { createSqsQueue, postponeMessage } from '#adapters/aws/sqs.ts';
import { createRetainingStore } from '#adapters/retaining-store.ts';
import { type AskId, type AttemptId, messageId, personId, sessionId } from '#domain/ids.ts';
import type { InboundDecision, InboundMessage } from '#domain/inbound.ts';
import { keys } from '#domain/keys.ts';
import { readSession, type Session } from '#domain/session.ts';
import { readSettings, type Settings } from '#domain/settings.ts';
import { createJsonLog } from '#hosts/json-log.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { createDeadLetterHandler, type DeadLetterPorts } from '#hosts/lambda/deadletter-handler.ts';
import { createTimeoutHandler } from '#hosts/lambda/timeout-handler.ts';
import { createWebhookHandler } from '#hosts/lambda/webhook-handler.ts';
import { startLocalScheduler } from '#hosts/local/aws/scheduler.ts';
import { createRunner } from '#hosts/runner.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Model } from '#ports/model.ts';
import type { Tool } from '#ports/tool.ts';
import { type DynamoEmulator, emulated, type SqsEmulator } from './emulators.ts';
import { createTestChannel, SECRET_HEADER, TEST_CHANNEL, TEST_SECRET } from './test-channel.ts';
import { createTestClock } from './test-clock.ts';

export const ANN = personId(TEST_CHANNEL, 'ann');
export const BOB = personId(TEST_CHANNEL, 'bob');
const APP = 'app';
const CHAT = 'chat-1';
const AGENT_MS = 240_000;

export interface CloudOptions {
  readonly dynamo: DynamoEmulator;
  readonly sqs: SqsEmulator;
  readonly model: Model;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly approval?: object;
  readonly retention?: object;
  readonly chat?: string;
}

export type Cloud = Awaited<ReturnType<typeof startCloud>>;

/** A line of a function's log. */
export interface Logged {
  readonly by: 'webhook' | 'agent' | 'timeout' | 'deadletter';
  readonly level: string;
  readonly event: string;
  readonly [fact: string]: unknown;
}

/** The four functions on emulated AWS, reached by the real SDK; the clock and the event sources are in the test's hands. */
export const startCloud = async (options: CloudOptions) => {
  const { dynamo, sqs, chat = CHAT } = options;
  const clock = createTestClock();
  const platform = createTestChannel(clock.now);
  const queue = await sqs.createFifoQueue();
  const timeouts = createTimeoutHandler(async () => as('timeout'));
  const local = await startLocalScheduler({
    now: clock.now,
    drive: 'manual',
    invoke: async (_arn: string, input: string) => {
      await timeouts(JSON.parse(input));
    },
  });
  const schedulerClient = new SchedulerClient(emulated(local.endpoint));
  const logged: Logged[] = [];
  const postponed: number[] = [];
  const logOf = (by: Logged['by']) =>
    createJsonLog((line) => {
      logged.push({ ...JSON.parse(line), by });
    }, clock.now);
  let attempts = 0;

  const settings = settingsWith(options.approval, options.retention);
  const ports: EnginePorts = {
    store: createRetainingStore(
      createDynamoStore(dynamo.client, dynamo.table),
      settings.retention,
      clock,
    ),
    queue: createSqsQueue(sqs.client, queue.url),
    scheduler: createEventBridgeScheduler(schedulerClient, {
      group: 'default',
      targetArn: 'arn:aws:lambda:us-east-1:000000000000:function:timeout',
      roleArn: 'arn:aws:iam::000000000000:role/scheduler',
      now: clock.now,
    }),
    clock,
    log: logOf('agent'),
    settings,
    model: options.model,
    ids: { attempt: () => `attempt-${++attempts}` as AttemptId },
    runner: createRunner(),
    channels: { [TEST_CHANNEL]: platform.channel },
    tools: options.tools,
    resources: {},
  };
  const as = (by: Logged['by']): EnginePorts => ({ ...ports, log: logOf(by) });
  /** At once instead of in seconds; what was asked for is noted. */
  const reading = (by: Logged['by'], url: string): DeadLetterPorts => ({
    ...as(by),
    mainQueue: queue.arn,
    postpone: async (receiptHandle, seconds) => {
      postponed.push(seconds);
      await postponeMessage(sqs.client, url, receiptHandle, 0);
    },
  });
  const webhook = createWebhookHandler(async () => ({
    ...as('webhook'),
    webhooks: { [TEST_CHANNEL]: platform.webhook },
  }));
  const agent = createAgentHandler(async () => reading('agent', queue.url));
  const deadletter = createDeadLetterHandler(async () =>
    reading('deadletter', queue.deadLetterUrl),
  );
  const session = sessionId({ channel: TEST_CHANNEL, app: APP, chat });
  let sent = 0;

  const post = async (inbound: object): Promise<{ status: number; text: string | undefined }> => {
    const { statusCode, body } = await webhook(webhookEvent(JSON.stringify([inbound])));
    return { status: Number(statusCode), text: JSON.parse(body ?? '{}').outcomes?.[0]?.text };
  };

  return {
    ports,
    clock,
    platform,
    queue,
    webhook,
    timeouts,
    logged,
    postponed,
    sessionId: session,
    chat,
    schedulerClient,
    /** A person writes, a second later. */
    write: (text: string, more: Partial<InboundMessage> = {}) => {
      clock.advance(1000);
      sent += 1;
      return post({ ...messageOf(`message-${sent}`, chat, text, clock.now()), ...more });
    },
    /** A person clicks the last card, a second later. */
    click: (kind: InboundDecision['kind'], more: Partial<InboundDecision> = {}) => {
      clock.advance(1000);
      sent += 1;
      const { ask } = platform.lastCard().views[0] ?? {};
      return post({ ...decisionOf(`click-${sent}`, session, ask, kind), ...more });
    },
    /** Like Lambda's event source, until the queue has nothing to give. `remainingMs` is the function's time. */
    runAgent: (remainingMs = AGENT_MS) =>
      drain(sqs.client, queue.url, queue.arn, agent, remainingMs),
    runDeadLetters: () => drain(sqs.client, queue.deadLetterUrl, 'arn:dead', deadletter, AGENT_MS),
    fireTimers: () => local.tick(),
    session: async (): Promise<Session> =>
      readSession(session, (await ports.store.read([keys.session(session)]))[0]),
    stop: async () => {
      schedulerClient.destroy();
      await local.stop();
    },
  };
};

export const settingsWith = (approval: object = {}, retention: object = {}): Settings => {
  const read = readSettings({ approval, retention });
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'));
  return read.settings;
};

export const messageOf = (
  id: string,
  chat: string,
  text: string,
  sentAt: number,
): InboundMessage => ({
  type: 'message',
  id: messageId(id),
  from: ANN,
  bot: false,
  to: { channel: TEST_CHANNEL, app: APP, chat, group: false },
  text,
  sentAt,
  mentions: [],
  mentionsSomeBot: false,
});

export const decisionOf = (
  id: string,
  session: Session['id'],
  ask: Session['ask'],
  kind: InboundDecision['kind'],
): InboundDecision => ({
  type: 'decision',
  id,
  session,
  ask: ask?.id ?? ('none' as AskId),
  ...(ask && { binding: ask.binding }),
  by: ANN,
  kind,
  tasks: ask?.tasks.length ?? 1,
  form: false,
});

export const webhookEvent = (
  body: string,
  { path = `/webhook/${TEST_CHANNEL}`, secret = TEST_SECRET, base64 = false } = {},
) =>
  ({
    rawPath: path,
    headers: { [SECRET_HEADER.toUpperCase()]: secret },
    body: base64 ? Buffer.from(body).toString('base64') : body,
    isBase64Encoded: base64,
  }) as unknown as Parameters<ReturnType<typeof createWebhookHandler>>[0];

type SqsHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

const drain = async (
  client: SQSClient,
  url: string,
  arn: string,
  handler: SqsHandler,
  remainingMs: number,
): Promise<number> => {
  for (let handled = 0; ; handled += 1) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 1,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    const [message] = Messages;
    if (!message) return handled;
    const { batchItemFailures } = await handler(
      { Records: [recordOf(message, arn)] },
      lambdaContext(remainingMs),
    );
    if (batchItemFailures.length > 0) continue;
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }),
    );
  }
};

const recordOf = (message: Message, arn: string) =>
  ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    eventSourceARN: arn,
  }) as unknown as SQSRecord;

export const lambdaContext = (remainingMs: number) =>
  ({ getRemainingTimeInMillis: () => remainingMs }) as Context;
