import { expect, it } from 'vitest';
import { defineChannel, type WebhookSetup } from '#ports/channel.ts';

const walkie = defineChannel({
  name: 'walkie',
  inward: () => ({
    receive: async () => ({ kind: 'received', inbound: [] }),
    answer: () => ({ status: 200, body: {} }),
  }),
  outward: () => ({
    say: async () => {},
    show: async () => ({ chat: 'c', message: 'm', time: 1 }),
    update: async () => {},
  }),
});
const setup: WebhookSetup = {
  environment: {},
  language: 'en',
  log: { info: () => {}, warn: () => {}, error: () => {} },
};

it('gives both halves the name of the channel', () => {
  const clock = { now: () => 0, sleepUntil: async () => {} };
  expect(walkie.createWebhook(setup).name).toBe('walkie');
  expect(walkie.createChannel({ ...setup, clock, fetch }).name).toBe('walkie');
});

it.each([
  [{}, false],
  [{ WALKIE_TOKEN: '' }, false],
  [{ WALKIE_TOKEN: undefined }, false],
  [{ WALKIETALKIE_TOKEN: 'x', FEISHU_APP_ID: 'y' }, false],
  [{ WALKIE_TOKEN: 'x' }, true],
])('is there as soon as one of its settings is given: %j', (environment, there) => {
  expect(walkie.isConfigured(environment)).toBe(there);
});
