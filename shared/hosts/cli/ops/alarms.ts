import {
  type CloudWatchClient,
  type MetricAlarm,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';

export interface Alarm {
  /** As the deploy guide's table has it. */
  readonly name: string;
  readonly state: MetricAlarm['StateValue'];
}

/** A stack's alarms; those of `dev` are not those of `dev-eu`, whose names begin alike. */
export const alarmsOf = async (
  client: CloudWatchClient,
  stack: string,
): Promise<readonly Alarm[]> => {
  const prefix = `${stack}-`;
  const alarms: Alarm[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms(
    { client },
    { AlarmNamePrefix: prefix },
  ))
    for (const { AlarmName = '', StateValue: state } of MetricAlarms)
      alarms.push({ name: AlarmName.slice(prefix.length), state });
  return alarms.filter(({ name }) => !name.includes('-'));
};
