import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log } from '#ports/log.ts';
import type { LocalQueue } from './aws/sqs.ts';
import type { Invoke } from './invocation.ts';

export interface EventSource {
  /** Takes no more messages, and waits so long for those being worked on. What is left comes again with the next start. */
  stop(graceMs: number): Promise<void>;
}

export interface EventSourceOptions {
  readonly client: SQSClient;
  readonly queue: LocalQueue;
  readonly invoke: Invoke<SQSEvent, SQSBatchResponse>;
  readonly log: Log;
}

const AT_ONCE = 8;
const LONGEST_POLL_SECONDS = 20;
const PAUSE_MS = 1_000;

/**
 * Lambda's event source for a FIFO queue, batches of one: several groups at once, and the queue itself keeps a group to
 * one message in flight. What a function failed at is left alone, to come again when its visibility ends (or when the
 * function said it should) and to go to the dead letters after that many receives.
 */
export const startEventSource = (options: EventSourceOptions): EventSource => {
  const { client, queue, log } = options;
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();

  const receive = async (): Promise<readonly Message[]> => {
    try {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: queue.url,
          MaxNumberOfMessages: AT_ONCE - running.size,
          WaitTimeSeconds: LONGEST_POLL_SECONDS,
          MessageSystemAttributeNames: ['All'],
        }),
        { abortSignal: stopped.signal },
      );
      return Messages;
    } catch (error) {
      if (stopped.signal.aborted) return [];
      log.error('queue-not-read', { queue: queue.arn, why: String(error) });
      await sleep(PAUSE_MS);
      return [];
    }
  };

  const poll = async () => {
    while (!stopped.signal.aborted) {
      for (const message of await receive()) {
        const work = workOn(options, message).finally(() => running.delete(work));
        running.add(work);
      }
      if (running.size === AT_ONCE) await Promise.race(running);
    }
  };
  const polling = poll();

  return {
    stop: async (graceMs) => {
      stopped.abort();
      await polling;
      const waited = new AbortController();
      const grace = sleep(graceMs, undefined, { signal: waited.signal }).catch(() => {});
      await Promise.race([Promise.allSettled(running), grace]);
      waited.abort();
    },
  };
};

const workOn = async (options: EventSourceOptions, message: Message): Promise<void> => {
  const { client, queue, invoke, log } = options;
  const { MessageId: delivery, ReceiptHandle } = message;
  try {
    const answer = await invoke({ Records: [recordOf(message, queue)] });
    // Of a batch of one, any report is about it: Lambda takes an unknown id for all of them.
    if (answer.batchItemFailures.length > 0) return;
    await client.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle }));
  } catch (error) {
    log.error('invocation-failed', { delivery, queue: queue.arn, why: String(error) });
  }
};

const recordOf = (message: Message, { arn }: LocalQueue) =>
  ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    md5OfBody: message.MD5OfBody,
    attributes: message.Attributes,
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: 'us-east-1',
  }) as SQSRecord;
