import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handle } from '#flow/handle.ts';
import { deliveryOf, inOrder, type JobPorts } from './deliveries.ts';
import { readJob } from './read-job.ts';

export type AgentPorts = JobPorts;

/** Jobs of the main queue, each to its arrow. */
export const createAgentHandler =
  (build: () => Promise<AgentPorts>) =>
  async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const ports = await build();
    return inOrder(ports, event, (record) =>
      handle(ports, readJob(record.body), deliveryOf(ports, record, context)),
    );
  };
