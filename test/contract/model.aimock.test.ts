import { LLMock } from '@copilotkit/aimock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAnthropic } from '#models/ai-sdk/anthropic.ts';
import { createOpenAiCompatible } from '#models/ai-sdk/openai-compatible.ts';
import { asking, KEY, result, saved, user } from './model.suite.ts';

/** A server we did not write: what our stand-ins and our code agree on by mistake, it does not. */
describe.each([
  ['anthropic', createAnthropic],
  ['openai-compatible', createOpenAiCompatible],
] as const)('%s against aimock', (_, create) => {
  const open = async () => {
    const mock = new LLMock({ port: 0, strict: true, logLevel: 'silent', chunkSize: 5 });
    await mock.start();
    onTestFinished(() => mock.stop());
    const waits: number[] = [];
    const environment = { MODEL_BASE_URL: `${mock.url}/v1`, MODEL_API_KEY: KEY };
    const sleep = async (ms: number) => {
      waits.push(ms);
    };
    return { mock, waits, model: create('claude-sonnet-4-5', environment, { sleep }) };
  };

  it('reasons, calls twice at once, reads both results and answers', async () => {
    const { mock, model } = await open();
    const toolCalls = ['o1', 'o2'].map((orderId) => ({
      name: 'look',
      arguments: JSON.stringify({ orderId }),
    }));
    mock.on({ userMessage: '看看', hasToolResult: false }, { reasoning: '先看。', toolCalls });
    mock.on({ userMessage: '看看', hasToolResult: true }, { content: '都已付款。' });
    const step = saved(await model.think(asking([user('看看 o1 和 o2')])));
    expect(step.calls.map(({ tool, input }) => [tool, input])).toEqual([
      ['look', { orderId: 'o1' }],
      ['look', { orderId: 'o2' }],
    ]);
    expect(JSON.stringify(step.provider)).toContain('先看。');
    const results = step.calls.map((call) => result(call, 'paid'));
    const thought = await model.think(asking([user('看看 o1 和 o2'), step, ...results]));
    expect(thought.text).toBe('都已付款。');
  });

  it('waits as long as a 429 says, and tries again after a stream that broke', async () => {
    const { mock, model, waits } = await open();
    const limited = {
      error: { message: 'slow down', type: 'rate_limit_error' },
      status: 429,
      retryAfter: 3,
    };
    mock.on({ userMessage: 'hello', sequenceIndex: 0 }, limited);
    mock.on(
      { userMessage: 'hello', sequenceIndex: 1 },
      { content: 'a long enough answer to be cut' },
      { truncateAfterChunks: 3 },
    );
    mock.on({ userMessage: 'hello' }, { content: 'fine' });
    expect((await model.think(asking([user('hello')]))).text).toBe('fine');
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBe(3000);
  });
});
