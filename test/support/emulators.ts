import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import { createTableInput } from '#adapters/aws/dynamodb.ts';
// By path: the package does not export it, and its sequence numbers need the patch below.
import { SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';

export interface DynamoEmulator {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly table: string;
  stop(): Promise<void>;
}

export interface SqsEmulator {
  readonly endpoint: string;
  readonly client: SQSClient;
  createFifoQueue(options?: {
    maxReceiveCount?: number;
    visibilitySeconds?: number;
  }): Promise<{ url: string; arn: string; deadLetterUrl: string }>;
  stop(): Promise<void>;
}

const TABLE = 'countersign';

/** Everything an SDK client needs to talk to an emulator and to nothing else. */
export const emulated = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

const openTable = async (
  endpoint: string,
  stopServer: () => Promise<unknown>,
): Promise<DynamoEmulator> => {
  const client = new DynamoDBClient(emulated(endpoint));
  await client.send(new CreateTableCommand(createTableInput(TABLE)));
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName: TABLE });
  const stop = async () => {
    client.destroy();
    await stopServer();
  };
  return { endpoint, client, table: TABLE, stop };
};

export const startDynalite = async (): Promise<DynamoEmulator> => {
  const server = dynalite({ createTableMs: 0 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return openTable(`http://127.0.0.1:${port}`, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const dynoxideBinary = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(
      `@dynoxide/${process.platform}-${process.arch}/dynoxide`,
    );
  } catch {
    return undefined;
  }
};

const answers = async (endpoint: string, child: ChildProcess): Promise<void> => {
  const client = new DynamoDBClient({ ...emulated(endpoint), maxAttempts: 1 });
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`dynoxide ended with code ${child.exitCode}`);
    const answered = await client.send(new ListTablesCommand({})).then(
      () => true,
      () => false,
    );
    if (answered) return client.destroy();
    await sleep(25);
  }
  throw new Error(`dynoxide did not answer on ${endpoint} within 5 s`);
};

/** `undefined` where the optional package is not installed, said aloud: a suite must not shrink unnoticed. */
export const startDynoxide = async (): Promise<DynamoEmulator | undefined> => {
  const binary = dynoxideBinary();
  if (binary === undefined) {
    // biome-ignore lint/suspicious/noConsole: the reader of the test run is the one to be told
    console.warn(
      `DYNOXIDE DID NOT RUN: @dynoxide/${process.platform}-${process.arch} is not installed (an optional dependency, ` +
        'published for few platforms). Everything that compares stores ran without its second DynamoDB engine.',
    );
    return undefined;
  }
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn(binary, ['--host', '127.0.0.1', '--port', String(port)], { stdio: 'ignore' });
  // A test run that ends before its hooks must not leave it behind.
  const killChild = () => void child.kill();
  process.once('exit', killChild);
  const stopChild = async () => {
    process.off('exit', killChild);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  try {
    await answers(endpoint, child);
    return await openTable(endpoint, stopChild);
  } catch (error) {
    await stopChild();
    throw error;
  }
};

let lastSequence = 0n;
/** fauxqs starts at 1 with every queue. Real numbers have 20 digits and never go back, also not after a restart. */
SqsQueue.prototype.nextSequenceNumber = () => {
  const fromClock = 10n ** 19n + BigInt(Date.now()) * 1_000_000n;
  lastSequence = fromClock > lastSequence ? fromClock : lastSequence + 256n;
  return String(lastSequence);
};

export const startFauxqs = async (): Promise<SqsEmulator> => {
  const app = buildApp({ logger: false });
  // Its own start function listens on every interface, whatever host it is given.
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = new SQSClient(emulated(endpoint));
  let queues = 0;

  const create = async (name: string, attributes: Record<string, string>) => {
    const { QueueUrl } = await client.send(
      new CreateQueueCommand({
        QueueName: `${name}.fifo`,
        Attributes: { FifoQueue: 'true', ...attributes },
      }),
    );
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    return { url: String(QueueUrl), arn: String(Attributes?.['QueueArn']) };
  };

  return {
    endpoint,
    client,
    createFifoQueue: async ({ maxReceiveCount = 5, visibilitySeconds = 300 } = {}) => {
      queues += 1;
      const dead = await create(`dead-letters-${queues}`, {});
      const queue = await create(`jobs-${queues}`, {
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount }),
      });
      return { ...queue, deadLetterUrl: dead.url };
    },
    stop: async () => {
      client.destroy();
      await app.close();
    },
  };
};
