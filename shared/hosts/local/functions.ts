import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import { handler as agent } from '../../../functions/agent.ts';
import { handler as deadletter } from '../../../functions/deadletter.ts';
import { handler as timeout } from '../../../functions/timeout.ts';
import { handler as webhook } from '../../../functions/webhook.ts';
import { createInvoke, type Invoke } from './invocation.ts';

/** The very functions that are deployed. They read the process's environment when they are first called. */
export interface Functions {
  readonly webhook: Invoke<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;
  readonly agent: Invoke<SQSEvent, SQSBatchResponse>;
  readonly deadletter: Invoke<SQSEvent, SQSBatchResponse>;
  readonly timeout: Invoke<unknown, unknown>;
}

const AGENT_SECONDS = 120;
/** As on AWS. */
export const VISIBILITY_SECONDS = AGENT_SECONDS + 60;
const FRONT_SECONDS = 29;

export const functions: Functions = {
  webhook: createInvoke('webhook', webhook, FRONT_SECONDS * 1000),
  agent: createInvoke('agent', agent, AGENT_SECONDS * 1000),
  deadletter: createInvoke('deadletter', deadletter, AGENT_SECONDS * 1000),
  timeout: createInvoke('timeout', timeout, FRONT_SECONDS * 1000),
};

/** Has every function build what it works with, by giving it nothing to do: a wrong setting shows now, not at the first message. */
export const warmUp = async (): Promise<void> => {
  const nothing: SQSEvent = { Records: [] };
  await functions.agent(nothing);
  await functions.deadletter(nothing);
  await functions.timeout(nothing);
  await functions.webhook({ rawPath: '/webhook/', headers: {} } as APIGatewayProxyEventV2);
};
