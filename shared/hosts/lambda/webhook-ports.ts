import { createWebhooks } from '#channels/index.ts';
import type { Webhook } from '#ports/channel.ts';
import type { Environment } from './environment.ts';
import type { EnvironmentSource } from './environment-source.ts';
import { createFrontPorts } from './front-ports.ts';
import { QUICK } from './patience.ts';
import type { WebhookPorts } from './webhook-handler.ts';

export const createWebhookPorts = async (
  environment: Environment,
  source?: EnvironmentSource,
): Promise<WebhookPorts> => {
  const ports = await createFrontPorts(environment, QUICK);
  const webhooksWith = (one: Environment) =>
    createWebhooks({ environment: one, language: ports.settings.agent.language, log: ports.log });
  const renewed = async (name: string): Promise<Webhook | undefined> => {
    const again = await source?.again();
    return again === undefined || again === environment ? undefined : webhooksWith(again)[name];
  };
  return {
    ...ports,
    webhooks: Object.fromEntries(
      Object.entries(webhooksWith(environment)).map(([name, webhook]) => [
        name,
        withSecondLook(webhook, () => renewed(name)),
      ]),
    ),
  };
};

/** A secret may just have been rotated: what could not be verified is tried once with what it says now. */
const withSecondLook = (
  webhook: Webhook,
  renewed: () => Promise<Webhook | undefined>,
): Webhook => ({
  ...webhook,
  receive: async (request, now) => {
    const received = await webhook.receive(request, now);
    if (received.kind !== 'answered' || received.answer.status !== 401) return received;
    return (await renewed())?.receive(request, now) ?? received;
  },
});
