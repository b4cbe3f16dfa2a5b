import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import { createSqsQueue, postponeMessage } from '#adapters/aws/sqs.ts';
import { createMemoryQueue } from '#adapters/memory/queue.ts';
import { startFauxqs } from '../support/emulators.ts';
import { describeQueue, type OpenQueue, type Received } from './queue.suite.ts';

const fauxqs = await startFauxqs();
afterAll(fauxqs.stop);

const openMemory = async (): Promise<OpenQueue> => {
  let now = 1_000_000;
  const queue = createMemoryQueue(() => now, 2);
  const receive = async (): Promise<Received | undefined> => {
    const [head] = queue.ready(now);
    const message = head && queue.receive(head.id, now, 300_000);
    return (
      message && {
        ...message,
        remove: async () => queue.remove(message.id),
        postpone: async (seconds) => queue.postpone(message.id, now + seconds * 1000),
      }
    );
  };
  return {
    queue,
    receive,
    dead: async () => queue.snapshot().dead.map(({ body }) => body),
    pass: async (seconds) => {
      now += seconds * 1000;
    },
  };
};

const { client } = fauxqs;

const receiveOne = async (url: string): Promise<Message | undefined> => {
  const { Messages } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 1,
      MessageSystemAttributeNames: ['SequenceNumber'],
    }),
  );
  return Messages?.[0];
};

const received = (url: string, message: Message): Received => {
  const ReceiptHandle = String(message.ReceiptHandle);
  return {
    id: String(message.MessageId),
    body: String(message.Body),
    sequence: String(message.Attributes?.SequenceNumber),
    remove: async () => {
      await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
    },
    postpone: (seconds) => postponeMessage(client, url, ReceiptHandle, seconds),
  };
};

const openFauxqs = async (): Promise<OpenQueue> => {
  const { url, deadLetterUrl } = await fauxqs.createFifoQueue({ maxReceiveCount: 2 });
  return {
    queue: createSqsQueue(client, url),
    receive: async () => {
      const message = await receiveOne(url);
      return message && received(url, message);
    },
    dead: async () => {
      const message = await receiveOne(deadLetterUrl);
      return message ? [String(message.Body)] : [];
    },
    pass: (seconds) => sleep(seconds * 1000),
  };
};

describeQueue('memory', openMemory);
describeQueue('fauxqs', openFauxqs);

describe('memory: queue, with a clock to turn', () => {
  it('takes a deduplication id again after five minutes', async () => {
    const { queue, receive, pass } = await openMemory();
    const envelope = { group: 'g', deduplication: 'same', body: 'x' };
    await queue.send(envelope);
    await (await receive())?.remove();
    await pass(299);
    await queue.send(envelope);
    expect(await receive()).toBeUndefined();
    await pass(1);
    await queue.send(envelope);
    expect((await receive())?.body).toBe('x');
  });
});

describe('fauxqs: what the sender refuses because AWS would', () => {
  const fine = { group: 'g', deduplication: 'd', body: 'x' };

  it.each([
    ['a group id of 129 characters', { group: 'x'.repeat(129) }, /group id/],
    ['an empty group id', { group: '' }, /group id/],
    ['a group id that is not ASCII', { group: '群聊' }, /group id/],
    ['a deduplication id of 129 characters', { deduplication: 'x'.repeat(129) }, /deduplication/],
    ['a deduplication id with a space', { deduplication: 'a b' }, /deduplication/],
    ['a body over 256 KB', { body: '好'.repeat(87_382) }, /262146 bytes/],
    ['emoji over 256 KB', { body: '👍'.repeat(65_537) }, /262148 bytes/],
  ])('refuses %s', async (_, wrong, message) => {
    const { queue, receive } = await openFauxqs();
    await expect(queue.send({ ...fine, ...wrong })).rejects.toThrow(message);
    expect(await receive()).toBeUndefined();
  });

  it('says of a body that is too large that trying again is of no use', async () => {
    const { queue } = await openFauxqs();
    const large = queue.send({ ...fine, body: 'x'.repeat(256 * 1024 + 1) });
    await expect(large).rejects.toMatchObject({ code: 'JOB_TOO_LARGE', retryable: false });
  });

  it('sends as many emoji as SQS takes, each in its four bytes', async () => {
    const { queue, receive } = await openFauxqs();
    const body = '👍'.repeat(65_536);
    await queue.send({ ...fine, body });
    expect((await receive())?.body === body).toBe(true);
  });

  it('sends what is just within the limits', async () => {
    const { queue, receive } = await openFauxqs();
    const id = 'x'.repeat(128);
    await queue.send({ group: id, deduplication: id, body: 'x'.repeat(256 * 1024) });
    expect((await receive())?.body).toHaveLength(256 * 1024);
  });
});

it('numbers a fresh queue above every earlier one, so that a kept table goes on working', async () => {
  const first = await openFauxqs();
  await first.queue.send({ group: 'g', deduplication: 'd', body: 'x' });
  const second = await openFauxqs();
  await second.queue.send({ group: 'g', deduplication: 'd', body: 'x' });
  const sequences = [await first.receive(), await second.receive()].map((one) => one?.sequence);
  expect(sequences[0]).toMatch(/^\d{20}$/);
  expect(String(sequences[1]) > String(sequences[0])).toBe(true);
});
