import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createJsonLog } from '#hosts/json-log.ts';
import { type EventSource, startEventSource } from '#hosts/local/event-source.ts';
import { createInvoke, type Handler } from '#hosts/local/invocation.ts';
import { type SqsEmulator, startFauxqs } from '../../../support/emulators.ts';

type Work = (record: SQSRecord, queueUrl: string) => Promise<SQSBatchResponse>;

const DONE: SQSBatchResponse = { batchItemFailures: [] };
const failed = ({ messageId }: SQSRecord): SQSBatchResponse => ({
  batchItemFailures: [{ itemIdentifier: messageId }],
});
const receives = ({ attributes }: SQSRecord) => Number(attributes.ApproximateReceiveCount);

describe.concurrent('the event source', { timeout: 20_000 }, () => {
  let sqs: SqsEmulator;
  beforeAll(async () => {
    sqs = await startFauxqs();
  });
  afterAll(() => sqs.stop());

  /** A queue with a source whose function works as given, and what it was given to work on. */
  const withSource = async (
    work: Work,
    test: (given: Given) => Promise<void>,
    { visibilitySeconds = 300, limitMs = 10_000, maxReceiveCount = 5, waiting = 0 } = {},
  ) => {
    const queue = await sqs.createFifoQueue({ visibilitySeconds, maxReceiveCount });
    const logged: string[] = [];
    const records: SQSRecord[] = [];
    const handler: Handler<{ Records: SQSRecord[] }, SQSBatchResponse> = async ({ Records }) => {
      expect(Records).toHaveLength(1);
      const [record] = Records as [SQSRecord];
      records.push(record);
      return work(record, queue.url);
    };
    let sent = 0;
    const send = async (group: string, body: string) => {
      sent += 1;
      const MessageDeduplicationId = `${sent}`;
      await sqs.client.send(
        new SendMessageCommand({
          QueueUrl: queue.url,
          MessageGroupId: group,
          MessageBody: body,
          MessageDeduplicationId,
        }),
      );
    };
    for (let group = 0; group < waiting; group += 1) await send(`group-${group}`, `${group}`);
    const source = startEventSource({
      client: sqs.client,
      queue,
      invoke: createInvoke('test', handler, limitMs),
      log: createJsonLog((line) => logged.push(line)),
    });
    const bodies = () => records.map(({ body }) => body);
    try {
      await test({ queue, source, records, bodies, logged, send });
    } finally {
      await source.stop(0);
    }
  };
  interface Given {
    readonly queue: { readonly url: string; readonly arn: string; readonly deadLetterUrl: string };
    readonly source: EventSource;
    readonly records: SQSRecord[];
    readonly logged: string[];
    bodies(): string[];
    send(group: string, body: string): Promise<void>;
  }
  const standing = async (QueueUrl: string) => {
    const { Attributes } = await sqs.client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    return {
      visible: Attributes?.['ApproximateNumberOfMessages'],
      hidden: Attributes?.['ApproximateNumberOfMessagesNotVisible'],
    };
  };
  const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 10 });

  it('gives the function the record that Lambda gives it', () =>
    withSource(
      async () => DONE,
      async ({ queue, records, send }) => {
        await send('group', 'hello');
        await eventually(() => expect(records).toHaveLength(1));
        expect(records[0]).toMatchObject({
          messageId: expect.stringMatching(/./),
          receiptHandle: expect.stringMatching(/./),
          body: 'hello',
          eventSource: 'aws:sqs',
          eventSourceARN: queue.arn,
          attributes: {
            ApproximateReceiveCount: '1',
            MessageGroupId: 'group',
            SequenceNumber: expect.stringMatching(/^\d{20}$/),
          },
        });
      },
    ));

  it('works on one message of a group at a time, in order', () => {
    let inFlight = 0;
    let most = 0;
    return withSource(
      async () => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await new Promise(setImmediate);
        inFlight -= 1;
        return DONE;
      },
      async ({ bodies, send }) => {
        const wanted = ['1', '2', '3', '4', '5', '6'];
        for (const body of wanted) await send('group', body);
        await eventually(() => expect(bodies()).toEqual(wanted));
        expect(most).toBe(1);
      },
    );
  });

  it('works on eight groups at once, and on no more', () => {
    const open = Promise.withResolvers<void>();
    return withSource(
      () => open.promise.then(() => DONE),
      async ({ queue, records, bodies, logged }) => {
        await eventually(() => expect(records).toHaveLength(8));
        expect(await standing(queue.url)).toEqual({ hidden: '8', visible: '2' });
        open.resolve();
        await eventually(() => expect(bodies().sort()).toEqual([...'0123456789']));
        expect(logged).toEqual([]);
      },
      { waiting: 10 },
    );
  });

  it('brings back what the function reports as failed, before anything behind it', () =>
    withSource(
      async (record) => (record.body === '1' && receives(record) < 3 ? failed(record) : DONE),
      async ({ records, bodies, send }) => {
        await send('group', '1');
        await send('group', '2');
        await eventually(() => expect(bodies()).toEqual(['1', '1', '1', '2']));
        expect(records.map(receives)).toEqual([1, 2, 3, 1]);
        expect(new Set(records.slice(0, 3).map(({ messageId }) => messageId)).size).toBe(1);
      },
      { visibilitySeconds: 1 },
    ));

  it('brings back what the function threw at', () =>
    withSource(
      async (record) => {
        if (receives(record) === 1) throw new Error('it broke');
        return DONE;
      },
      async ({ records, logged, send }) => {
        await send('group', '1');
        await eventually(() => expect(records.map(receives)).toEqual([1, 2]));
        expect(logged.join()).toContain('it broke');
      },
      { visibilitySeconds: 1 },
    ));

  it('leaves a message hidden for as long as its function said', () =>
    withSource(
      async (record, QueueUrl) => {
        if (receives(record) > 1) return DONE;
        const { receiptHandle: ReceiptHandle } = record;
        await sqs.client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }),
        );
        return failed(record);
      },
      async ({ records, send }) => {
        await send('group', '1');
        await eventually(() => expect(records.map(receives)).toEqual([1, 2]));
      },
      // The queue's own time would be too long for this test.
      { visibilitySeconds: 300 },
    ));

  it('gives a message up to the dead letters after so many receives, and goes on with its group', () =>
    withSource(
      async (record) => (record.body === 'poison' ? failed(record) : DONE),
      async ({ queue, bodies, send }) => {
        const dead: SQSRecord[] = [];
        const deadLetters = startEventSource({
          client: sqs.client,
          queue: { url: queue.deadLetterUrl, arn: 'arn:dead' },
          invoke: async ({ Records }) => {
            dead.push(...Records);
            return DONE;
          },
          log: createJsonLog(() => {}),
        });
        await send('group', 'poison');
        await send('group', 'behind it');
        await eventually(() => expect(dead.map(({ body }) => body)).toEqual(['poison']));
        await eventually(() => expect(bodies()).toEqual(['poison', 'poison', 'behind it']));
        await deadLetters.stop(0);
      },
      { visibilitySeconds: 1, maxReceiveCount: 2 },
    ));

  it('abandons an invocation at its limit: what it says later does not count', () => {
    const late = Promise.withResolvers<SQSBatchResponse>();
    return withSource(
      async (record) => (receives(record) === 1 ? late.promise : failed(record)),
      async ({ records, logged, send }) => {
        await send('group', '1');
        await eventually(() => expect(logged.join()).toContain('limit of 50 ms'));
        late.resolve(DONE);
        await eventually(() => expect(records.map(receives)).toEqual([1, 2]));
      },
      { visibilitySeconds: 1, limitMs: 50 },
    );
  });

  it('takes nothing more once it is stopped, and waits for what is being worked on', () => {
    const open = Promise.withResolvers<void>();
    let ended = false;
    return withSource(
      async () => {
        await open.promise;
        ended = true;
        return DONE;
      },
      async ({ source, records, send }) => {
        await send('one', '1');
        await eventually(() => expect(records).toHaveLength(1));
        let stopped = false;
        const stopping = source.stop(5_000).then(() => {
          stopped = true;
        });
        await send('two', '2');
        expect(stopped).toBe(false);
        open.resolve();
        await stopping;
        expect(ended).toBe(true);
        expect(records).toHaveLength(1);
      },
    );
  });

  it('does not wait longer than its grace for work that does not end', () =>
    withSource(
      () => new Promise(() => {}),
      async ({ source, records, send }) => {
        await send('one', '1');
        await eventually(() => expect(records).toHaveLength(1));
        await source.stop(20);
      },
    ));
});
