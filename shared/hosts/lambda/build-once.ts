import type { Environment } from './environment.ts';
import { createEnvironmentSource, type EnvironmentSource } from './environment-source.ts';

/**
 * Clients and settings are built by the first invocation and kept, until the secret was changed; a build that failed is
 * tried again by the next. The variables are looked at by the first invocation, not before.
 */
export const buildOnce = <T>(
  build: (environment: Environment, source: EnvironmentSource) => Promise<T>,
  variables: Environment = process.env,
): (() => Promise<T>) => {
  let source: EnvironmentSource | undefined;
  let built: { readonly from: Environment; readonly value: Promise<T> } | undefined;
  return async () => {
    source ??= createEnvironmentSource(variables);
    const from = await source.current();
    if (built?.from !== from) built = { from, value: build(from, source) };
    const { value } = built;
    return value.catch((error: unknown) => {
      if (built?.value === value) built = undefined;
      throw error;
    });
  };
};
