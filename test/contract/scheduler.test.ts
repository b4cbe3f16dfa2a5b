import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  GetScheduleCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEventBridgeScheduler } from '#adapters/aws/scheduler.ts';
import { createMemoryScheduler } from '#adapters/memory/scheduler.ts';
import { type LocalSchedulerOptions, startLocalScheduler } from '#hosts/local/aws/scheduler.ts';
import type { Timer } from '#ports/scheduler.ts';
import { emulated } from '../support/emulators.ts';
import { describeScheduler, MINUTE, START, timerOf } from './scheduler.suite.ts';

const TARGET = 'arn:aws:lambda:us-east-1:000000000000:function:timeout';
const DEAD = 'arn:aws:sqs:us-east-1:000000000000:timer-dead-letters';
const roleArn = 'arn:aws:iam::000000000000:role/scheduler';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

const newFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'schedules-'));
  cleanUp.push(() => rmSync(folder, { recursive: true }));
  return { folder, file: join(folder, 'schedules.json') };
};

/** The endpoint on a clock to turn, and the real client and adapter that speak to it. */
const openEndpoint = async (options: Partial<LocalSchedulerOptions> = {}, start = START) => {
  let now = start;
  const fired: Timer[] = [];
  const endpoint = await startLocalScheduler({
    invoke: async (_, input) => void fired.push(JSON.parse(input)),
    now: () => now,
    drive: 'manual',
    ...options,
  });
  const client = new SchedulerClient(emulated(endpoint.endpoint));
  cleanUp.push(endpoint.stop, () => client.destroy());
  const settings = { group: 'asks', targetArn: TARGET, roleArn, deadLetterArn: DEAD };
  const get = (name: string) =>
    client.send(new GetScheduleCommand({ Name: name, GroupName: 'asks' }));
  return {
    ...endpoint,
    client,
    get,
    scheduler: createEventBridgeScheduler(client, { ...settings, now: () => now }),
    has: (name: string) =>
      get(name).then(
        () => true,
        (error: Error) => {
          expect(error.name).toBe('ResourceNotFoundException');
          return false;
        },
      ),
    fire: async (time: number) => {
      now = time;
      await endpoint.tick();
      return fired.splice(0);
    },
  };
};

describeScheduler('memory', async () => {
  const scheduler = createMemoryScheduler();
  return {
    scheduler,
    fire: async (now) => scheduler.fire(now).map(({ timer }) => timer),
    has: async (name) => scheduler.get(name) !== undefined,
  };
});
describeScheduler('endpoint', openEndpoint);

const timer = timerOf('a1');
const failing = (times: number) => {
  let left = times;
  return vi.fn(async () => {
    left -= 1;
    if (left >= 0) throw new Error('the target is down');
  });
};

describe('what EventBridge Scheduler is asked', () => {
  it('rounds up to the second: a timer before its time is used up for nothing', async () => {
    const { scheduler, get } = await openEndpoint();
    await scheduler.once('a1', START + MINUTE + 1, timer);
    expect((await get('a1')).ScheduleExpression).toBe('at(2026-11-18T10:01:01)');
    await scheduler.once('a2', START + MINUTE, timer);
    expect((await get('a2')).ScheduleExpression).toBe('at(2026-11-18T10:01:00)');
  });

  it('moves a time that is past to the next second', async () => {
    const { scheduler, get } = await openEndpoint({}, START + 1);
    await scheduler.once('a1', START - MINUTE, timer);
    expect((await get('a1')).ScheduleExpression).toBe('at(2026-11-18T10:00:02)');
  });

  it('names target, role, dead letters, retries and deletion', async () => {
    const { scheduler, get } = await openEndpoint();
    await scheduler.once('a1', timer.expiresAt, timer);
    expect(await get('a1')).toMatchObject({
      Name: 'a1',
      GroupName: 'asks',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      CreationDate: new Date(START),
      Target: {
        Arn: TARGET,
        RoleArn: roleArn,
        Input: JSON.stringify(timer),
        DeadLetterConfig: { Arn: DEAD },
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
      },
    });
  });

  it('sends a rate with its start and end, and no period that is over', async () => {
    const { scheduler, get, has } = await openEndpoint();
    const [from, until] = [START + MINUTE, START + 60 * MINUTE];
    await scheduler.every('a1-tick', { minutes: 15, from, until }, timer);
    expect(await get('a1-tick')).toMatchObject({
      ScheduleExpression: 'rate(15 minutes)',
      StartDate: new Date(from),
      EndDate: new Date(until),
      ActionAfterCompletion: 'DELETE',
    });
    await scheduler.every('a2-tick', { minutes: 1, from, until }, timer);
    expect((await get('a2-tick')).ScheduleExpression).toBe('rate(1 minute)');
    await scheduler.every('a3-tick', { minutes: 15, from, until: START }, timer);
    expect(await has('a3-tick')).toBe(false);
  });

  it('passes on an error that is neither a conflict nor a missing schedule', async () => {
    const { scheduler } = await openEndpoint();
    await expect(scheduler.once('no good name', START, timer)).rejects.toThrow('Invalid name');
    await expect(scheduler.cancel('no good name')).rejects.toThrow('Invalid name');
  });
});

describe('the local endpoint', () => {
  const create = (
    { client }: { readonly client: SchedulerClient },
    more: Partial<CreateScheduleCommandInput>,
  ) =>
    client.send(
      new CreateScheduleCommand({
        Name: 'a1',
        GroupName: 'asks',
        ScheduleExpression: 'at(2026-11-18T10:05:00)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { Arn: TARGET, RoleArn: roleArn, Input: JSON.stringify(timer) },
        ...more,
      }),
    );

  it('answers a second schedule of one name with a conflict, per group', async () => {
    const endpoint = await openEndpoint();
    const created = await create(endpoint, {});
    expect(created.ScheduleArn).toMatch(/:schedule\/asks\/a1$/);
    await expect(create(endpoint, {})).rejects.toMatchObject({ name: 'ConflictException' });
    await create(endpoint, { GroupName: 'others' });
  });

  it.each([
    ['cron', { ScheduleExpression: 'cron(0 12 * * ? *)' }],
    ['a rate of nothing', { ScheduleExpression: 'rate(0 minutes)' }],
    ['one minutes', { ScheduleExpression: 'rate(1 minutes)' }],
    ['a time with milliseconds', { ScheduleExpression: 'at(2026-11-18T10:05:00.000)' }],
    ['a day that does not exist', { ScheduleExpression: 'at(2026-02-30T10:05:00)' }],
    ['a zone that does not exist', { ScheduleExpressionTimezone: 'Mars/Olympus' }],
    [
      'an end before the start',
      {
        ScheduleExpression: 'rate(1 minute)',
        StartDate: new Date(START + 2 * MINUTE),
        EndDate: new Date(START + MINUTE),
      },
    ],
    ['an end that is past', { ScheduleExpression: 'rate(1 minute)', EndDate: new Date(START) }],
  ])('refuses %s', async (_, more) => {
    const endpoint = await openEndpoint();
    await expect(create(endpoint, more)).rejects.toMatchObject({ name: 'ValidationException' });
    expect(await endpoint.has('a1')).toBe(false);
  });

  it.each([
    ['Asia/Shanghai', 'at(2026-11-18T18:05:00)', '2026-11-18T10:05:00Z'],
    ['America/New_York', 'at(2027-03-14T01:59:59)', '2027-03-14T06:59:59Z'],
    ['America/New_York', 'at(2027-03-14T03:00:00)', '2027-03-14T07:00:00Z'],
  ])('reads a time of %s: %s', async (zone, expression, utc) => {
    const endpoint = await openEndpoint();
    await create(endpoint, { ScheduleExpression: expression, ScheduleExpressionTimezone: zone });
    expect(await endpoint.fire(Date.parse(utc) - 1)).toEqual([]);
    expect(await endpoint.fire(Date.parse(utc))).toEqual([timer]);
  });

  it('keeps a schedule that nobody asked to delete, and does not fire it again', async () => {
    const endpoint = await openEndpoint();
    await create(endpoint, {});
    expect(await endpoint.fire(START + 5 * MINUTE)).toEqual([timer]);
    expect(await endpoint.fire(START + 50 * MINUTE)).toEqual([]);
    expect(await endpoint.has('a1')).toBe(true);
  });

  it('tries a failing target again, later each time, and deletes after it took it', async () => {
    const invoke = failing(2);
    const { scheduler, fire, has } = await openEndpoint({
      invoke,
      backoffMs: (tries) => (tries + 1) * 1000,
    });
    await scheduler.once('a1', timer.expiresAt, timer);
    const calls: number[] = [];
    for (const second of [0, 0.5, 1, 2.5, 3, 60]) {
      await fire(timer.expiresAt + second * 1000);
      calls.push(invoke.mock.calls.length);
    }
    expect(calls).toEqual([1, 1, 2, 2, 3, 3]);
    expect(invoke).toHaveBeenCalledWith(TARGET, JSON.stringify(timer));
    expect(await has('a1')).toBe(false);
  });

  const retried = (policy: { MaximumRetryAttempts: number; MaximumEventAgeInSeconds: number }) => ({
    ActionAfterCompletion: 'DELETE' as const,
    Target: {
      Arn: TARGET,
      RoleArn: roleArn,
      Input: JSON.stringify(timer),
      DeadLetterConfig: { Arn: DEAD },
      RetryPolicy: policy,
    },
  });

  it.each([
    ['as often as its policy says', { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 3600 }],
    ['as long as its policy says', { MaximumRetryAttempts: 99, MaximumEventAgeInSeconds: 120 }],
  ])('tries %s, then buries it', async (_, policy) => {
    const invoke = failing(99);
    const bury = vi.fn(async () => {});
    const endpoint = await openEndpoint({ invoke, bury, backoffMs: () => MINUTE });
    await create(endpoint, retried(policy));
    for (let minute = 5; minute < 30; minute += 1) await endpoint.fire(START + minute * MINUTE);
    expect(invoke).toHaveBeenCalledTimes(3);
    expect(bury).toHaveBeenCalledExactlyOnceWith(DEAD, JSON.stringify(timer));
    expect(await endpoint.has('a1')).toBe(false);
  });

  it('survives a restart and fires once what became due meanwhile', async () => {
    const { file, folder } = newFile();
    const first = await openEndpoint({ file });
    await first.scheduler.once('a1', timer.expiresAt, timer);
    await first.scheduler.once('gone', timer.expiresAt, timer);
    await first.scheduler.cancel('gone');
    const tick = timerOf('a2', { tick: true });
    const period = { minutes: 15, from: START + 15 * MINUTE, until: START + 180 * MINUTE };
    await first.scheduler.every('a2-tick', period, tick);
    await first.stop();

    const later = START + 100 * MINUTE;
    const second = await openEndpoint({ file }, later);
    expect(await second.fire(later)).toEqual([timer, tick]);
    expect(await second.fire(later)).toEqual([]);
    expect(await second.fire(START + 105 * MINUTE)).toEqual([tick]);
    expect(readdirSync(folder)).toEqual(['schedules.json']);
  });

  it('tries again after a restart what failed before it', async () => {
    const { file } = newFile();
    const first = await openEndpoint({ file, invoke: failing(1), backoffMs: () => 1000 });
    await first.scheduler.once('a1', timer.expiresAt, timer);
    await first.fire(timer.expiresAt);
    const second = await openEndpoint({ file }, timer.expiresAt + 1000);
    expect(await second.fire(timer.expiresAt + 1000)).toEqual([timer]);
  });

  it('fires a schedule once though its target takes longer than a tick', async () => {
    let release = () => {};
    const invoke = vi.fn(() => new Promise<void>((resolve) => (release = resolve)));
    const { scheduler, fire, tick, has } = await openEndpoint({ invoke });
    await scheduler.once('a1', timer.expiresAt, timer);
    const slow = fire(timer.expiresAt);
    await tick();
    release();
    await slow;
    expect(invoke).toHaveBeenCalledOnce();
    expect(await has('a1')).toBe(false);
  });

  it('lets a target delete the schedule that called it', async () => {
    const opened: { cancel?: () => Promise<void> } = {};
    const { scheduler, fire, has } = await openEndpoint({ invoke: async () => opened.cancel?.() });
    opened.cancel = () => scheduler.cancel('a1-tick');
    const period = { minutes: 15, from: START + MINUTE, until: START + 60 * MINUTE };
    await scheduler.every('a1-tick', period, timer);
    await fire(START + MINUTE);
    expect(await has('a1-tick')).toBe(false);
  });

  it('refuses a request that is not signed', async () => {
    const { endpoint } = await openEndpoint();
    const response = await fetch(`${endpoint}/schedules/a1`, { method: 'DELETE' });
    expect(response.status).toBe(403);
  });

  it('fires by itself on a real clock, and sleeps through what is months away', async () => {
    const fired = Promise.withResolvers<string>();
    const { scheduler, has } = await openEndpoint(
      { drive: 'timer', now: Date.now, invoke: async (_, input) => fired.resolve(input) },
      Date.now(),
    );
    await scheduler.once('far', Date.now() + 90 * 86_400_000, timerOf('far'));
    await scheduler.once('a1', Date.now(), timer);
    expect(JSON.parse(await fired.promise)).toEqual(timer);
    expect(await has('far')).toBe(true);
  });
});
