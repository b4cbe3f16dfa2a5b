import { Duration, Stack } from 'aws-cdk-lib';
import { Metric, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { FunctionName } from '../bundle.ts';

interface Counted {
  /** Whose log lines are counted. */
  readonly by: readonly FunctionName[];
  readonly where: string;
  /** The field whose value is taken; without it lines are counted. */
  readonly value?: string;
  readonly unit?: Unit;
  /** The field by whose values it is told apart. */
  readonly each?: string;
}

const decided = (kind: string): Counted => ({
  // A card or a text decides in the webhook, a command in the agent.
  by: ['webhook', 'agent'],
  where: `{ $.event = "ask-decided" && $.kind = "${kind}" }`,
});

/** Read off the log lines, so that counting costs the functions no call and no time. */
const COUNTED = {
  AsksOpened: { by: ['agent'], where: '{ $.event = "ask-opened" }' },
  AsksConfirmed: decided('confirm'),
  AsksModified: decided('modify'),
  AsksCancelled: decided('cancel'),
  AsksAnswered: decided('answer'),
  AsksTimedOut: {
    by: ['agent'],
    where: '{ $.event = "ask-carried-out" && $.outcome = "expired" }',
  },
  TimeToDecide: {
    by: ['webhook', 'agent'],
    where: '{ $.event = "ask-decided" && $.afterMs = * }',
    value: '$.afterMs',
    unit: Unit.MILLISECONDS,
  },
  DecisionsRefused: {
    by: ['webhook', 'agent'],
    where: '{ $.event = "decision-refused" }',
    each: '$.reason',
  },
  TurnsStarted: { by: ['agent'], where: '{ $.event = "turn-started" }' },
  TurnLength: {
    by: ['agent', 'deadletter'],
    where: '{ $.event = "turn-finished" && $.ms = * }',
    value: '$.ms',
    unit: Unit.MILLISECONDS,
  },
  ModelTokens: {
    by: ['agent'],
    where: '{ $.event = "model-called" && $.tokens = * }',
    value: '$.tokens',
  },
  JobsFailed: { by: ['agent', 'deadletter'], where: '{ $.event = "job-failed" }' },
  PeopleNotTold: { by: ['agent', 'deadletter'], where: '{ $.event = "person-not-told" }' },
  WebhookRejected: { by: ['webhook'], where: '{ $.event = "*-refused" && $.status = 401 }' },
} satisfies Readonly<Record<string, Counted>>;

export type Metrics = Readonly<Record<keyof typeof COUNTED, Metric>>;

export const createMetrics = (
  scope: Construct,
  functions: Readonly<Record<FunctionName, { readonly logs: LogGroup }>>,
): Metrics => {
  const namespace = Stack.of(scope).stackName;
  return Object.fromEntries(
    Object.entries<Counted>(COUNTED).map(([name, counted]) => {
      for (const by of counted.by)
        new MetricFilter(functions[by].logs, name, {
          logGroup: functions[by].logs,
          metricNamespace: namespace,
          metricName: name,
          filterPattern: FilterPattern.literal(counted.where),
          metricValue: counted.value ?? '1',
          unit: counted.unit ?? Unit.COUNT,
          ...(counted.each && { dimensions: { Reason: counted.each } }),
        });
      const statistic = counted.unit === Unit.MILLISECONDS ? 'p50' : 'Sum';
      const period = Duration.minutes(5);
      return [name, new Metric({ namespace, metricName: name, statistic, period })];
    }),
  ) as Metrics;
};
