import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Log } from '#ports/log.ts';
import type { Invoke } from './invocation.ts';

type HttpFunction = Invoke<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;

const LARGEST_BYTES = 10 * 1024 * 1024;

/** One request through a function and back, as an HTTP API of API Gateway does it (payload format 2.0). */
export const serveByFunction = async (
  invoke: HttpFunction,
  log: Log,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const body = await bytesOf(request);
  if (body === 'too-large') return answerJson(response, 413, 'Request Entity Too Large');
  try {
    respond(response, await invoke(eventOf(request, body)));
  } catch (error) {
    log.error('invocation-failed', { path: pathOf(request)[0], why: String(error) });
    answerJson(response, 500, 'Internal Server Error');
  }
};

/** In the gateway's own words. */
export const answerJson = (response: ServerResponse, status: number, message: string): void => {
  // What was not read of the request would be taken for the next one on this connection.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ message }));
};

const bytesOf = async (request: IncomingMessage): Promise<Buffer | 'too-large'> => {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BYTES) return 'too-large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > LARGEST_BYTES) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** As the client wrote them: nothing is decoded or tidied. */
const pathOf = ({ url = '/' }: IncomingMessage): readonly [path: string, query: string] => {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
};

/** The body always in base64, which is how a gateway sends what is not text: the function gets the very bytes. */
const eventOf = (request: IncomingMessage, body: Buffer): APIGatewayProxyEventV2 => {
  const [rawPath, rawQueryString] = pathOf(request);
  const query = new URLSearchParams(rawQueryString);
  const now = new Date();
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: headersOf(request),
    ...(rawQueryString !== '' && { queryStringParameters: joined(query) }),
    ...(body.byteLength > 0 && { body: body.toString('base64') }),
    isBase64Encoded: body.byteLength > 0,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: now.toUTCString(),
      timeEpoch: now.getTime(),
    },
  };
};

const joined = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name).join(',')]));

/** Lower-cased by Node; several of one name are joined, as the gateway does. */
const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(',')]),
  );

const respond = (response: ServerResponse, result: APIGatewayProxyStructuredResultV2): void => {
  const { statusCode = 200, headers = {}, body = '', isBase64Encoded, cookies } = result;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  if (cookies) response.setHeader('set-cookie', cookies);
  response.writeHead(statusCode);
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
};
