import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import type { Scheduler, Timer } from '#ports/scheduler.ts';

export interface EventBridgeSettings {
  readonly group: string;
  readonly targetArn: string;
  readonly roleArn: string;
  /** Where an invocation goes that failed for good. */
  readonly deadLetterArn?: string;
  readonly now?: () => number;
}

type When = Pick<CreateScheduleCommandInput, 'ScheduleExpression' | 'StartDate' | 'EndDate'>;
interface Patience {
  readonly seconds: number;
  readonly tries: number;
}

/** An expiry may come late but must come: the service's own limits. */
const ONCE: Patience = { seconds: 86_400, tries: 185 };

/** Rounded up: a timer that comes before `expiresAt` is used up for nothing. */
const wholeSecond = (at: number) => new Date(Math.ceil(at / 1000) * 1000);
const atExpression = (at: number) => `at(${wholeSecond(at).toISOString().slice(0, 19)})`;
const rateExpression = (minutes: number) => `rate(${minutes} minute${minutes === 1 ? '' : 's'})`;

const unless = async (expected: new (...args: never[]) => Error, act: Promise<unknown>) => {
  await act.catch((error: unknown) => {
    if (!(error instanceof expected)) throw error;
  });
};

export const createEventBridgeScheduler = (
  client: SchedulerClient,
  settings: EventBridgeSettings,
): Scheduler => {
  const { group, targetArn, roleArn, deadLetterArn, now = Date.now } = settings;

  const create = (name: string, when: When, timer: Timer, patience: Patience) =>
    unless(
      ConflictException,
      client.send(
        new CreateScheduleCommand({
          Name: name,
          GroupName: group,
          ...when,
          ScheduleExpressionTimezone: 'UTC',
          FlexibleTimeWindow: { Mode: 'OFF' },
          ActionAfterCompletion: 'DELETE',
          Target: {
            Arn: targetArn,
            RoleArn: roleArn,
            Input: JSON.stringify(timer),
            RetryPolicy: {
              MaximumEventAgeInSeconds: patience.seconds,
              MaximumRetryAttempts: patience.tries,
            },
            ...(deadLetterArn !== undefined && { DeadLetterConfig: { Arn: deadLetterArn } }),
          },
        }),
      ),
    );

  return {
    once: (name, at, timer) =>
      create(name, { ScheduleExpression: atExpression(Math.max(at, now() + 1000)) }, timer, ONCE),

    every: async (name, { minutes, from, until }, timer) => {
      const start = wholeSecond(Math.max(from, now() + 1000));
      const end = wholeSecond(until);
      // The service refuses a period that is over; nothing is left to look after then.
      if (end <= start) return;
      await create(
        name,
        { ScheduleExpression: rateExpression(minutes), StartDate: start, EndDate: end },
        timer,
        // The next one comes anyway.
        { seconds: minutes * 60, tries: 10 },
      );
    },

    cancel: (name) =>
      unless(
        ResourceNotFoundException,
        client.send(new DeleteScheduleCommand({ Name: name, GroupName: group })),
      ),
  };
};
