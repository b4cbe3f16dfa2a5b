import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createSecretsManagerSecrets } from '#adapters/aws/secrets.ts';
import type { SecretValues } from '#ports/secrets.ts';
import { createJsonLog } from '../json-log.ts';
import type { Environment } from './environment.ts';
import { QUICK } from './patience.ts';

/** Where settings come from; the same object is given out as long as nothing was changed. */
export interface EnvironmentSource {
  current(): Promise<Environment>;
  /** Looks again, because something did not fit. */
  again(): Promise<Environment>;
}

/** A function's variables and, on AWS, the values of the one secret they name. What the stack has set cannot be changed by it. */
export const createEnvironmentSource = (variables: Environment): EnvironmentSource => {
  const id = variables['SECRET_ARN'];
  if (!id) return { current: async () => variables, again: async () => variables };
  const secrets = createSecretsManagerSecrets(new SecretsManagerClient(QUICK), id, {
    log: createJsonLog(),
  });
  let merged: { readonly values: SecretValues; readonly environment: Environment } | undefined;
  const withValues = (values: SecretValues): Environment => {
    if (merged?.values !== values) merged = { values, environment: { ...values, ...variables } };
    return merged.environment;
  };
  return {
    current: async () => withValues(await secrets.current()),
    again: async () => withValues(await secrets.again()),
  };
};
