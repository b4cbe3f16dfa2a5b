import type { Model } from '#ports/model.ts';
import { baseUrlFrom, type Environment, keyFrom, required } from './connection.ts';
import { createModel, type ModelParts } from './create-model.ts';

const OWN_URL = 'https://api.anthropic.com/v1';
/** Anthropic counts the room for the answer as part of the context; by itself the SDK would claim the model's most. */
const MOST_OUTPUT_TOKENS = 32_000;

export const createAnthropic = (
  id: string,
  environment: Environment,
  more: Partial<ModelParts> = {},
): Model => {
  const model = required('anthropic', id);
  const baseURL = baseUrlFrom(environment['MODEL_BASE_URL'] || OWN_URL);
  const apiKey = keyFrom(environment, 'ANTHROPIC_API_KEY');
  if (!apiKey)
    throw new Error(
      `MODEL is anthropic/${id}, but there is no key: set MODEL_API_KEY or ANTHROPIC_API_KEY`,
    );
  return createModel({
    family: 'anthropic',
    model,
    key: apiKey,
    maxOutputTokens: MOST_OUTPUT_TOKENS,
    load: async (fetch) => {
      const sdk = await import('@ai-sdk/anthropic');
      return sdk.createAnthropic({ baseURL, apiKey, fetch })(id);
    },
    ...more,
  });
};
