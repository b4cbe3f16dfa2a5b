import { type JsonServer, startJsonServer } from './json-server.ts';

export interface SecretsServer extends JsonServer {
  /** Every secret that was asked for. */
  readonly asked: string[];
  /** What is answered from now on; `undefined`: a secret without a value. */
  put(value: string | undefined): void;
  /** Answers with a failure of the service's own from now on. */
  break(): void;
}

/** Secrets Manager as the SDK sees it: GetSecretValue of one secret. */
export const startSecretsServer = async (): Promise<SecretsServer> => {
  const asked: string[] = [];
  let version = 0;
  let value: string | undefined;
  let broken = false;
  const server = await startJsonServer((input) => {
    asked.push((input as { SecretId: string }).SecretId);
    if (broken) return { status: 400, body: { __type: 'DecryptionFailure', message: 'no' } };
    if (value === undefined) return { status: 400, body: { __type: 'ResourceNotFoundException' } };
    return { status: 200, body: { SecretString: value, VersionId: `version-${version}` } };
  });
  return {
    ...server,
    asked,
    put: (next) => {
      version += 1;
      value = next;
      broken = false;
    },
    break: () => {
      broken = true;
    },
  };
};
