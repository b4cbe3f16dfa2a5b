import type { Channel, ChannelSetup, Webhook, WebhookSetup } from '#ports/channel.ts';

/** Every channel's outward half, by the word its sessions begin with. */
export const channels: Readonly<Record<string, (setup: ChannelSetup) => Channel>> = {};

/** Every channel's inward half, by the first word of its path after `/webhook/`. */
export const webhooks: Readonly<Record<string, (setup: WebhookSetup) => Webhook>> = {};
