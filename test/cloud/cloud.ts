import {
  CloudFormationClient,
  ListStackResourcesCommand,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import {
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import {
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { fromAttributes, toAttributes } from '#adapters/aws/attribute-value.ts';
import type { Target } from './command.ts';
import { EMULATED_ACCOUNT } from './emulator.ts';

const TABLE = 'AWS::DynamoDB::GlobalTable';

/** What the driver looks at and puts in place, from outside and with the caller's own rights. */
export const createCloud = ({ endpoint, region }: Target, stack: string) => {
  const settings = endpoint
    ? {
        endpoint,
        region: EMULATED_ACCOUNT.AWS_REGION,
        credentials: {
          accessKeyId: EMULATED_ACCOUNT.AWS_ACCESS_KEY_ID,
          secretAccessKey: EMULATED_ACCOUNT.AWS_SECRET_ACCESS_KEY,
        },
      }
    : { ...(region && { region }) };
  const lambda = new LambdaClient(settings);
  const sqs = new SQSClient(settings);
  const secrets = new SecretsManagerClient(settings);
  const scheduler = new SchedulerClient(settings);
  const dynamodb = new DynamoDBClient(settings);
  const formation = new CloudFormationClient(settings);

  const queueUrls = async (): Promise<readonly string[]> =>
    (await sqs.send(new ListQueuesCommand({ QueueNamePrefix: stack }))).QueueUrls ?? [];

  const resources = async (): Promise<readonly StackResourceSummary[]> => {
    const listed = await formation.send(new ListStackResourcesCommand({ StackName: stack }));
    return listed.StackResourceSummaries ?? [];
  };

  return {
    putSecret: async (values: Readonly<Record<string, string>>): Promise<void> => {
      const SecretString = JSON.stringify(values);
      await secrets.send(new PutSecretValueCommand({ SecretId: stack, SecretString }));
    },
    hasSecretValue: async (): Promise<boolean> => {
      try {
        const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: stack }));
        return Boolean(SecretString);
      } catch (error) {
        // Anything else, a permission too few for one, says nothing about what would be overwritten.
        if (error instanceof ResourceNotFoundException) return false;
        throw error;
      }
    },
    codeOf: async (name: string): Promise<string | undefined> => {
      const FunctionName = `${stack}-${name}`;
      const { Configuration } = await lambda.send(new GetFunctionCommand({ FunctionName }));
      return Configuration?.CodeSha256;
    },
    schedules: async (): Promise<readonly string[]> => {
      const { Schedules } = await scheduler.send(new ListSchedulesCommand({ GroupName: stack }));
      return (Schedules ?? []).map(({ Name }) => Name ?? '');
    },
    /** Messages in all queues of the stack, also those being worked on. */
    queued: async (): Promise<number> => {
      let count = 0;
      for (const QueueUrl of await queueUrls()) {
        const { Attributes } = await sqs.send(
          new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
        );
        count += Number(Attributes?.ApproximateNumberOfMessages ?? 0);
        count += Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0);
      }
      return count;
    },
    /** Everything of a session but its audit. */
    rowsOf: async (session: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
      const { Items = [] } = await dynamodb.send(
        new QueryCommand({
          TableName: (await resources()).find(({ ResourceType: type }) => type === TABLE)
            ?.PhysicalResourceId,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: toAttributes({ ':pk': `S#${session}` }),
          ConsistentRead: true,
        }),
      );
      return Items.map(fromAttributes);
    },
    resources: async (): Promise<number> => (await resources()).length,
    /** Whatever bears the stack's name, asked of each service itself. */
    leftovers: async (): Promise<readonly string[]> => {
      const named = (kind: string, names: readonly (string | undefined)[]) =>
        names.flatMap((name) => (name?.includes(stack) ? [`${kind} ${name}`] : []));
      const tables = await dynamodb.send(new ListTablesCommand({}));
      const functions = await lambda.send(new ListFunctionsCommand({}));
      const kept = await secrets.send(new ListSecretsCommand({ IncludePlannedDeletion: false }));
      const groups = await scheduler.send(new ListScheduleGroupsCommand({}));
      return [
        ...named('table', tables.TableNames ?? []),
        ...named('queue', await queueUrls()),
        ...named(
          'function',
          (functions.Functions ?? []).map(({ FunctionName }) => FunctionName),
        ),
        ...named(
          'secret',
          (kept.SecretList ?? []).map(({ Name }) => Name),
        ),
        ...named(
          'schedule group',
          (groups.ScheduleGroups ?? []).map(({ Name }) => Name),
        ),
      ];
    },
  };
};

export type Cloud = ReturnType<typeof createCloud>;
