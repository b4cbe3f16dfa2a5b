import middy from '@middy/core';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createWebhookHandler } from '#hosts/lambda/webhook-handler.ts';
import { createWebhookPorts } from '#hosts/lambda/webhook-ports.ts';

export const handler = middy(createWebhookHandler(buildOnce(createWebhookPorts)));
