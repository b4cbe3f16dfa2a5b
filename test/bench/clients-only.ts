import type { FunctionName } from '../../infra/bundle.ts';

const DYNAMODB = `import { DynamoDBClient, BatchGetItemCommand, GetItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';`;
const SQS = `import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';`;
const SQS_READER = `import { SQSClient, ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs';`;
const SECRETS = `import { SecretsManagerClient, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';`;
const SCHEDULER = `import { SchedulerClient, CreateScheduleCommand, DeleteScheduleCommand } from '@aws-sdk/client-scheduler';`;

const IMPORTS: Record<FunctionName, readonly string[]> = {
  webhook: [DYNAMODB, SQS, SECRETS],
  timeout: [DYNAMODB, SQS, SECRETS, SCHEDULER],
  agent: [DYNAMODB, SQS_READER, SECRETS, SCHEDULER],
  deadletter: [DYNAMODB, SQS_READER, SECRETS, SCHEDULER],
};

const namesIn = (line: string): readonly string[] =>
  (/\{(.*)\}/.exec(line)?.[1] ?? '').split(',').map((name) => name.trim());

/** A handler with nothing but the AWS clients and commands that the function uses: what it can never be smaller than. */
export const clientsOnly = (name: FunctionName): string => {
  const lines = IMPORTS[name];
  const all = lines.flatMap(namesIn).join(', ');
  return `${lines.join('\n')}\nexport const handler = async (event) => [${all}].map((one) => new one(event));`;
};

export const EMPTY = 'export const handler = async () => ({});';
