import {
  ChangeMessageVisibilityCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Queue } from '#ports/queue.ts';

/** AWS refuses other ids; emulators take them, so the sender is the one to refuse. */
const ID = /^[\x21-\x7e]{1,128}$/;
/** The one limit there is: who makes jobs cuts what people write so far below it that it is never met. */
const BODY_BYTES = 256 * 1024;

/** Sent again it is as large. */
export class JobTooLargeError extends Error {
  readonly code = 'JOB_TOO_LARGE';
  readonly retryable = false;
}

const checkId = (what: string, id: string) => {
  if (!ID.test(id))
    throw new Error(
      `${what} ${JSON.stringify(id.slice(0, 140))} is not 1 to 128 printable ASCII characters: send a digest of it`,
    );
};

/**
 * A body is JSON, where any character may be written as an escape. SQS takes no U+FFFE and U+FFFF and no half of a pair,
 * all of which people can type; of control characters JSON has taken care.
 */
const escaped = (body: string) =>
  body.replace(/[\p{Surrogate}\ufffe\uffff]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);

const checkBody = (body: string) => {
  const bytes = Buffer.byteLength(body);
  if (bytes > BODY_BYTES)
    throw new JobTooLargeError(
      `a job of ${bytes} bytes is more than a message holds (${BODY_BYTES}): keep the text in the store and send its key`,
    );
};

/** A FIFO queue. */
export const createSqsQueue = (client: SQSClient, url: string): Queue => ({
  send: async ({ group, deduplication, ...envelope }) => {
    const body = escaped(envelope.body);
    checkId('group id', group);
    checkId('deduplication id', deduplication);
    checkBody(body);
    await client.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageGroupId: group,
        MessageDeduplicationId: deduplication,
        MessageBody: body,
      }),
    );
  },
});

/** Gives a received message back: it comes again after that time, and its group waits for it. */
export const postponeMessage = async (
  client: SQSClient,
  url: string,
  receiptHandle: string,
  seconds: number,
): Promise<void> => {
  await client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: url,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }),
  );
};
