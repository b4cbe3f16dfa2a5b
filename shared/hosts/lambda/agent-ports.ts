import { SQSClient } from '@aws-sdk/client-sqs';
import { postponeMessage } from '#adapters/aws/sqs.ts';
import { createChannels } from '#channels/index.ts';
import { models } from '#models/index.ts';
import type { Model } from '#ports/model.ts';
import { tools } from '#tools/index.ts';
import { createRandomIds } from '../ids.ts';
import { createRunner } from '../runner.ts';
import type { AgentPorts } from './agent-handler.ts';
import type { DeadLetterPorts } from './deadletter-handler.ts';
import { type Environment, required } from './environment.ts';
import { createResources, offeredTools } from './resources.ts';
import { createTimerPorts } from './timer-ports.ts';

export const createAgentPorts = (environment: Environment): Promise<AgentPorts> =>
  createJobPorts(environment, required(environment, 'QUEUE_URL'));

export const createDeadLetterPorts = async (
  environment: Environment,
): Promise<DeadLetterPorts> => ({
  ...(await createJobPorts(environment, required(environment, 'DEAD_LETTER_QUEUE_URL'))),
  mainQueue: required(environment, 'QUEUE_ARN'),
});

/** `source` is the queue the function reads from: that is where a job is put back. */
const createJobPorts = async (environment: Environment, source: string): Promise<AgentPorts> => {
  const client = new SQSClient({});
  const ports = await createTimerPorts(environment);
  const resources = createResources(environment, ports.store);
  const setup = { ...ports, environment, language: ports.settings.agent.language, fetch };
  return {
    ...ports,
    model: chooseModel(environment),
    ids: createRandomIds(),
    runner: createRunner(),
    channels: createChannels(setup),
    tools: offeredTools(tools, resources),
    resources,
    postpone: (receiptHandle, seconds) => postponeMessage(client, source, receiptHandle, seconds),
  };
};

/** `anthropic/<id>`: the provider's word, then whatever the provider calls its model. */
const chooseModel = (environment: Environment): Model => {
  const wanted = environment['MODEL'] ?? 'demo';
  const [provider = '', ...id] = wanted.split('/');
  const create = Object.hasOwn(models, provider) ? models[provider] : undefined;
  if (create) return create(id.join('/'), environment);
  const known = Object.keys(models).join(', ') || 'none yet';
  throw new Error(`MODEL is ${wanted}, but no provider is called ${provider}; known are: ${known}`);
};
