import type { Channel, Webhook } from '#ports/channel.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every channel's outward half, by the word its sessions begin with. */
export const channels: Readonly<Record<string, (environment: Environment) => Channel>> = {};

/** Every channel's inward half, by the first word of its path after `/webhook/`. */
export const webhooks: Readonly<Record<string, (environment: Environment) => Webhook>> = {};
