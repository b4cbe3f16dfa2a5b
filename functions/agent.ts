import middy from '@middy/core';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { createAgentPorts } from '#hosts/lambda/agent-ports.ts';
import { buildOnce } from '#hosts/lambda/build-once.ts';

export const handler = middy(createAgentHandler(buildOnce(createAgentPorts)));
