import { models } from '#models/index.ts';
import type { Model } from '#ports/model.ts';
import type { Environment } from './environment.ts';

export const wantedModel = (environment: Environment): string => environment['MODEL'] ?? 'demo';

/** `anthropic/<id>`: the provider's word, then whatever the provider calls its model. */
export const chooseModel = (environment: Environment): Model => {
  const wanted = wantedModel(environment);
  const [provider = '', ...id] = wanted.split('/');
  const create = Object.hasOwn(models, provider) ? models[provider] : undefined;
  if (create) return create(id.join('/'), environment);
  const known = Object.keys(models).join(', ') || 'none yet';
  throw new Error(`MODEL is ${wanted}, but no provider is called ${provider}; known are: ${known}`);
};
