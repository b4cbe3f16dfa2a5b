import { defineChannel } from '#ports/channel.ts';
import { createDingtalkChannel } from './channel.ts';
import { createDingtalkWebhook } from './webhook.ts';

export const dingtalk = defineChannel({
  name: 'dingtalk',
  inward: createDingtalkWebhook,
  outward: createDingtalkChannel,
});
