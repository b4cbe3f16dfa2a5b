import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createTableIfAbsent, startLocalDynamo } from '#hosts/local/aws/dynamodb.ts';
import { emulated } from '#hosts/local/aws/emulated.ts';
import { startLocalSqs } from '#hosts/local/aws/sqs.ts';

export { emulated };

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

const openTable = async (
  endpoint: string,
  stopServer: () => Promise<unknown>,
): Promise<DynamoEmulator> => {
  await createTableIfAbsent(endpoint, TABLE);
  const client = new DynamoDBClient(emulated(endpoint));
  const stop = async () => {
    client.destroy();
    await stopServer();
  };
  return { endpoint, client, table: TABLE, stop };
};

export const startDynalite = async (): Promise<DynamoEmulator> => {
  const { endpoint, stop } = await startLocalDynamo();
  return openTable(endpoint, stop);
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

export const startFauxqs = async (): Promise<SqsEmulator> => {
  const { endpoint, openFifoQueue, stop } = await startLocalSqs();
  const client = new SQSClient(emulated(endpoint));
  let queues = 0;

  return {
    endpoint,
    client,
    createFifoQueue: async ({ maxReceiveCount = 5, visibilitySeconds = 300 } = {}) => {
      queues += 1;
      const number = queues;
      const deadLetters = await openFifoQueue(`dead-letters-${number}`);
      const queue = await openFifoQueue(`jobs-${number}`, {
        visibilitySeconds,
        maxReceiveCount,
        deadLetters,
      });
      return { ...queue, deadLetterUrl: deadLetters.url };
    },
    stop: async () => {
      client.destroy();
      await stop();
    },
  };
};
