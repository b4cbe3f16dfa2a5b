import { describe, expect, it } from 'vitest';
import { ofType, templateFor } from './given.ts';
import { tablesIn } from './guide.ts';

/** What is watched, and docs/deploy.md about it: an operator reads there what an alarm means. */
const dev = templateFor('dev');

interface AlarmProperties {
  readonly AlarmName: string;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly Period?: number;
  readonly Namespace?: string;
  readonly MetricName?: string;
  /** Of a sum. */
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Period: number } }[];
}
const alarms = Object.values(ofType(dev, 'AWS::CloudWatch::Alarm')).map(
  ({ Properties }) => Properties as unknown as AlarmProperties,
);
const FUNCTIONS = ['Webhook', 'Agent', 'Timeout', 'Deadletter'];

describe('the table of alarms', () => {
  const rows = tablesIn('What is watched').map(([name = '', when = '']) => ({
    name: name.replaceAll('`', ''),
    when,
  }));
  const rowOf = (alarm: string) =>
    rows.find(({ name }) => name === alarm) ??
    rows.find(({ name }) => name.startsWith('…') && alarm.endsWith(name.slice(1)));

  it('has every alarm, and no other', () => {
    const told = rows.flatMap(({ name }) =>
      name.startsWith('…') ? FUNCTIONS.map((one) => `${one}${name.slice(1)}`) : [name],
    );
    const named = alarms.map(({ AlarmName }) => AlarmName.replace('Countersign-dev-', ''));
    expect(told.sort()).toEqual(named.sort());
  });

  it.each(alarms)('tells when $AlarmName is raised', (alarm) => {
    const name = alarm.AlarmName.replace('Countersign-dev-', '');
    const { when = '' } = rowOf(name) ?? {};
    const seconds =
      alarm.Period ?? alarm.Metrics?.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
    const minutes = (alarm.EvaluationPeriods * Number(seconds)) / 60;
    // A time is told in its own unit: 1800 s as 30 min, 1500 ms as 1.5 s.
    const units: Readonly<Record<string, string>> = {
      JobsOld: `${alarm.Threshold / 60} min`,
      WebhookSlow: `${alarm.Threshold / 1000} s`,
    };
    const least = units[name] ?? `${alarm.Threshold}`;
    expect(when).toContain(`≥ ${least}`);
    if (name !== 'JobsOld') expect(when).toContain(`${minutes} min`);
  });
});

describe('what is watched', () => {
  const counted = new Set(
    Object.values(ofType(dev, 'AWS::Logs::MetricFilter')).map(({ Properties }) => {
      const [to] = Properties['MetricTransformations'] as readonly [
        { readonly MetricName: string },
      ];
      return to.MetricName;
    }),
  );

  it('alarms of our own metrics at nothing that is not counted', () => {
    const own = alarms.filter(({ Namespace }) => Namespace === 'Countersign-dev');
    expect(own.map(({ MetricName }) => MetricName)).toEqual([
      'JobsFailed',
      'PeopleNotTold',
      'ModelUnusable',
      'NotRead',
    ]);
    for (const { MetricName } of own) expect(counted).toContain(MetricName);
  });

  it('shows everything that is counted on the dashboard', () => {
    const [board] = Object.values(ofType(dev, 'AWS::CloudWatch::Dashboard'));
    const body = JSON.stringify(board?.Properties['DashboardBody']);
    expect([...counted].filter((name) => !body.includes(name))).toEqual([]);
  });

  it('keeps no log for ever', () => {
    const logs = Object.values(ofType(dev, 'AWS::Logs::LogGroup'));
    expect(logs).toHaveLength(FUNCTIONS.length + 1);
    for (const { Properties } of logs) expect(Properties['RetentionInDays']).toBe(7);
  });
});

it('tells of outputs that there are', () => {
  const outputs = Object.keys(dev.findOutputs('*'));
  const told = tablesIn('First deploy in ten minutes').map(([name = '']) =>
    name.replaceAll('`', ''),
  );
  expect(told.length).toBeGreaterThan(4);
  expect(told.filter((name) => !outputs.includes(name))).toEqual([]);
});
