import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface JsonServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

type Answer = { readonly status: number; readonly body: object };

/** An AWS service as an SDK sees it that speaks JSON: every call is a POST of its input. */
export const startJsonServer = async (
  answer: (input: unknown, operation: string) => Answer,
): Promise<JsonServer> => {
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const { status, body } = answer(JSON.parse(await text(request)), operation);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
