import { Duration, Stack } from 'aws-cdk-lib';
import { Metric, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { FunctionName } from '../bundle.ts';

interface Counted {
  /** Whose log lines are counted. */
  readonly by: readonly FunctionName[];
  readonly event: string;
  /** What else must hold, in the language of filters: `$.field = value`. */
  readonly where?: string;
  /** The field whose value is taken; without it lines are counted. */
  readonly value?: string;
  readonly unit?: Unit;
  /** The field by whose values it is told apart. */
  readonly each?: string;
}

const decided = (kind: string, ...by: readonly FunctionName[]): Counted => ({
  by,
  event: 'ask-decided',
  where: `$.kind = "${kind}"`,
});

/** Read off the log lines, so that counting costs the functions no call and no time. */
const COUNTED = {
  AsksOpened: { by: ['agent'], event: 'ask-opened' },
  AsksConfirmed: decided('confirm', 'webhook'),
  AsksModified: decided('modify', 'webhook'),
  // By a card or a text in the webhook, by a command in the agent.
  AsksCancelled: decided('cancel', 'webhook', 'agent'),
  AsksAnswered: decided('answer', 'webhook'),
  AsksTimedOut: { by: ['agent'], event: 'ask-carried-out', where: '$.outcome = "expired"' },
  TimeToDecide: {
    by: ['webhook', 'agent'],
    event: 'ask-decided',
    value: '$.afterMs',
    unit: Unit.MILLISECONDS,
  },
  DecisionsRefused: { by: ['webhook', 'agent'], event: 'decision-refused', each: '$.reason' },
  TurnsStarted: { by: ['agent'], event: 'turn-started' },
  TurnLength: {
    by: ['agent', 'deadletter'],
    event: 'turn-finished',
    value: '$.ms',
    unit: Unit.MILLISECONDS,
  },
  ModelTokens: { by: ['agent'], event: 'model-called', value: '$.tokens' },
  JobsFailed: { by: ['agent', 'deadletter'], event: 'job-failed' },
  PeopleNotTold: [
    { by: ['agent', 'deadletter'], event: 'person-not-told' },
    { by: ['agent', 'deadletter'], event: 'control-job-failed' },
  ],
  NotRead: [
    { by: ['webhook', 'agent', 'deadletter'], event: 'secret-not-read' },
    { by: ['timeout'], event: 'timer-unreadable' },
  ],
  // What only people can put right; an answer that a filter stopped, or that was empty, is nobody's fault.
  ModelUnusable: [
    { by: ['agent'], event: 'model-failed', where: '$.code = "account"' },
    { by: ['agent'], event: 'model-failed', where: '$.code = "rejected"' },
  ],
  WebhookRejected: { by: ['webhook'], event: '*-refused', where: '$.status = 401' },
} satisfies Readonly<Record<string, Counted | readonly Counted[]>>;

/** A line without the value that is taken is not counted. */
const patternOf = ({ event, where, value }: Counted): string => {
  const terms = [`$.event = "${event}"`, where, value && `${value} = *`];
  return `{ ${terms.flatMap((term) => (term ? [`(${term})`] : [])).join(' && ')} }`;
};

export type Metrics = Readonly<Record<keyof typeof COUNTED, Metric>>;

export const createMetrics = (
  scope: Construct,
  functions: Readonly<Record<FunctionName, { readonly logs: LogGroup }>>,
): Metrics => {
  const namespace = Stack.of(scope).stackName;
  return Object.fromEntries(
    Object.entries<Counted | readonly Counted[]>(COUNTED).map(([name, one]) => {
      const kinds = [one].flat();
      for (const [nth, counted] of kinds.entries())
        for (const by of counted.by)
          new MetricFilter(functions[by].logs, `${name}${nth || ''}`, {
            logGroup: functions[by].logs,
            metricNamespace: namespace,
            metricName: name,
            filterPattern: FilterPattern.literal(patternOf(counted)),
            metricValue: counted.value ?? '1',
            unit: counted.unit ?? Unit.COUNT,
            ...(counted.each && { dimensions: { Reason: counted.each } }),
          });
      const inMs = kinds.some(({ unit }) => unit === Unit.MILLISECONDS);
      const statistic = inMs ? 'p50' : 'Sum';
      const period = Duration.minutes(5);
      return [name, new Metric({ namespace, metricName: name, statistic, period })];
    }),
  ) as Metrics;
};
