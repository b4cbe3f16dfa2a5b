import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, ApiGatewayV2Client, GetApisCommand } from '@aws-sdk/client-apigatewayv2';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  GetDashboardCommand,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, paginateDescribeLogGroups } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { IAMClient, paginateListRoles } from '@aws-sdk/client-iam';
import {
  LambdaClient,
  paginateListEventSourceMappings,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import { paginateListScheduleGroups, SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListSecrets, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';

type Names = readonly (string | undefined)[];

const every = async <Page>(
  pages: AsyncIterable<Page>,
  namesIn: (page: Page) => Names | undefined,
): Promise<Names> => {
  const names: (string | undefined)[] = [];
  for await (const page of pages) names.push(...(namesIn(page) ?? []));
  return names;
};

const apisOf = async (client: ApiGatewayV2Client): Promise<Names> => {
  const apis: Api[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(new GetApisCommand({ ...(NextToken && { NextToken }) }));
    apis.push(...(page.Items ?? []));
    ({ NextToken } = page);
  } while (NextToken);
  return apis.map(({ ApiId }) => ApiId);
};

interface Settings {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export const resourcesOf = async (
  client: CloudFormationClient,
  stack: string,
): Promise<readonly StackResourceSummary[]> => {
  const pages = paginateListStackResources({ client }, { StackName: stack });
  const resources: StackResourceSummary[] = [];
  for await (const page of pages) resources.push(...(page.StackResourceSummaries ?? []));
  return resources;
};

const dashboardNamed = async (
  client: CloudWatchClient,
  DashboardName: string,
): Promise<string | undefined> => {
  try {
    return (await client.send(new GetDashboardCommand({ DashboardName }))).DashboardName;
  } catch (error) {
    if (/NotFound/.test((error as Error).name)) return undefined;
    throw error;
  }
};

type List = (ids: readonly string[]) => Promise<Names>;

/** Everything there is of a kind, by the names that stacks know it by; asked of each service itself. */
const listers = (settings: Settings): Readonly<Record<string, List>> => {
  const of = <Client>(Made: new (given: Settings) => Client) => ({ client: new Made(settings) });
  const lambda = of(LambdaClient);
  const cloudwatch = of(CloudWatchClient);
  return {
    'DynamoDB::GlobalTable': () =>
      every(paginateListTables(of(DynamoDBClient), {}), (page) => page.TableNames),
    'SQS::Queue': () => every(paginateListQueues(of(SQSClient), {}), (page) => page.QueueUrls),
    'Lambda::Function': () =>
      every(paginateListFunctions(lambda, {}), (page) =>
        page.Functions?.map(({ FunctionName }) => FunctionName),
      ),
    'Lambda::EventSourceMapping': () =>
      every(paginateListEventSourceMappings(lambda, {}), (page) =>
        page.EventSourceMappings?.map(({ UUID }) => UUID),
      ),
    'SecretsManager::Secret': () =>
      every(paginateListSecrets(of(SecretsManagerClient), {}), (page) =>
        // A stack on AWS knows it by its ARN, on MiniStack by its name.
        page.SecretList?.flatMap(({ ARN, Name }) => [ARN, Name]),
      ),
    'Scheduler::ScheduleGroup': () =>
      every(paginateListScheduleGroups(of(SchedulerClient), {}), (page) =>
        page.ScheduleGroups?.map(({ Name }) => Name),
      ),
    'Logs::LogGroup': () =>
      every(paginateDescribeLogGroups(of(CloudWatchLogsClient), {}), (page) =>
        page.logGroups?.map(({ logGroupName }) => logGroupName),
      ),
    'IAM::Role': () =>
      every(paginateListRoles(of(IAMClient), {}), (page) =>
        page.Roles?.map(({ RoleName }) => RoleName),
      ),
    'ApiGatewayV2::Api': () => apisOf(of(ApiGatewayV2Client).client),
    'CloudWatch::Alarm': () =>
      every(paginateDescribeAlarms(cloudwatch, {}), (page) =>
        page.MetricAlarms?.map(({ AlarmName }) => AlarmName),
      ),
    // By name: the SDK cannot read MiniStack's list of them.
    'CloudWatch::Dashboard': (names) =>
      Promise.all(names.map((name) => dashboardNamed(cloudwatch.client, name))),
  };
};

/** A service may take a while to forget. */
const PATIENCE_SECONDS = 30;

/**
 * Writes down what a stack has, and finds each in its service's own list, so that what is not found later is gone.
 * Answers with how to look whether it is.
 */
export const rememberStack = async (settings: Settings, stack: string) => {
  const formation = new CloudFormationClient(settings);
  const resources = new Map<string, string[]>();
  for (const { ResourceType = '', PhysicalResourceId = '' } of await resourcesOf(
    formation,
    stack,
  )) {
    const kind = ResourceType.replace('AWS::', '');
    resources.set(kind, [...(resources.get(kind) ?? []), PhysicalResourceId]);
  }
  const lists = listers(settings);

  const stillThere = async (): Promise<readonly string[]> => {
    const found = await Promise.all(
      Object.entries(lists).map(async ([kind, list]) => {
        const ids = resources.get(kind) ?? [];
        const names = new Set(await list(ids));
        return ids.filter((id) => names.has(id)).map((id) => `${kind} ${id}`);
      }),
    );
    return found.flat();
  };
  const stackIsThere = async (): Promise<boolean> => {
    try {
      const { Stacks = [] } = await formation.send(new DescribeStacksCommand({ StackName: stack }));
      return Stacks.some(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE');
    } catch (error) {
      if ((error as Error).name === 'ValidationError') return false;
      throw error;
    }
  };

  const all = Object.keys(lists).flatMap((kind) => {
    const ids = resources.get(kind) ?? [];
    assert.ok(ids.length > 0, `the stack has no ${kind}`);
    return ids.map((id) => `${kind} ${id}`);
  });
  assert.deepEqual([...(await stillThere())].sort(), all.sort());
  assert.ok(await stackIsThere());

  return {
    count: all.length,
    kinds: Object.keys(lists).length,
    leftovers: async (): Promise<readonly string[]> => {
      for (let waited = 0; ; waited += 1) {
        const left = [...(await stillThere()), ...((await stackIsThere()) ? [stack] : [])];
        if (left.length === 0 || waited >= PATIENCE_SECONDS) return left;
        await sleep(1_000);
      }
    },
  };
};
