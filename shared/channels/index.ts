import type { Channel, ChannelSetup, Webhook, WebhookSetup } from '#ports/channel.ts';
import { dingtalk } from './dingtalk/index.ts';
import { feishu } from './feishu/index.ts';

/** Every channel. */
const CHANNELS = [dingtalk, feishu];

const configuredIn = ({ environment }: WebhookSetup) =>
  CHANNELS.filter((channel) => channel.isConfigured(environment));

export const createChannels = (setup: ChannelSetup): Readonly<Record<string, Channel>> =>
  Object.fromEntries(
    configuredIn(setup).map(({ name, createChannel }) => [name, createChannel(setup)]),
  );

export const createWebhooks = (setup: WebhookSetup): Readonly<Record<string, Webhook>> =>
  Object.fromEntries(
    configuredIn(setup).map(({ name, createWebhook }) => [name, createWebhook(setup)]),
  );
