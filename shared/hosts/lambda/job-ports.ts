import { SQSClient } from '@aws-sdk/client-sqs';
import { postponeMessage } from '#adapters/aws/sqs.ts';
import { createChannels } from '#channels/index.ts';
import { tools } from '#tools/index.ts';
import { createRandomIds } from '../ids.ts';
import { createRunner } from '../runner.ts';
import type { JobPorts } from './deliveries.ts';
import type { Environment } from './environment.ts';
import { PATIENT } from './patience.ts';
import { createResources, offeredTools } from './resources.ts';
import { createTimerPorts } from './timer-ports.ts';

/** All but the model. `source` is the queue the function reads from: that is where a job is put back. */
export const createJobPorts = async (
  environment: Environment,
  source: string,
): Promise<Omit<JobPorts, 'model'>> => {
  const client = new SQSClient(PATIENT);
  const ports = await createTimerPorts(environment);
  const resources = createResources(environment, ports.store);
  const setup = { ...ports, environment, language: ports.settings.agent.language, fetch };
  return {
    ...ports,
    ids: createRandomIds(),
    runner: createRunner(),
    channels: createChannels(setup),
    tools: offeredTools(tools, resources),
    resources,
    postpone: (receiptHandle, seconds) => postponeMessage(client, source, receiptHandle, seconds),
  };
};
