import type { SQSRecord } from 'aws-lambda';
import { createMemoryQueue } from '#adapters/memory/queue.ts';
import { createMemoryScheduler } from '#adapters/memory/scheduler.ts';
import { createMemoryStore } from '#adapters/memory/store.ts';
import type { AttemptId } from '#domain/ids.ts';
import type { Job } from '#domain/job.ts';
import type { DeadLetterPorts } from '#hosts/lambda/deadletter-handler.ts';
import { createRunner } from '#hosts/runner.ts';
import type { Model } from '#ports/model.ts';
import type { Tool } from '#ports/tool.ts';
import { settingsWith } from './cloud.ts';
import { createTestChannel, TEST_CHANNEL } from './test-channel.ts';
import { createTestClock } from './test-clock.ts';

export const MAIN_QUEUE = 'arn:aws:sqs:::main.fifo';

/** Everything the agent needs, in memory, with what it logged and put back. */
export const createMemoryPorts = (model: Model, tools: Readonly<Record<string, Tool>> = {}) => {
  const clock = createTestClock();
  const platform = createTestChannel(clock.now);
  const queue = createMemoryQueue(clock.now);
  const scheduler = createMemoryScheduler();
  const store = createMemoryStore();
  const logged: { event: string; facts: Readonly<Record<string, unknown>> }[] = [];
  const postponed: { receiptHandle: string; seconds: number }[] = [];
  const note = (event: string, facts: Readonly<Record<string, unknown>> = {}) => {
    logged.push({ event, facts });
  };
  const ports: DeadLetterPorts = {
    store,
    queue,
    clock,
    log: { info: note, warn: note, error: note },
    settings: settingsWith(),
    scheduler,
    model,
    ids: { attempt: () => 'attempt' as AttemptId },
    runner: createRunner(),
    channels: { [TEST_CHANNEL]: platform.channel },
    tools,
    resources: {},
    mainQueue: MAIN_QUEUE,
    postpone: async (receiptHandle, seconds) => {
      postponed.push({ receiptHandle, seconds });
    },
  };
  return { ports, clock, platform, store, queue, scheduler, logged, postponed };
};

let sequence = 0;
export const recordFor = (body: Job | string, receives = 1): SQSRecord => {
  sequence += 1;
  return {
    messageId: `sqs-${sequence}`,
    receiptHandle: `handle-${sequence}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { SequenceNumber: String(sequence), ApproximateReceiveCount: String(receives) },
    eventSourceARN: MAIN_QUEUE,
  } as unknown as SQSRecord;
};
