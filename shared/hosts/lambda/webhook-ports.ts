import { createWebhooks } from '#channels/index.ts';
import type { Environment } from './environment.ts';
import { createFrontPorts } from './front-ports.ts';
import type { WebhookPorts } from './webhook-handler.ts';

export const createWebhookPorts = async (environment: Environment): Promise<WebhookPorts> => {
  const ports = await createFrontPorts(environment);
  const setup = { environment, language: ports.settings.agent.language, log: ports.log };
  return { ...ports, webhooks: createWebhooks(setup) };
};
