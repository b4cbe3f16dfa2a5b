import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SecretsServer {
  readonly endpoint: string;
  /** Every secret that was asked for. */
  readonly asked: string[];
  /** What is answered from now on; `undefined`: a secret without a value. */
  put(value: string | undefined): void;
  /** Answers with a failure of the service's own from now on. */
  break(): void;
  stop(): Promise<void>;
}

/** Secrets Manager as the SDK sees it: GetSecretValue of one secret. */
export const startSecretsServer = async (): Promise<SecretsServer> => {
  const asked: string[] = [];
  let version = 0;
  let value: string | undefined;
  let broken = false;
  const server = createServer(async (request, response) => {
    const { SecretId } = JSON.parse(await text(request)) as { SecretId: string };
    asked.push(SecretId);
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(body));
    };
    if (broken) answer(400, { __type: 'DecryptionFailure', message: 'no' });
    else if (value === undefined) answer(400, { __type: 'ResourceNotFoundException' });
    else answer(200, { SecretString: value, VersionId: `version-${version}` });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    put: (next) => {
      version += 1;
      value = next;
      broken = false;
    },
    break: () => {
      broken = true;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
