import { defineChannel } from '#ports/channel.ts';
import { createFeishuChannel } from './channel.ts';
import { createFeishuWebhook } from './webhook.ts';

export const feishu = defineChannel({
  name: 'feishu',
  inward: createFeishuWebhook,
  outward: createFeishuChannel,
});
