import { describe, expect, it } from 'vitest';
import { sessionId } from '#domain/ids.ts';
import type { Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { RetryLaterError } from '#flow/errors.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { createDeadLetterHandler } from '#hosts/lambda/deadletter-handler.ts';
import type { Model } from '#ports/model.ts';
import { lambdaContext, messageOf } from '../../support/cloud.ts';
import { createMemoryPorts, MAIN_QUEUE, recordFor } from '../../support/memory-ports.ts';
import { say, scripted } from '../../support/scripted-model.ts';

let messages = 0;
const jobIn = (chat: string): Job => {
  messages += 1;
  const message = messageOf(`m-${messages}`, chat, '你好', 0);
  return { type: 'message', session: sessionId({ ...message.to }), message };
};
const failing = (error: Error): Model => ({ think: () => Promise.reject(error) });
const context = lambdaContext(240_000);

describe('a batch of jobs', () => {
  it('takes them one after the other and reports nothing when all succeed', async () => {
    const { ports, platform } = createMemoryPorts(scripted([say('好')]));
    const Records = [recordFor(jobIn('a')), recordFor(jobIn('b'))];
    const answer = await createAgentHandler(async () => ports)({ Records }, context);
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(platform.texts()).toEqual(['好', '好']);
  });

  it('reports the first that failed and all behind it, and starts none of those', async () => {
    const { ports, platform, postponed } = createMemoryPorts(scripted([say('好')]));
    const Records = [recordFor(jobIn('a')), recordFor('not a job'), recordFor(jobIn('b'))] as const;
    const { batchItemFailures } = await createAgentHandler(async () => ports)(
      { Records: [...Records] },
      context,
    );
    expect(batchItemFailures.map((one) => one.itemIdentifier)).toEqual([
      Records[1].messageId,
      Records[2].messageId,
    ]);
    expect(platform.texts()).toEqual(['好']);
    expect(postponed).toEqual([{ receiptHandle: Records[1].receiptHandle, seconds: 5 }]);
  });
});

describe('a job that failed', () => {
  const secondsAfter = async (error: Error, receives: number) => {
    const { ports, postponed, logged } = createMemoryPorts(failing(error));
    const Records = [recordFor(jobIn('a'), receives)];
    const answer = await createAgentHandler(async () => ports)({ Records }, context);
    return { seconds: postponed[0]?.seconds, failed: answer.batchItemFailures.length, logged };
  };

  it('comes back after 5, 15, then 45 seconds', async () => {
    const seconds = [];
    for (const receives of [1, 2, 3, 4, 5])
      seconds.push((await secondsAfter(new Error('down'), receives)).seconds);
    expect(seconds).toEqual([5, 15, 45, 45, 45]);
  });

  it('comes back when whoever else is at it must be done', async () => {
    const { clock } = createMemoryPorts(scripted([]));
    const later = new RetryLaterError(clock.now() + 200_100, 'still running');
    expect((await secondsAfter(later, 1)).seconds).toBe(201);
    expect((await secondsAfter(new RetryLaterError(0, 'long past'), 1)).seconds).toBe(1);
  });

  it('comes back within a quarter of an hour, however long a provider wants to be left alone', async () => {
    const { clock } = createMemoryPorts(scripted([]));
    const tomorrow = new RetryLaterError(clock.now() + 86_400_000, 'Retry-After: 86400');
    expect((await secondsAfter(tomorrow, 1)).seconds).toBe(900);
  });

  it('is told in one line that says why and holds no text of a person', async () => {
    const { logged } = await secondsAfter(new Error('the model is down'), 2);
    expect(logged.filter(({ event }) => event !== 'turn-started')).toEqual([
      {
        event: 'job-put-back',
        facts: {
          delivery: expect.any(String),
          receives: 2,
          againInSeconds: 15,
          why: 'Error: the model is down',
        },
      },
    ]);
    expect(JSON.stringify(logged)).not.toContain('text');
  });

  it('is still reported when it could not be postponed', async () => {
    const { ports } = createMemoryPorts(failing(new Error('down')));
    const broken = { ...ports, postpone: () => Promise.reject(new Error('SQS is down too')) };
    const answer = await createAgentHandler(async () => broken)(
      { Records: [recordFor(jobIn('a'))] },
      context,
    );
    expect(answer.batchItemFailures).toHaveLength(1);
  });
});

describe('a dead letter', () => {
  it('is counted for the main queue, whatever its own queue and number are', async () => {
    const { ports, platform, store } = createMemoryPorts(failing(new Error('down')));
    const job = jobIn('a');
    const record = recordFor(job);
    await createAgentHandler(async () => ports)({ Records: [record] }, context);
    const dead = {
      ...record,
      eventSourceARN: 'arn:aws:sqs:::dead.fifo',
      attributes: { ...record.attributes, SequenceNumber: '1' },
    };
    const answer = await createDeadLetterHandler(async () => ports)({ Records: [dead] }, context);
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(platform.texts()).toHaveLength(1);
    const [item] = await store.read([keys.session(job.session)]);
    expect(item).toMatchObject({ phase: 'IDLE', accepted: { queue: MAIN_QUEUE } });
  });

  it.each([
    ['names its session', '{"type":"surprise","session":"s","text":"secret words"}', 's'],
    ['names none', '{"type":"surprise","text":"secret words"}', 'the-group'],
    ['is not even JSON', 'secret words', 'the-group'],
  ])(
    'that is no job and %s is kept as it came, since no queue stands behind',
    async (_, body, session) => {
      const { ports, logged, store } = createMemoryPorts(scripted([]));
      const record = recordFor(body);
      const attributes = { ...record.attributes, MessageGroupId: 'the-group' };
      const Records = [{ ...record, attributes }];
      const answer = await createDeadLetterHandler(async () => ports)({ Records }, context);
      expect(answer).toEqual({ batchItemFailures: [] });
      const key = { pk: `S#${session}`, sk: `F#u:${record.messageId}` };
      expect((await store.read([key]))[0]).toMatchObject({ body, group: 'the-group' });
      expect(logged).toMatchObject([{ event: 'job-failed', facts: { session } }]);
      expect(JSON.stringify(logged)).not.toContain('secret words');
    },
  );

  it('that is no job and cannot be kept stays in its queue', async () => {
    const { ports } = createMemoryPorts(scripted([]));
    const store = { ...ports.store, write: () => Promise.reject(new Error('DynamoDB is down')) };
    const Records = [recordFor('{"type":"surprise"}')];
    const answer = await createDeadLetterHandler(async () => ({ ...ports, store }))(
      { Records },
      context,
    );
    expect(answer.batchItemFailures).toHaveLength(1);
  });
});
