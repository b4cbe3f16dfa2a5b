import { describe, expect, it, onTestFinished } from 'vitest';
import { anthropicDialect } from '../../support/model-standins/anthropic.ts';
import { openAiDialect } from '../../support/model-standins/openai.ts';
import { type Dialect, startStandIn } from '../../support/model-standins/stand-in.ts';

/** The suite is worth what its servers refuse. */
const ask = async (dialect: Dialect, body: object, headers: Record<string, string>) => {
  const { url, reply, stop } = await startStandIn(dialect);
  onTestFinished(stop);
  reply({ text: 'fine' });
  const address = `${url}${dialect.path.replace('/v1', '')}`;
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  return `${response.status} ${await response.text()}`;
};

describe('the stand-in of Anthropic', () => {
  const user = (...content: object[]) => ({ role: 'user', content });
  const assistant = (...content: object[]) => ({ role: 'assistant', content });
  const text = (words: string) => ({ type: 'text', text: words });
  const use = (id: string, more = {}) => ({
    type: 'tool_use',
    id,
    name: 'look',
    input: {},
    ...more,
  });
  const got = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: 'ok' });
  const tell = (messages: object[], more: object = {}, key = 'k') =>
    ask(
      anthropicDialect({ key: 'k', contextTokens: 500 }),
      { model: 'm', max_tokens: 9, stream: true, messages, ...more },
      { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    );
  const hello = user(text('hello'));

  it('answers what is in order', async () => {
    expect(await tell([hello])).toMatch(/^200 event: message_start\n/);
    expect(await tell([hello, assistant(use('a')), user(got('a'), text('and?'))])).toMatch(/^200/);
  });

  const forged = { type: 'thinking', thinking: 'Hm.', signature: 'AAAA' };
  it.each([
    ['a wrong key', [hello], '401', 'invalid x-api-key', {}, 'wrong'],
    ['no output limit', [hello], '400', 'max_tokens', { max_tokens: undefined }],
    ['an assistant first', [assistant(text('hi')), hello], '400', 'first message must use'],
    ['an assistant last', [hello, assistant(text('hi'))], '400', 'must end with a user message'],
    ['another role', [hello, { role: 'tool', content: 'x' }, hello], '400', 'Unexpected role'],
    ['an empty message', [hello, assistant(), hello], '400', 'non-empty content'],
    ['an empty text', [user(text(' '))], '400', 'non-whitespace'],
    ['a call without result', [hello, assistant(use('a')), hello], '400', 'ids were found without'],
    [
      'one result of two',
      [hello, assistant(use('a'), use('b')), user(got('a'))],
      '400',
      'after: b',
    ],
    ['a result without call', [hello, assistant(text('x')), user(got('a'))], '400', 'unexpected'],
    [
      'words before results',
      [hello, assistant(use('a')), user(text('x'), got('a'))],
      '400',
      'immediately after',
    ],
    ['an odd id', [hello, assistant(use('a:1')), user(got('a:1'))], '400', 'tool_use.id'],
    [
      'an id twice',
      [hello, assistant(use('a'), use('a')), user(got('a'), got('a'))],
      '400',
      'unique',
    ],
    [
      'arguments in a text',
      [hello, assistant(use('a', { input: '{}' })), user(got('a'))],
      '400',
      'dictionary',
    ],
    [
      'a forged thought',
      [hello, assistant(forged, text('x')), hello],
      '400',
      'Invalid `signature`',
    ],
    ['too much', [user(text('x'.repeat(3_000)))], '400', 'prompt is too long'],
  ] as const)('refuses %s', async (_, messages, status, words, more = {}, key: string = 'k') => {
    const answer = await tell([...messages], more, key);
    expect(answer.slice(0, 3)).toBe(status);
    expect(answer).toContain(words);
  });
});

describe('the stand-in of OpenAI', () => {
  const user = { role: 'user', content: 'hello' };
  const calls = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: '{}' },
    })),
  });
  const got = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'ok' });
  const tell = (messages: object[], more: object = {}, key = 'k') =>
    ask(
      openAiDialect({ key: 'k', contextTokens: 500 }),
      { model: 'm', stream: true, messages, ...more },
      { authorization: `Bearer ${key}` },
    );

  it('answers what is in order', async () => {
    expect(await tell([user, calls('a', 'b'), got('b'), got('a')])).toMatch(/^200 : keep-alive/);
  });

  const odd = { ...calls('a') };
  odd.tool_calls = [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{' } }];
  it.each([
    ['a wrong key', [user], '401', 'Incorrect API key', {}, 'wrong'],
    ['no tools in a list', [user], '400', 'too short', { tools: [] }],
    [
      'a result without call',
      [user, got('a')],
      '400',
      'must be a response to a preceeding message',
    ],
    ['a call without result', [user, calls('a'), user], '400', 'did not have response messages: a'],
    ['one result of two', [user, calls('a', 'b'), got('a')], '400', 'response messages: b'],
    ['a long id', [user, calls('x'.repeat(41)), got('x'.repeat(41))], '400', 'too long'],
    ['half arguments', [user, odd, got('a')], '400', 'not a JSON object'],
    ['no content', [user, { role: 'assistant', content: null }, user], '400', 'got null'],
    ['too much', [{ role: 'user', content: 'x'.repeat(3_000) }], '400', 'maximum context length'],
  ] as const)('refuses %s', async (_, messages, status, words, more = {}, key: string = 'k') => {
    const answer = await tell([...messages], more, key);
    expect(answer.slice(0, 3)).toBe(status);
    expect(answer).toContain(words);
  });
});
