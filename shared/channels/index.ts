import type { Channel, ChannelSetup, Webhook, WebhookSetup } from '#ports/channel.ts';
import { createDingtalkChannel } from './dingtalk/channel.ts';
import { createDingtalkWebhook } from './dingtalk/webhook.ts';
import { createFeishuChannel } from './feishu/channel.ts';
import { createFeishuWebhook } from './feishu/webhook.ts';

/**
 * Every channel, by the word its sessions, its settings and its path begin with. Two lists and not one: the webhook is
 * deployed without the outward halves. A channel that is missing in either does not compile.
 */
const CHANNELS = {
  dingtalk: createDingtalkChannel,
  feishu: createFeishuChannel,
};
const WEBHOOKS: Readonly<Record<keyof typeof CHANNELS, (setup: WebhookSetup) => Webhook>> = {
  dingtalk: createDingtalkWebhook,
  feishu: createFeishuWebhook,
};

export const createChannels = (setup: ChannelSetup): Readonly<Record<string, Channel>> =>
  configured(CHANNELS, setup);

export const createWebhooks = (setup: WebhookSetup): Readonly<Record<string, Webhook>> =>
  configured(WEBHOOKS, setup);

/** A channel none of whose settings are given is not there; one with some of them says which are missing. */
const configured = <Setup extends WebhookSetup, T>(
  creators: Readonly<Record<string, (setup: Setup) => T>>,
  setup: Setup,
): Readonly<Record<string, T>> => {
  const given = Object.keys(setup.environment).filter((name) => setup.environment[name]);
  return Object.fromEntries(
    Object.entries(creators)
      .filter(([name]) => given.some((one) => one.startsWith(`${name.toUpperCase()}_`)))
      .map(([name, create]) => [name, create(setup)]),
  );
};
