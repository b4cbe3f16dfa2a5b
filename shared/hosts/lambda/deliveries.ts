import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { RetryLaterError } from '#flow/errors.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';

export interface JobPorts extends EnginePorts {
  /** Hides a message of this function's own queue for so long. */
  postpone(receiptHandle: string, seconds: number): Promise<void>;
}

/** Left of the function's time for the last writes, once a tool was stopped at the deadline. */
const LAST_WRITES_MS = 5_000;
const RETRY_SECONDS = [5, 15, 45] as const;
/** Longer than any lease. Who is told by a provider to wait for hours fails instead, and the person hears of it. */
const LONGEST_SECONDS = 15 * 60;

export const deliveryOf = (
  ports: Pick<EnginePorts, 'clock'>,
  record: SQSRecord,
  context: Context,
): Delivery => ({
  id: record.messageId,
  queue: record.eventSourceARN,
  sequence: record.attributes.SequenceNumber ?? '0',
  deadline: ports.clock.now() + context.getRemainingTimeInMillis() - LAST_WRITES_MS,
});

/** One after the other. Behind the first that failed all are reported: a FIFO queue must not bring them out of order. */
export const inOrder = async (
  ports: JobPorts,
  { Records }: SQSEvent,
  work: (record: SQSRecord) => Promise<unknown>,
): Promise<SQSBatchResponse> => {
  for (const [index, record] of Records.entries()) {
    if (await succeeds(ports, record, work)) continue;
    const failed = Records.slice(index);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }
  return { batchItemFailures: [] };
};

const succeeds = async (
  ports: JobPorts,
  record: SQSRecord,
  work: (record: SQSRecord) => Promise<unknown>,
): Promise<boolean> => {
  try {
    await work(record);
    return true;
  } catch (error) {
    await putBack(ports, record, error);
    return false;
  }
};

/** Soon, since a person waits, but later each time; or exactly when whoever else is at it must be done. */
const putBack = async (ports: JobPorts, record: SQSRecord, error: unknown): Promise<void> => {
  const { messageId: delivery, receiptHandle } = record;
  const receives = Number(record.attributes.ApproximateReceiveCount);
  const seconds =
    error instanceof RetryLaterError
      ? Math.ceil((error.at - ports.clock.now()) / 1000)
      : (RETRY_SECONDS[receives - 1] ?? 45);
  const againInSeconds = Math.min(Math.max(seconds, 1), LONGEST_SECONDS);
  ports.log.warn('job-put-back', { delivery, receives, againInSeconds, why: String(error) });
  try {
    await ports.postpone(receiptHandle, againInSeconds);
  } catch (failure) {
    // Then the queue's own visibility brings it back: later, but it comes.
    ports.log.warn('job-not-postponed', { delivery, why: String(failure) });
  }
};
