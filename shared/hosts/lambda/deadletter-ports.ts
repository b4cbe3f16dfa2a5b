import type { Model } from '#ports/model.ts';
import type { DeadLetterPorts } from './deadletter-handler.ts';
import { type Environment, required } from './environment.ts';
import { createJobPorts } from './job-ports.ts';

/** Giving up takes no thinking. Built like the agent's, a wrong MODEL would stop the one who tells people of it. */
const none: Model = {
  think: () => Promise.reject(new Error('the dead-letter function has no model')),
};

export const createDeadLetterPorts = async (
  environment: Environment,
): Promise<DeadLetterPorts> => ({
  ...(await createJobPorts(environment, required(environment, 'DEAD_LETTER_QUEUE_URL'))),
  model: none,
  mainQueue: required(environment, 'QUEUE_ARN'),
});
