import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Json } from '#domain/canonical-json.ts';
import { sessionId } from '#domain/ids.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import type { Model, ModelMessage } from '#ports/model.ts';
import { defineTool } from '#ports/tool.ts';
import { lambdaContext, messageOf } from '../../support/cloud.ts';
import { createMemoryPorts, recordFor } from '../../support/memory-ports.ts';
import { callTool, say, scripted } from '../../support/scripted-model.ts';

/** What the model reads of a tool that does this. */
const resultOf = async (
  run: () => Promise<Json | undefined>,
  input = {},
): Promise<ModelMessage> => {
  const seen: ModelMessage[] = [];
  const script = scripted([callTool('tool', input), say('好')]);
  const model: Model = {
    think: (request) => {
      seen.splice(0, seen.length, ...request.messages);
      return script.think(request);
    },
  };
  const tool = defineTool({
    description: 'A tool',
    input: z.object({ n: z.optional(z.int()) }),
    risk: 'LOW',
    timeoutSeconds: 0.05,
    run,
  });
  const { ports, platform } = createMemoryPorts(model, { tool });
  const message = messageOf('m', 'chat', '你好', 0);
  const job = { type: 'message', session: sessionId({ ...message.to }), message } as const;
  await createAgentHandler(async () => ports)(
    { Records: [recordFor(job)] },
    lambdaContext(240_000),
  );
  expect(platform.texts()).toEqual(['好']);
  return seen.at(-1) as ModelMessage;
};

it('tells the model what a tool threw, in words', async () => {
  expect(await resultOf(() => Promise.reject(new Error('no such order')))).toMatchObject({
    role: 'result',
    outcome: 'failed',
    text: 'Failed: no such order',
  });
});

it('tells the model that a tool which hangs was stopped and may have run', async () => {
  expect(await resultOf(() => new Promise(() => {}))).toMatchObject({
    role: 'result',
    outcome: 'unknown',
    text: 'Stopped at its limit of 0.05 s; it may have run in part or in full',
  });
});

it('tells the model which argument does not fit, and runs nothing', async () => {
  const result = await resultOf(() => Promise.reject(new Error('it ran')), { n: 'many' });
  expect(result).toMatchObject({ role: 'result', outcome: 'refused' });
  expect(JSON.stringify(result)).toContain('expected number');
});
