import middy from '@middy/core';
import { createWebhookPorts } from '#hosts/lambda/webhook-ports.ts';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createWebhookHandler } from '#hosts/lambda/webhook-handler.ts';

export const handler = middy(createWebhookHandler(buildOnce(() => createWebhookPorts(process.env))));
