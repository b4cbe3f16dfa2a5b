import middy from '@middy/core';
import { createDeadLetterPorts } from '#hosts/lambda/agent-ports.ts';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createDeadLetterHandler } from '#hosts/lambda/deadletter-handler.ts';

export const handler = middy(createDeadLetterHandler(buildOnce(createDeadLetterPorts)));
