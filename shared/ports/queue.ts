import type { Envelope } from '#domain/job.ts';

/** A FIFO queue: in order and one at a time within a group; a repeated deduplication id is accepted and dropped. */
export interface Queue {
  send(envelope: Envelope): Promise<void>;
}

/** How a job reached the agent. */
export interface Delivery {
  /** The queue's own id of the message: the same on redelivery. */
  readonly id: string;
  readonly queue: string;
  readonly sequence: string;
  /** When this function is stopped. */
  readonly deadline: number;
}
