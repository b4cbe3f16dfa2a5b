import { describe, expect, it } from 'vitest';
import { ofType, templateFor } from './given.ts';
import { guide, tablesIn } from './guide.ts';

interface Transformation {
  readonly MetricName: string;
  readonly Dimensions?: readonly unknown[];
}

/** docs/deploy.md does sums: they are done again, and what can be counted is counted. */
const dev = templateFor('dev');
const all = (type: string) => Object.values(ofType(dev, type));

describe('what it costs', () => {
  const rows = tablesIn('What it costs').map(([what = '', price = '', sum = '']) => ({
    what,
    price,
    sum: Number(sum.replaceAll('*', '')),
  }));
  /** `2 × 15 a minute × 43,200 min × 0.50 / M + …`; words are for people. */
  const computed = (price: string): number =>
    price
      .replaceAll(/\(.*\)|(?<=\d),(?=\d{3})/g, '')
      .split('+')
      .map((part) => {
        const factors = part.split('×').map((factor) => Number.parseFloat(factor));
        return factors.reduce((product, one) => product * one, /\/ M/.test(part) ? 1e-6 : 1);
      })
      .reduce((sum, one) => sum + one, 0);
  const places = (sum: number) => ((`${sum}`.split('.')[1]?.length ?? 0) > 2 ? 3 : 2);

  it.each(rows.filter(({ what, price }) => what !== '' && /\d/.test(price)))(
    'is reckoned right: $what',
    ({ price, sum }) => {
      expect(computed(price).toFixed(places(sum))).toBe(sum.toFixed(places(sum)));
    },
  );

  it('is added up right', () => {
    const ends = rows.flatMap(({ what }, index) => (what === '' ? [index] : []));
    expect(ends).toHaveLength(2);
    let start = 0;
    for (const end of ends) {
      const parts = rows.slice(start, end).map(({ sum }) => sum);
      const total = parts.reduce((sum, one) => sum + one, 0);
      expect(total.toFixed(2)).toBe(rows[end]?.sum.toFixed(2));
      start = end + 1;
    }
  });

  it('counts as many alarms, queues and metrics as there are', () => {
    const priceOf = (start: string) => rows.find(({ what }) => what.startsWith(start))?.price;
    const alarms = all('AWS::CloudWatch::Alarm').map(
      ({ Properties }) => Properties['Metrics'] as readonly { MetricStat?: unknown }[] | undefined,
    );
    const perAlarm = alarms.map((sum) => sum?.filter(({ MetricStat }) => MetricStat).length ?? 1);
    const metricsOfAlarms = perAlarm.reduce((all, one) => all + one, 0);
    expect(priceOf(`${alarms.length} alarms`)).toBe(`${metricsOfAlarms} × 0.10`);
    const fifo = all('AWS::SQS::Queue').map(({ Properties }) => Properties['FifoQueue'] === true);
    expect(fifo.sort()).toEqual([false, true, true]);
    const taken = all('AWS::Logs::MetricFilter').flatMap(
      ({ Properties }) => Properties['MetricTransformations'] as readonly Transformation[],
    );
    const plain = taken.filter(({ Dimensions }) => Dimensions === undefined);
    const metrics = new Set(plain.map(({ MetricName }) => MetricName)).size;
    expect(guide).toContain(`for each metric that got a value: at most ${metrics}, and one per`);
  });
});
