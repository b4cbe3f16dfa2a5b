import { type App, Aws, CfnCondition, CfnOutput, Fn, Stack } from 'aws-cdk-lib';
import { CfnEventInvokeConfig } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from './bundle.ts';
import { createAlarms } from './constructs/alarms.ts';
import { allow, deny } from './constructs/allow.ts';
import { createDashboard } from './constructs/dashboard.ts';
import { createDoor, type Door } from './constructs/door.ts';
import {
  createFunction,
  enterVpc,
  feed,
  functionArn,
  mayConsume,
  mayPostpone,
  mayUseVpc,
  shapesOf,
  type Wanted,
} from './constructs/functions.ts';
import { createMetrics } from './constructs/metrics.ts';
import { createQueues } from './constructs/queues.ts';
import { createSecret } from './constructs/secret.ts';
import { createTable } from './constructs/table.ts';
import { createTimers } from './constructs/timers.ts';
import type { EnvironmentSettings } from './environments.ts';

export interface StackInput {
  readonly environment: string;
  readonly settings: EnvironmentSettings;
  /** Holds a folder per function. */
  readonly code: string;
}

export const createStack = (app: App, { environment, settings, code }: StackInput): Stack => {
  const { account, region, keepData } = settings;
  const stack = new Stack(app, `Countersign-${environment}`, {
    description: `Countersign, ${environment}: a chat bot that asks before it acts`,
    terminationProtection: keepData,
    env: { ...(account && { account }), ...(region && { region }) },
  });
  const shapes = shapesOf(settings);
  const table = createTable(stack, keepData);
  const secret = createSecret(stack, keepData);
  const timeoutArn = functionArn(stack, 'timeout');
  const queues = createQueues(stack, {
    agent: shapes.agent.seconds,
    deadletter: shapes.deadletter.seconds,
    timeout: shapes.timeout.seconds,
  });
  const { jobs, deadLetters, undelivered } = queues;
  const timers = createTimers(stack, { timeoutArn, undelivered });

  const maySend = allow(['sqs:SendMessage'], jobs.queueArn);
  const mayReadSecret = allow(['secretsmanager:GetSecretValue'], secret.attrId);
  const mayOnTable = (...actions: readonly string[]) =>
    allow(
      actions.map((action) => `dynamodb:${action}`),
      table.tableArn,
    );
  // What was decided and what came of it is put once; nobody rewrites it.
  const mayNotRewriteAudit = deny(
    ['dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'],
    table.tableArn,
    { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['AUDIT#*'] } },
  );
  const { vpc } = settings.agent;
  const mayEnter = vpc ? [mayUseVpc()] : [];
  const front = { TABLE_NAME: table.tableName, QUEUE_URL: jobs.queueUrl };
  const timing = {
    SCHEDULE_GROUP: timers.group,
    SCHEDULE_ROLE_ARN: timers.role.roleArn,
    SCHEDULE_DEAD_LETTER_ARN: undelivered.queueArn,
    TIMEOUT_FUNCTION_ARN: timeoutArn,
  };
  const secretly = { SECRET_ARN: secret.attrId };

  const wanted: Readonly<Record<FunctionName, Wanted>> = {
    webhook: {
      variables: { ...front, ...secretly },
      may: [mayOnTable('GetItem', 'BatchGetItem', 'UpdateItem'), maySend, mayReadSecret],
    },
    agent: {
      variables: { ...front, ...timing, ...secretly },
      may: [
        mayOnTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        maySend,
        mayConsume(jobs),
        mayPostpone(jobs),
        ...timers.mayCreate,
        mayReadSecret,
        ...mayEnter,
      ],
    },
    timeout: {
      variables: { ...front, ...timing },
      may: [
        mayOnTable('GetItem', 'UpdateItem'),
        maySend,
        mayConsume(undelivered),
        // Where Lambda leaves what failed three times.
        allow(['sqs:SendMessage'], undelivered.queueArn),
        timers.mayDelete,
      ],
    },
    deadletter: {
      variables: {
        ...front,
        ...timing,
        ...secretly,
        QUEUE_ARN: jobs.queueArn,
        DEAD_LETTER_QUEUE_URL: deadLetters.queueUrl,
      },
      may: [
        mayOnTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        maySend,
        mayConsume(deadLetters),
        mayPostpone(deadLetters),
        mayReadSecret,
        ...mayEnter,
      ],
    },
  };
  const create = (name: FunctionName) =>
    createFunction(
      stack,
      name,
      { settings, code },
      { ...wanted[name], may: [...wanted[name].may, mayNotRewriteAudit] },
    );
  const functions = {
    webhook: create('webhook'),
    agent: create('agent'),
    timeout: create('timeout'),
    deadletter: create('deadletter'),
  };
  feed(functions.agent, jobs, { maxConcurrency: settings.agent.maxConcurrency });
  // Each does what the agent does at most; two at a time are enough, and a flood of failures stays a trickle.
  feed(functions.deadletter, deadLetters, { maxConcurrency: 2 });
  feed(functions.timeout, undelivered, { maxConcurrency: 2 });
  for (const { role } of [functions.agent, functions.timeout]) timers.explain(role);
  // The dead-letter function asks the database, too, what became of a call that was started.
  if (vpc) for (const one of [functions.agent, functions.deadletter]) enterVpc(one, vpc);
  new CfnEventInvokeConfig(stack, 'TimeoutFailures', {
    functionName: functions.timeout.function.functionName,
    qualifier: '$LATEST',
    maximumRetryAttempts: 2,
    destinationConfig: { onFailure: { destination: undelivered.queueArn } },
  });

  const door = createDoor(stack, settings, functions.webhook.function);
  const metrics = createMetrics(stack, functions);
  const watched = { functions, queues, door, metrics };
  createAlarms(stack, watched, settings.alarmTopicArn);
  createDashboard(stack, watched);
  printOutputs(stack, door);
  const forOperators = {
    TableName: table.tableName,
    QueueUrl: jobs.queueUrl,
    DeadLetterQueueUrl: deadLetters.queueUrl,
    UndeliveredQueueUrl: undelivered.queueUrl,
  };
  for (const [id, value] of Object.entries(forOperators))
    new CfnOutput(stack, id, { value, description: `For npm run ops -- … --env ${environment}` });
  return stack;
};

/** Every address, and where it goes. */
const printOutputs = (stack: Stack, { api, url, alias }: Door): void => {
  const outputs: Readonly<Record<string, readonly [value: string, description: string]>> = {
    FeishuUrl: [
      `${url}/webhook/feishu`,
      'Feishu developer console > Events and callbacks: the request URL of both events and callbacks',
    ],
    DingTalkUrl: [
      `${url}/webhook/dingtalk/{DINGTALK_PATH_SECRET}`,
      'DingTalk developer console > Robot > Message receiving address, with your path secret filled in',
    ],
    DingTalkCardUrl: [
      `${url}/webhook/dingtalk/{DINGTALK_PATH_SECRET}/card`,
      'The callbackUrl registered under DINGTALK_CARD_ROUTE_KEY, with your path secret filled in',
    ],
    HealthUrl: [`${url}/healthz`, 'Answers 200 as soon as the stack is up'],
    SecretName: [
      stack.stackName,
      'Put the keys there: aws secretsmanager put-secret-value --secret-id <this> --secret-string file://secret.json',
    ],
    ApiId: [api.apiId, 'The API, for tools'],
    DashboardUrl: [
      `https://${consoleHost(stack)}/cloudwatch/home?region=${stack.region}#dashboards/dashboard/${stack.stackName}`,
      'How the bot is doing',
    ],
    ...(alias && { DomainAlias: [alias, 'The CNAME record of your domain points here'] as const }),
  };
  for (const [id, [value, description]] of Object.entries(outputs))
    new CfnOutput(stack, id, { value, description });
};

/** In China it has a domain of its own; where this is deployed may only be known then. */
const consoleHost = (stack: Stack): string => {
  const inChina = new CfnCondition(stack, 'InChina', {
    expression: Fn.conditionEquals(Aws.PARTITION, 'aws-cn'),
  });
  return Fn.conditionIf(
    inChina.logicalId,
    'console.amazonaws.cn',
    'console.aws.amazon.com',
  ).toString();
};
