import type { Model } from '#ports/model.ts';
import { baseUrlFrom, type Environment, keyFrom, required } from './connection.ts';
import { createModel, type ModelParts } from './create-model.ts';

/** Each provider's usual variable, by the host that may see it: a key is never sent to somebody else's server. */
const OWN_KEYS: readonly (readonly [host: RegExp, variable: string])[] = [
  [/(^|\.)openai\.com$/, 'OPENAI_API_KEY'],
  [/(^|\.)deepseek\.com$/, 'DEEPSEEK_API_KEY'],
  [/^dashscope[\w-]*\.aliyuncs\.com$/, 'DASHSCOPE_API_KEY'],
  [/(^|\.)moonshot\.(cn|ai)$/, 'MOONSHOT_API_KEY'],
  [/(^|\.)volces\.com$/, 'ARK_API_KEY'],
];

/** Qwen, DeepSeek, Doubao, Kimi, vLLM, Ollama: told apart by their address. Servers of one's own may need no key. */
export const createOpenAiCompatible = (
  id: string,
  environment: Environment,
  more: Partial<ModelParts> = {},
): Model => {
  const model = required('openai-compatible', id);
  const url = environment['MODEL_BASE_URL'];
  if (!url)
    throw new Error(
      `MODEL is openai-compatible/${id}, but MODEL_BASE_URL is not set; it says where, like https://api.deepseek.com/v1`,
    );
  const baseURL = baseUrlFrom(url);
  const { hostname } = new URL(baseURL);
  const [, own] = OWN_KEYS.find(([host]) => host.test(hostname)) ?? [];
  const apiKey = keyFrom(environment, own);
  return createModel({
    family: 'openai-compatible',
    model,
    key: apiKey,
    load: async (fetch) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const settings = { name: 'openaiCompatible', baseURL, fetch, includeUsage: true };
      return createOpenAICompatible({ ...settings, ...(apiKey && { apiKey }) })(id);
    },
    ...more,
  });
};
