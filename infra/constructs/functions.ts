import { join } from 'node:path';
import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type FunctionName, SETTINGS_FILE } from '../bundle.ts';
import type { EnvironmentSettings } from '../environments.ts';
import { allow } from './allow.ts';

interface Shape {
  readonly memoryMb: number;
  readonly seconds: number;
}

/** Lambda gives CPU by memory, a whole core at 1769 MB. */
export const shapesOf = ({
  agent,
}: EnvironmentSettings): Readonly<Record<FunctionName, Shape>> => ({
  // Feishu waits 3 s and DingTalk 2, for a cold start too: more than half a core to load the code, read the secret and
  // make two AWS calls. After 10 s nobody listens any more.
  webhook: { memoryMb: 1024, seconds: 10 },
  // It mostly waits for the model; the memory is for tool results (up to 16 MB, in several copies while they are packed)
  // and the SQL parser. The time is that of one part of a turn: what does not fit goes on in another job.
  agent: { memoryMb: agent.memoryMb, seconds: agent.timeoutSeconds },
  // Two AWS calls, and nobody waits for them; the time is for the SDK's retries when it is throttled.
  timeout: { memoryMb: 256, seconds: 30 },
  // The agent's code without the model. It talks to platforms that may have failed the agent a moment ago.
  deadletter: { memoryMb: 512, seconds: 120 },
});

/**
 * Finishing a turn and going on with a long one feed the agent's own queue, and a failed job that is given up lets the
 * next one in, which may fail too. Lambda follows a message through queues, and would cut such a chain after 16 rounds.
 */
const LOOPING: readonly FunctionName[] = ['agent', 'deadletter'];

export const functionName = (scope: Construct, name: FunctionName): string =>
  `${Stack.of(scope).stackName}-${name}`;

/** By name: the timeout function is told its own address, which it cannot refer to. */
export const functionArn = (scope: Construct, name: FunctionName): string =>
  Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: functionName(scope, name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

export interface Wanted {
  readonly variables: Readonly<Record<string, string>>;
  readonly may: readonly PolicyStatement[];
}

export interface Created {
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly logs: LogGroup;
}

export interface Given {
  readonly settings: EnvironmentSettings;
  /** Holds a folder per function. */
  readonly code: string;
}

export const createFunction = (
  scope: Construct,
  name: FunctionName,
  { settings, code }: Given,
  { variables, may }: Wanted,
): Created => {
  const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const { memoryMb, seconds } = shapesOf(settings)[name];
  const logs = new LogGroup(scope, `${id}Logs`, {
    logGroupName: `/aws/lambda/${functionName(scope, name)}`,
    retention: settings.logDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const writesLogs = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logs.logGroupArn);
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { Uses: new PolicyDocument({ statements: [writesLogs, ...may] }) },
  });
  const made = new LambdaFunction(scope, id, {
    functionName: functionName(scope, name),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(join(code, name)),
    handler: 'index.handler',
    memorySize: memoryMb,
    timeout: Duration.seconds(seconds),
    role,
    logGroup: logs,
    tracing: Tracing.ACTIVE,
    environment: { COUNTERSIGN_CONFIG: SETTINGS_FILE, ...variables },
    ...(LOOPING.includes(name) && { recursiveLoop: RecursiveLoop.ALLOW }),
  });
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'The two actions of X-Ray know no resources and, in a VPC, Lambda asks for those of network interfaces before there is one to name.',
  });
  return { function: made, role, logs };
};

/** One job at a time: the handlers report what failed, and a FIFO group waits for it. */
export const feed = (
  { function: target }: Created,
  queue: Queue,
  limits: { readonly batchSize?: number; readonly maxConcurrency?: number } = {},
): EventSourceMapping =>
  new EventSourceMapping(target, `From${queue.node.id}`, {
    target,
    eventSourceArn: queue.queueArn,
    batchSize: 1,
    reportBatchItemFailures: true,
    ...limits,
  });

/** What the poller of a function does in its name, and putting a job back for later. */
export const mayConsume = (queue: Queue): PolicyStatement =>
  allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queue.queueArn);
export const mayPostpone = (queue: Queue): PolicyStatement =>
  allow(['sqs:ChangeMessageVisibility'], queue.queueArn);

/** So that a private database is reachable. Lambda's network interfaces are made and removed in the function's name. */
export const enterVpc = (
  { function: made }: Created,
  vpc: NonNullable<EnvironmentSettings['agent']['vpc']>,
): void => {
  (made.node.defaultChild as CfnFunction).vpcConfig = {
    subnetIds: vpc.subnets,
    securityGroupIds: vpc.securityGroups,
  };
};

export const mayUseVpc = (): PolicyStatement =>
  allow(
    [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeSubnets',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    '*',
  );
