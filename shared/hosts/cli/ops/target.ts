import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { createSecretsManagerSecrets } from '#adapters/aws/secrets.ts';
import { createSqsQueue } from '#adapters/aws/sqs.ts';
import type { Queue } from '#ports/queue.ts';
import type { Store } from '#ports/store.ts';
import { createJsonLog } from '../../json-log.ts';
import type { Environment } from '../../lambda/environment.ts';
import { emulated } from '../../local/aws/emulated.ts';
import { type Running, runningFile } from '../../local/running.ts';
import { type Alarm, alarmsOf } from './alarms.ts';

/** A bot, as its operator reaches it. */
export interface Target {
  readonly name: string;
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly store: Store;
  readonly sqs: SQSClient;
  readonly queue: Queue;
  /** By what they hold. */
  readonly queues: Readonly<Record<string, string>>;
  /** Without a slash at its end. */
  readonly url: string;
  /** Keys and addresses of its channels. */
  environment(): Promise<Environment>;
  /** A local bot has none. */
  alarms(): Promise<readonly Alarm[]>;
}

const HEALTH_MS = 3_000;
const DEFAULT_FOLDER = '.countersign';

export const openLocal = async (environment: Environment): Promise<Target> => {
  const folder = resolve(environment['STATE_DIR'] || DEFAULT_FOLDER);
  const running = readRunning(folder);
  if (!running || !(await answersHealth(running.url)))
    throw new Error(
      `no bot runs on the state folder ${folder}: npm start (STATE_DIR names another folder, --env a deployed bot)`,
    );
  const { table, url, endpoints, queues } = running;
  return {
    ...reach(new DynamoDBClient(emulated(endpoints.dynamodb)), table),
    ...send(new SQSClient(emulated(endpoints.sqs)), queues),
    name: 'local',
    url,
    environment: async () => environment,
    alarms: async () => [],
  };
};

const reach = (dynamo: DynamoDBClient, table: string) => ({
  dynamo,
  table,
  store: createDynamoStore(dynamo, table),
});

const send = (sqs: SQSClient, queues: Running['queues'] & Target['queues']) => ({
  sqs,
  queues,
  queue: createSqsQueue(sqs, queues.jobs),
});

const readRunning = (folder: string): Running | undefined => {
  try {
    return JSON.parse(readFileSync(runningFile(folder), 'utf8')) as Running;
  } catch {
    return undefined;
  }
};

export const answersHealth = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) })).ok;
  } catch {
    return false;
  }
};

/** Everything is found through the stack's outputs, with the operator's own credentials. */
export const openDeployed = async (env: string): Promise<Target> => {
  const stack = `Countersign-${env}`;
  const outputs = await outputsOf(stack);
  const output = (name: string): string => {
    const value = outputs.get(name);
    if (value) return value;
    throw new Error(
      `${stack} has no output ${name}: deploy this release, npx cdk deploy -c env=${env}`,
    );
  };
  const secretId = output('SecretName');
  return {
    ...reach(new DynamoDBClient({}), output('TableName')),
    ...send(new SQSClient({}), {
      jobs: output('QueueUrl'),
      deadLetters: output('DeadLetterQueueUrl'),
      undelivered: output('UndeliveredQueueUrl'),
    }),
    name: env,
    url: output('HealthUrl').replace(/\/healthz$/, ''),
    environment: () =>
      createSecretsManagerSecrets(new SecretsManagerClient({}), secretId, {
        log: createJsonLog((line) => process.stderr.write(line)),
      }).current(),
    alarms: () => alarmsOf(new CloudWatchClient({}), stack),
  };
};

const outputsOf = async (stack: string): Promise<ReadonlyMap<string, string>> => {
  const client = new CloudFormationClient({});
  const described = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error: Error) => {
      throw new Error(
        `the stack ${stack} cannot be read with these credentials in this region: ${error.message}`,
        { cause: error },
      );
    });
  return new Map(
    described.Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [
      String(OutputKey),
      String(OutputValue),
    ]),
  );
};
