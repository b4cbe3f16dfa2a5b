import { type JsonServer, startJsonServer } from './json-server.ts';

export type Alarms = Readonly<Record<string, 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'>>;

export interface AlarmsServer extends JsonServer {
  /** What is answered from now on, by name; `undefined`: the caller may not know. */
  put(alarms: Alarms | undefined): void;
}

interface Asked {
  readonly AlarmNamePrefix?: string;
  readonly NextToken?: string;
}

const PAGE = 2;

/** CloudWatch as the SDK sees it: DescribeAlarms, by a name's beginning and a few at a time. */
export const startAlarmsServer = async (): Promise<AlarmsServer> => {
  let alarms: Alarms | undefined = {};
  const server = await startJsonServer((input, operation) => {
    if (operation !== 'DescribeAlarms' || !alarms)
      return { status: 403, body: { __type: 'AccessDenied', message: `may not ${operation}` } };
    const { AlarmNamePrefix = '', NextToken = '0' } = input as Asked;
    const found = Object.entries(alarms).filter(([name]) => name.startsWith(AlarmNamePrefix));
    const end = Number(NextToken) + PAGE;
    const MetricAlarms = found
      .slice(Number(NextToken), end)
      .map(([AlarmName, StateValue]) => ({ AlarmName, StateValue }));
    const more = end < found.length && { NextToken: String(end) };
    return { status: 200, body: { MetricAlarms, CompositeAlarms: [], ...more } };
  });
  return {
    ...server,
    put: (next) => {
      alarms = next;
    },
  };
};
