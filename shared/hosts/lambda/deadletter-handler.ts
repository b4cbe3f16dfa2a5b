import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Job } from '#domain/job.ts';
import { giveUp } from '#flow/give-up.ts';
import { deliveryOf, inOrder, type JobPorts } from './deliveries.ts';
import { NotAJobError, readJob } from './read-job.ts';

export interface DeadLetterPorts extends JobPorts {
  /** ARN of the queue the jobs died in: a session counts what it accepted per queue, and the dead letters' is another. */
  readonly mainQueue: string;
}

/** Jobs that failed for good. */
export const createDeadLetterHandler =
  (build: () => Promise<DeadLetterPorts>) =>
  async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const ports = await build();
    return inOrder(ports, event, async (record) => {
      const job = readable(ports, record);
      const delivery = { ...deliveryOf(ports, record, context), queue: ports.mainQueue };
      if (job) await giveUp(ports, job, delivery);
    });
  };

/** Nobody can be told about what is no job, and behind this queue there is no other: the log line is what is left. */
const readable = ({ log }: DeadLetterPorts, { messageId, body }: SQSRecord): Job | undefined => {
  try {
    return readJob(body);
  } catch (error) {
    if (!(error instanceof NotAJobError)) throw error;
    log.error('dead-letter-unreadable', { delivery: messageId, why: error.message });
    return undefined;
  }
};
