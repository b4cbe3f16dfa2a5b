import middy from '@middy/core';
import { createTimerPorts } from '#hosts/lambda/timer-ports.ts';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createTimeoutHandler } from '#hosts/lambda/timeout-handler.ts';

export const handler = middy(createTimeoutHandler(buildOnce(() => createTimerPorts(process.env))));
