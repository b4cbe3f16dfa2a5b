import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answers.ts';
import type { ApiRequest } from './api.ts';
import { newId } from './crypto.ts';
import type { Fault, Limits } from './limits.ts';

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
    authorization: request.headers.authorization,
    text: body,
    bytes: Buffer.byteLength(body),
  };
};

const respond = (response: ServerResponse, { status, body, headers }: Answer) => {
  const logId = newId('');
  const error = body['code'] !== 0 && { error: { log_id: logId, ...(body['error'] as object) } };
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'X-Tt-Logid': logId,
    ...headers,
  });
  response.end(JSON.stringify({ ...body, ...error }));
};

const faulty = ({ code = 0, status = 400, headers }: Fault): Answer => ({
  status,
  body: { code, msg: 'switched on for a test' },
  ...(headers && { headers }),
});

export const startServer = async (
  answer: (request: ApiRequest) => Answer,
  limits: Limits,
  port: number,
): Promise<ApiServer> => {
  const stopping = new AbortController();

  const meet = async (request: ApiRequest): Promise<Answer> => {
    const fault = limits.takeFault(request.method, request.path);
    if (!fault) return answer(request);
    const failing = (fault.code ?? 0) !== 0;
    const carriedOut = !failing || fault.afterwards ? answer(request) : undefined;
    if (fault.delayMs) await sleep(fault.delayMs, undefined, { signal: stopping.signal });
    return failing || !carriedOut ? faulty(fault) : carriedOut;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      respond(response, await meet(await read(request)));
    } catch (error) {
      if (stopping.signal.aborted) response.destroy();
      else respond(response, { status: 500, body: { code: 500, msg: String(error) } });
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
