import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Job } from '#domain/job.ts';
import { giveUp } from '#flow/give-up.ts';
import { deliveryOf, inOrder, type JobPorts } from './deliveries.ts';
import { NotAJobError, readJob } from './read-job.ts';
import { recordUnreadable, sessionOf, unreadableName } from './unreadable-job.ts';

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
      const job = readable(record);
      if (job instanceof NotAJobError) return keep(ports, record, job);
      const delivery = { ...deliveryOf(ports, record, context), queue: ports.mainQueue };
      await giveUp(ports, job, delivery);
    });
  };

const readable = ({ body }: SQSRecord): Job | NotAJobError => {
  try {
    return readJob(body);
  } catch (error) {
    if (error instanceof NotAJobError) return error;
    throw error;
  }
};

/** Nobody can be told about what is no job, and behind this queue there is no other: operators find it, and put it back. */
const keep = async (
  { store, clock, log }: DeadLetterPorts,
  { messageId: delivery, body, attributes }: SQSRecord,
  { message: why }: NotAJobError,
): Promise<void> => {
  const job = { body, group: attributes.MessageGroupId ?? 'unreadable', delivery, at: clock.now() };
  await store.write(recordUnreadable(job));
  log.error('job-failed', {
    session: sessionOf(job),
    job: unreadableName(delivery),
    delivery,
    why,
  });
};
