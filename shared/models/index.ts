import type { Model } from '#ports/model.ts';
import { createAnthropic } from './ai-sdk/anthropic.ts';
import { createOpenAiCompatible } from './ai-sdk/openai-compatible.ts';
import { createDemoModel } from './demo/demo-model.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every provider, by the word before the slash in `MODEL`; it is handed what stands behind it. */
export const models: Readonly<Record<string, (id: string, environment: Environment) => Model>> = {
  anthropic: createAnthropic,
  demo: createDemoModel,
  openai: (id, environment) =>
    createOpenAiCompatible(id, {
      ...environment,
      MODEL_BASE_URL: environment['MODEL_BASE_URL'] || 'https://api.openai.com/v1',
    }),
  'openai-compatible': createOpenAiCompatible,
};
