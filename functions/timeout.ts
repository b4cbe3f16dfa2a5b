import middy from '@middy/core';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createTimeoutHandler } from '#hosts/lambda/timeout-handler.ts';
import { createTimerPorts } from '#hosts/lambda/timer-ports.ts';

export const handler = middy(createTimeoutHandler(buildOnce(createTimerPorts)));
