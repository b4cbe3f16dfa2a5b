import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { FUNCTIONS, type FunctionName } from '../bundle.ts';
import type { Door } from './door.ts';
import type { Created } from './functions.ts';
import type { Metrics } from './metrics.ts';
import { leftIn, type Queues } from './queues.ts';

export interface Watched {
  readonly functions: Readonly<Record<FunctionName, Created>>;
  readonly queues: Queues;
  readonly door: Door;
  readonly metrics: Metrics;
}

interface Line {
  readonly id: string;
  readonly metric: IMetric;
  /** Alarms when it is at least that, so many of its periods running. */
  readonly least: number;
  readonly periods: number;
  readonly means: string;
}

const PERIOD = { period: Duration.minutes(5) };

/**
 * Errors in five minutes. Functions that read a queue catch what fails and report it, so an error of theirs is a crash, a
 * timeout, or a setting they cannot be built with; the timeout function leaves trying again to whoever called it.
 */
const ERRORS: Readonly<Record<FunctionName, number>> = {
  webhook: 1,
  agent: 1,
  timeout: 3,
  deadletter: 1,
};

const linesFor = ({ functions, queues, door, metrics }: Watched): readonly Line[] => [
  line(
    'JobsFailed',
    metrics.JobsFailed,
    1,
    1,
    'A job was given up and kept, its person told unless it could not be read. The log line job-failed says which.',
  ),
  line(
    'PeopleNotTold',
    metrics.PeopleNotTold,
    1,
    1,
    'A turn or a command failed and nobody could be told: somebody waits for an answer.',
  ),
  line(
    'ModelUnusable',
    metrics.ModelUnusable,
    1,
    1,
    'The model refuses the key or the request, or MODEL is wrong: people are told to see an administrator.',
  ),
  line(
    'NotRead',
    metrics.NotRead,
    1,
    1,
    'The secret or a timer cannot be read: functions go on with the last good secret, the timer is lost.',
  ),
  line(
    'DeadLettersWait',
    leftIn(queues, 'deadLetters'),
    1,
    15,
    'Dead letters are not taken: the dead-letter function itself fails.',
  ),
  line(
    'TimersUndelivered',
    leftIn(queues, 'undelivered'),
    1,
    15,
    'Expiries cannot be carried out: the timeout function fails.',
  ),
  // A session's jobs wait for one another, and a turn may take its four minutes; half an hour is no queueing any more.
  line(
    'JobsOld',
    queues.jobs.metricApproximateAgeOfOldestMessage({ ...PERIOD, statistic: 'Maximum' }),
    1800,
    1,
    'Jobs wait: the agent fails, or maxConcurrency is too low.',
  ),
  // DingTalk waits 2 s for a card, Feishu 3 s. The network takes its part. The API's own latency, as a function's
  // duration leaves out what platforms wait for longest: its cold start.
  line(
    'WebhookSlow',
    door.api.metricLatency({ ...PERIOD, statistic: 'p99' }),
    1500,
    2,
    'The webhook nears the 2 s that a platform waits for an answer.',
  ),
  line(
    'DoorBroken',
    door.api.metricServerError({ ...PERIOD, statistic: 'Sum' }),
    1,
    2,
    'Platforms get 5xx: the secret or a setting is wrong, or DynamoDB or SQS fails.',
  ),
  ...FUNCTIONS.flatMap((name) => {
    const made = functions[name].function;
    return [
      line(
        `${name}Errors`,
        made.metricErrors({ ...PERIOD, statistic: 'Sum' }),
        ERRORS[name],
        1,
        `The ${name} function ended with an error.`,
      ),
      line(
        `${name}Throttles`,
        made.metricThrottles({ ...PERIOD, statistic: 'Sum' }),
        1,
        2,
        `The ${name} function is throttled: raise the account's Lambda concurrency.`,
      ),
    ];
  }),
];

const line = (
  id: string,
  metric: IMetric,
  least: number,
  periods: number,
  means: string,
): Line => ({ id: `${id.charAt(0).toUpperCase()}${id.slice(1)}`, metric, least, periods, means });

export const createAlarms = (
  scope: Construct,
  watched: Watched,
  topicArn: string | undefined,
): void => {
  const action = topicArn && new SnsAction(Topic.fromTopicArn(scope, 'AlarmTopic', topicArn));
  for (const { id, metric, least, periods, means } of linesFor(watched)) {
    const alarm = new Alarm(scope, `${id}Alarm`, {
      alarmName: `${Stack.of(scope).stackName}-${id}`,
      alarmDescription: means,
      metric,
      threshold: least,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (action) alarm.addAlarmAction(action);
  }
};
