import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { FUNCTIONS } from '../bundle.ts';
import type { Watched } from './alarms.ts';
import { leftIn } from './queues.ts';

const graph = (title: string, left: readonly IMetric[]): GraphWidget =>
  new GraphWidget({ title, left: [...left], width: 8, height: 6 });

export const createDashboard = (
  scope: Construct,
  { functions, queues, door, metrics }: Watched,
): void => {
  const { stackName } = Stack.of(scope);
  const ofEach = (metric: 'metricErrors' | 'metricThrottles') =>
    FUNCTIONS.map((name) =>
      functions[name].function[metric]({
        label: name,
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
    );
  const refusals = new MathExpression({
    label: '',
    expression: `SEARCH('{"${stackName}",Reason} MetricName="DecisionsRefused"', 'Sum', 300)`,
  });
  new Dashboard(scope, 'Dashboard', {
    dashboardName: stackName,
    widgets: [
      [
        graph('Asks', [
          metrics.AsksOpened,
          metrics.AsksConfirmed,
          metrics.AsksModified,
          metrics.AsksCancelled,
          metrics.AsksAnswered,
          metrics.AsksTimedOut,
        ]),
        graph('Time to decide', [
          metrics.TimeToDecide.with({ statistic: 'p50', label: 'half' }),
          metrics.TimeToDecide.with({ statistic: 'p90', label: '9 of 10' }),
        ]),
        graph('Refusals by reason', [refusals]),
      ],
      [
        graph('Turns', [
          metrics.TurnsStarted,
          metrics.JobsFailed,
          metrics.PeopleNotTold,
          metrics.ModelUnusable,
          metrics.NotRead,
        ]),
        graph('Turn length', [
          metrics.TurnLength.with({ statistic: 'p50', label: 'half' }),
          metrics.TurnLength.with({ statistic: 'p90', label: '9 of 10' }),
        ]),
        graph('Model tokens', [metrics.ModelTokens]),
      ],
      [
        graph('Age of the oldest job', [queues.jobs.metricApproximateAgeOfOldestMessage()]),
        graph('Left behind', [leftIn(queues, 'deadLetters'), leftIn(queues, 'undelivered')]),
        graph('Webhook, ms', [
          door.api.metricLatency({ statistic: 'p50', label: 'p50' }),
          door.api.metricLatency({ statistic: 'p99', label: 'p99, cold starts too' }),
        ]),
      ],
      [
        graph('Errors', ofEach('metricErrors')),
        graph('Throttles', ofEach('metricThrottles')),
        graph('Refused at the door', [
          metrics.WebhookRejected,
          door.api.metricClientError({ label: '4xx' }),
          door.api.metricServerError({ label: '5xx' }),
        ]),
      ],
    ],
  });
};
