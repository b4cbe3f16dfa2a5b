import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { handler as agent } from '../../../functions/agent.ts';
import { handler as deadletter } from '../../../functions/deadletter.ts';
import { handler as timeout } from '../../../functions/timeout.ts';
import { handler as webhook } from '../../../functions/webhook.ts';
import { lambdaContext } from '../../support/cloud.ts';

describe('the functions as they are deployed', () => {
  const context = lambdaContext(10_000);
  const nothing: SQSEvent = { Records: [] };

  it('answer /healthz before anything is built', async () => {
    const event = { rawPath: '/healthz', headers: {} } as unknown as APIGatewayProxyEventV2;
    expect(await webhook(event, context)).toMatchObject({ statusCode: 200 });
  });

  it('fail with the name of what their environment lacks', async () => {
    await expect(agent(nothing, context)).rejects.toThrow('QUEUE_URL is not set');
    await expect(deadletter(nothing, context)).rejects.toThrow('DEAD_LETTER_QUEUE_URL is not set');
    await expect(timeout({}, context)).rejects.toThrow('TABLE_NAME is not set');
  });
});
