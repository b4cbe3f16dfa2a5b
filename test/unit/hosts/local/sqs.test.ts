import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emulated } from '#hosts/local/aws/emulated.ts';
import { type LocalQueue, type LocalSqs, startLocalSqs } from '#hosts/local/aws/sqs.ts';

describe('SQS on disk', () => {
  let directory: string;
  let sqs: LocalSqs;
  let client: SQSClient;
  let queue: LocalQueue;
  let deadLetters: LocalQueue;
  let sent = 0;

  const start = async () => {
    sqs = await startLocalSqs(directory);
    client = new SQSClient(emulated(sqs.endpoint));
    deadLetters = await sqs.openFifoQueue('dead-letters');
    const wanted = { visibilitySeconds: 300, maxReceiveCount: 2, deadLetters };
    queue = await sqs.openFifoQueue('jobs', wanted);
  };
  const stop = async () => {
    client.destroy();
    await sqs.stop();
  };
  const restart = async () => {
    await stop();
    await start();
  };
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'countersign-sqs-'));
    await start();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await stop();
    rmSync(directory, { recursive: true });
  });

  const send = async (body: string, group = 'group') => {
    sent += 1;
    const { SequenceNumber } = await client.send(
      new SendMessageCommand({
        QueueUrl: queue.url,
        MessageGroupId: group,
        MessageBody: body,
        MessageDeduplicationId: `${sent}`,
      }),
    );
    return BigInt(SequenceNumber ?? 0);
  };
  const receive = async ({ url } = queue): Promise<readonly Message[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return Messages;
  };
  const one = async (from = queue): Promise<Message> => {
    const messages = await receive(from);
    expect(messages).toHaveLength(1);
    return messages[0] as Message;
  };

  it('keeps what was not received, in order', async () => {
    await send('1');
    await send('2');
    await restart();
    for (const body of ['1', '2']) {
      const { Body, ReceiptHandle } = await one();
      expect(Body).toBe(body);
      await client.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle }));
    }
    await restart();
    expect(await receive()).toEqual([]);
  });

  it('gives what was being worked on again at once, as itself, before what is behind it', async () => {
    await send('1');
    await send('2');
    const { MessageId, Attributes } = await one();
    expect(await receive()).toEqual([]);
    await restart();
    const again = await one();
    expect(again).toMatchObject({ MessageId, Body: '1' });
    expect(again.Attributes?.['SequenceNumber']).toBe(Attributes?.['SequenceNumber']);
    expect(again.Attributes?.['ApproximateReceiveCount']).toBe('2');
  });

  it('gives a message back at once when its visibility is set to nothing', async () => {
    await send('1');
    const { ReceiptHandle } = await one();
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queue.url,
        ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    );
    expect((await one()).Attributes?.['ApproximateReceiveCount']).toBe('2');
  });

  it('keeps dead letters over a restart, and the count that made them so', async () => {
    await send('poison');
    await one();
    await restart();
    await one();
    await restart();
    expect(await receive()).toEqual([]);
    await restart();
    expect(await one(deadLetters)).toMatchObject({ Body: 'poison' });
    await restart();
    expect(await one(deadLetters)).toMatchObject({ Body: 'poison' });
  });

  it('numbers messages upwards, also after a restart and when the clock was set back', async () => {
    const numbers = [await send('1'), await send('2')];
    await restart();
    numbers.push(await send('3'));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 });
    await restart();
    numbers.push(await send('4'), await send('5'));
    expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(numbers).size).toBe(5);
    for (const number of numbers) expect(String(number)).toHaveLength(20);
  });

  it('listens on this machine only', () => {
    expect(new URL(sqs.endpoint).hostname).toBe('127.0.0.1');
  });
});
