import middy from '@middy/core';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createDeadLetterHandler } from '#hosts/lambda/deadletter-handler.ts';
import { createDeadLetterPorts } from '#hosts/lambda/deadletter-ports.ts';

export const handler = middy(createDeadLetterHandler(buildOnce(createDeadLetterPorts)));
