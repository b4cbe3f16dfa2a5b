import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { fromAttributes, toAttributes } from '#adapters/aws/attribute-value.ts';
import type { Target } from './command.ts';
import { EMULATED_ACCOUNT } from './emulator.ts';
import { rememberStack, resourcesOf } from './leftovers.ts';

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

  const resources = () => resourcesOf(formation, stack);
  /** By the address or name it has, those of a kind. */
  const named = async (kind: string, start = ''): Promise<readonly string[]> =>
    (await resources())
      .filter(({ ResourceType, LogicalResourceId }) =>
        [ResourceType === `AWS::${kind}`, LogicalResourceId?.startsWith(start)].every(Boolean),
      )
      .map(({ PhysicalResourceId }) => PhysicalResourceId ?? '');

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
    /** What the schedule would give the timeout function. */
    timerOf: async (name: string): Promise<string> => {
      const { Target } = await scheduler.send(
        new GetScheduleCommand({ GroupName: stack, Name: name }),
      );
      return Target?.Input ?? '';
    },
    removeSchedule: async (name: string): Promise<void> => {
      await scheduler.send(new DeleteScheduleCommand({ GroupName: stack, Name: name }));
    },
    /** As a schedule does it. */
    invoke: async (name: string, input: string): Promise<void> => {
      const FunctionName = `${stack}-${name}`;
      const Payload = Buffer.from(input);
      const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
      if (FunctionError) throw new Error(`${FunctionName} failed: ${FunctionError}`);
    },
    /** As Scheduler and Lambda do it with what they could not deliver. */
    leaveUndelivered: async (MessageBody: string): Promise<void> => {
      const [QueueUrl] = await named('SQS::Queue', 'UndeliveredTimers');
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    },
    /** Messages in all queues of the stack, also those being worked on. */
    queued: async (): Promise<number> => {
      let count = 0;
      for (const QueueUrl of await named('SQS::Queue')) {
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
          TableName: (await named('DynamoDB::GlobalTable'))[0],
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: toAttributes({ ':pk': `S#${session}` }),
          ConsistentRead: true,
        }),
      );
      return Items.map(fromAttributes);
    },
    resources: async (): Promise<number> => (await resources()).length,
    remember: () => rememberStack(settings, stack),
  };
};

export type Cloud = ReturnType<typeof createCloud>;
