import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAnthropic } from '#models/ai-sdk/anthropic.ts';
import { keyFrom } from '#models/ai-sdk/connection.ts';
import { createOpenAiCompatible } from '#models/ai-sdk/openai-compatible.ts';

const URL_AND_KEY = { MODEL_BASE_URL: 'https://example.com/v1', MODEL_API_KEY: 'k' };

describe('a wrong setting is one sentence that says what to set', () => {
  it.each([
    [
      () => createAnthropic('', URL_AND_KEY),
      'MODEL is anthropic; which model? Expected anthropic/<id>',
    ],
    [
      () => createAnthropic('m', {}),
      'MODEL is anthropic/m, but there is no key: set MODEL_API_KEY or ANTHROPIC_API_KEY',
    ],
    [
      () => createOpenAiCompatible('m', { MODEL_API_KEY: 'k' }),
      'MODEL is openai-compatible/m, but MODEL_BASE_URL is not set; it says where, like https://api.deepseek.com/v1',
    ],
    [
      () => createOpenAiCompatible('m', { MODEL_BASE_URL: 'localhost:11434' }),
      'MODEL_BASE_URL is "localhost:11434"; an address like https://host/v1 was expected',
    ],
    [
      () => createOpenAiCompatible('m', { MODEL_BASE_URL: 'http://h/v1/chat/completions' }),
      'MODEL_BASE_URL ends in /chat/completions, which is appended by itself; leave it off',
    ],
    [
      () => createAnthropic('m', { ...URL_AND_KEY, MODEL_BASE_URL: 'http://h/v1/messages/' }),
      'MODEL_BASE_URL ends in /messages, which is appended by itself; leave it off',
    ],
  ])('%#', (create, message) => {
    expect(create).toThrow(new Error(message));
  });
});

describe('the key', () => {
  it("is MODEL_API_KEY before the provider's own, and the first of a list", () => {
    expect(keyFrom({ MODEL_API_KEY: ' new , old', OWN: 'own' }, 'OWN')).toBe('new');
    expect(keyFrom({ MODEL_API_KEY: '', OWN: 'own\n' }, 'OWN')).toBe('own');
    expect(keyFrom({ OWN: 'own' }, undefined)).toBeUndefined();
  });

  it.each([
    ['https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY'],
    ['https://api.moonshot.cn/v1', 'MOONSHOT_API_KEY'],
    ['https://ark.cn-beijing.volces.com/api/v3', 'ARK_API_KEY'],
    ['https://api.openai.com/v1', 'OPENAI_API_KEY'],
    ['https://api.deepseek.com.example.org/v1', undefined],
    ['https://notdeepseek.com/v1', undefined],
  ])('at %s is %s', async (url, variable) => {
    const names = ['DEEPSEEK', 'DASHSCOPE', 'MOONSHOT', 'ARK', 'OPENAI', 'ANTHROPIC'];
    const keys = Object.fromEntries(names.map((name) => [`${name}_API_KEY`, `${name} key`]));
    const sent: (string | null)[] = [];
    vi.stubGlobal('fetch', async (_: string, { headers }: { headers: Record<string, string> }) => {
      sent.push(new Headers(headers).get('authorization'));
      return new Response('{}', { status: 401 });
    });
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const model = createOpenAiCompatible('m', { MODEL_BASE_URL: url, ...keys });
    const messages = [{ role: 'user', text: 'hello' }] as const;
    const deadline = Date.now() + 10_000;
    await expect(model.think({ system: '', messages, tools: [], deadline })).rejects.toThrow('401');
    expect(sent).toEqual([variable ? `Bearer ${keys[variable]}` : null]);
  });
});

it('loads a provider only when it thinks, and `ai` itself never', () => {
  const folder = new URL('../../../shared/models/ai-sdk/', import.meta.url);
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    expect(source).not.toMatch(/^(?:import|export)(?! type)[^;]*from '(?:ai|@ai-sdk\/[^']*)'/m);
  }
});
