import { writeSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { createSqsQueue } from '#adapters/aws/sqs.ts';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import type { AttemptId } from '#domain/ids.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { createRunner } from '#hosts/runner.ts';
import type { Database } from '#ports/database.ts';
import { dataModify } from '#tools/data-modify.ts';
import { lambdaContext, settingsWith } from './cloud.ts';
import { emulated } from './emulators.ts';
import { callTool, say, scripted } from './scripted-model.ts';
import { createTestChannel, TEST_CHANNEL } from './test-channel.ts';
import { createTestClock } from './test-clock.ts';

export interface AgentProcess {
  readonly dynamo: string;
  readonly table: string;
  readonly sqs: string;
  readonly queue: string;
  readonly database: string;
  readonly sql: string;
  readonly now: number;
  readonly hang: 'before-commit' | 'after-commit';
}

/** An agent function that is to be killed: it takes one job and hangs at the commit. It prints the job's receipt. */
const given = JSON.parse(String(process.argv[2])) as AgentProcess;
const print = (line: string) => writeSync(1, `${line}\n`);
const hang = (): Promise<never> => {
  print('hanging');
  return new Promise(() => {});
};
// A pending promise alone keeps no process.
setInterval(() => {}, 1000);

const real = createPostgresDatabase({ url: given.database });
const database: Database = {
  ...real,
  transact: (limits, work) =>
    real.transact(limits, (transaction) =>
      work({
        ...transaction,
        commit: async () => {
          if (given.hang === 'after-commit') await transaction.commit();
          await hang();
        },
      }),
    ),
};
const clock = createTestClock(given.now);
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const sqs = new SQSClient(emulated(given.sqs));
const agent = createAgentHandler(async () => ({
  store: createDynamoStore(new DynamoDBClient(emulated(given.dynamo)), given.table),
  queue: createSqsQueue(sqs, given.queue),
  scheduler: { once: async () => {}, every: async () => {}, cancel: async () => {} },
  clock,
  log: quiet,
  settings: settingsWith(),
  model: scripted([callTool('data_modify', { sql: given.sql }), say('完成')]),
  ids: { attempt: () => 'attempt-of-the-dead' as AttemptId },
  runner: createRunner(),
  channels: { [TEST_CHANNEL]: createTestChannel(clock.now).channel },
  tools: { data_modify: dataModify },
  resources: { database },
  postpone: async () => {},
}));
const { Messages = [] } = await sqs.send(
  new ReceiveMessageCommand({ QueueUrl: given.queue, MessageSystemAttributeNames: ['All'] }),
);
const [message] = Messages;
print(String(message?.ReceiptHandle));
const record = {
  messageId: message?.MessageId,
  receiptHandle: message?.ReceiptHandle,
  body: message?.Body,
  attributes: message?.Attributes,
};
await agent({ Records: [record] } as unknown as SQSEvent, lambdaContext(240_000));
