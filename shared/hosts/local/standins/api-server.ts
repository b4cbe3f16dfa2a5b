import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came, and its size. */
  readonly text: string;
  readonly bytes: number;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const read = async (request: IncomingMessage): Promise<ApiRequest> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    text: body,
    bytes: Buffer.byteLength(body),
  };
};

const respond = (response: ServerResponse, { status, body, headers }: ApiAnswer) => {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
};

/** A platform's API on this machine. `answer` is given the signal of the server's end. */
export const startApiServer = async (
  answer: (request: ApiRequest, stopping: AbortSignal) => Promise<ApiAnswer>,
  broken: (why: string) => ApiAnswer,
  port: number,
): Promise<ApiServer> => {
  const stopping = new AbortController();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      respond(response, await answer(await read(request), stopping.signal));
    } catch (error) {
      if (stopping.signal.aborted) response.destroy();
      else respond(response, broken(String(error)));
    }
  };

  const server = createServer((request, response) => void serve(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      if (!server.listening) return;
      stopping.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
