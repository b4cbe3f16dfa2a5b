import type { Model } from '#ports/model.ts';
import { ModelError } from '#ports/model-error.ts';
import type { AgentPorts } from './agent-handler.ts';
import { chooseModel } from './choose-model.ts';
import { type Environment, required } from './environment.ts';
import { createJobPorts } from './job-ports.ts';

export const createAgentPorts = async (environment: Environment): Promise<AgentPorts> => ({
  ...(await createJobPorts(environment, required(environment, 'QUEUE_URL'))),
  model: modelOf(environment),
});

/** A wrong MODEL must not keep the agent from starting: whoever writes is told at once, and the operator why. */
const modelOf = (environment: Environment): Model => {
  try {
    return chooseModel(environment);
  } catch (error) {
    return { think: () => Promise.reject(new ModelError('rejected', (error as Error).message)) };
  }
};
