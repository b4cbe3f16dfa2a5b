import type { AgentPorts } from './agent-handler.ts';
import { chooseModel } from './choose-model.ts';
import { type Environment, required } from './environment.ts';
import { createJobPorts } from './job-ports.ts';

export const createAgentPorts = async (environment: Environment): Promise<AgentPorts> => ({
  ...(await createJobPorts(environment, required(environment, 'QUEUE_URL'))),
  model: chooseModel(environment),
});
