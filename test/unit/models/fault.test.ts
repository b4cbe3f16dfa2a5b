import { describe, expect, it } from 'vitest';
import { faultOf } from '#models/ai-sdk/fault.ts';
import { StreamError } from '#models/ai-sdk/read-stream.ts';

/** As the SDK reports an answer with a status. */
const answered = (statusCode: number, responseBody: string, more: object = {}) => {
  const error = Object.assign(new Error('Bad Request'), { isRetryable: statusCode >= 500 });
  return Object.assign(error, { statusCode, responseBody, ...more });
};
const codeOf = (error: unknown) => faultOf(error, 0).code;
const said = (message: string) => JSON.stringify({ error: { message } });

describe('a context overflow is known by its words', () => {
  it.each([
    'prompt is too long: 208310 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length',
    "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens",
    'Invalid request: Your request exceeded model token limit: 131072',
    'Range of input length should be [1, 129024]',
    'the request exceeds the available context size. try increasing the context size',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    'Input tokens exceed the configured limit of 272000 tokens',
    'Total tokens of image and text exceed max message tokens',
    'Prompt exceeds max length',
  ])('%s', (message) => {
    expect(codeOf(answered(400, said(message)))).toBe('overflow');
    expect(codeOf(answered(400, JSON.stringify({ object: 'error', message })))).toBe('overflow');
    expect(codeOf(answered(400, JSON.stringify({ detail: message })))).toBe('overflow');
  });

  it('and not found in every complaint about a length', () => {
    const id = "Invalid 'messages[1].tool_calls[0].id': string too long. Expected 40 at most";
    expect(codeOf(answered(400, said(id)))).toBe('rejected');
    expect(codeOf(answered(413, '<html>'))).toBe('overflow');
    expect(codeOf(answered(429, said('too many tokens per minute')))).toBe('unavailable');
  });
});

describe('what servers say about reasoning', () => {
  it.each([
    ['Missing `reasoning_content` field in the assistant message at message index 2.', 'missing'],
    ['The `reasoning_content` in the thinking mode must be passed back to the API.', 'missing'],
    [
      'thinking is enabled but reasoning_content is missing in assistant tool call message',
      'missing',
    ],
    ["property 'reasoning_content' is unsupported", 'unwanted'],
    ['messages.1.content.0: Invalid `signature` in `thinking` block', 'unwanted'],
    [
      '`thinking` or `redacted_thinking` blocks in the latest message cannot be modified',
      'unwanted',
    ],
  ])('%s', (message, what) => {
    expect(codeOf(answered(400, said(message)))).toBe(`reasoning-${what}`);
  });
});

describe('what is logged', () => {
  it('quotes no part of the conversation that a parser or a server echoes', () => {
    const parser = new Error('JSON parsing failed: Text: {"content":"my salary is 9"');
    parser.name = 'AI_JSONParseError';
    expect(faultOf(new StreamError('', { cause: parser }), 0)).toEqual({
      code: 'unavailable',
      why: 'AI_JSONParseError',
    });
    const echo = { detail: [{ loc: ['body'], msg: 'wrong', input: 'my salary is 9' }] };
    const fault = faultOf(answered(422, JSON.stringify(echo)), 0);
    expect(fault).toEqual({ code: 'rejected', why: '422 Bad Request' });
  });

  it('is cut: a page of HTML is no sentence', () => {
    const { why } = faultOf(answered(502, said('x'.repeat(5_000))), 0);
    expect(why).toHaveLength('502 '.length + 300);
  });

  it('takes an answer that began well and cannot be read for one that was cut off', () => {
    expect(codeOf(answered(200, ''))).toBe('unavailable');
  });

  it('takes a fault of our own for no reason to try again', () => {
    expect(faultOf(new TypeError('x is not a function'), 0)).toEqual({
      code: 'rejected',
      why: 'TypeError',
    });
  });
});
