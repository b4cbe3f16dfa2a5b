import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJsonLog } from '#hosts/json-log.ts';
import { serveByFunction } from '#hosts/local/http-gateway.ts';

describe('the HTTP gateway', () => {
  let server: Server;
  let url: string;
  let events: APIGatewayProxyEventV2[];
  let answer: () => Promise<APIGatewayProxyStructuredResultV2>;
  const logged: string[] = [];

  beforeAll(async () => {
    const invoke = (event: APIGatewayProxyEventV2) => {
      events.push(event);
      return answer();
    };
    const log = createJsonLog((line) => logged.push(line));
    server = createServer((request, response) => {
      serveByFunction(invoke, log, request, response).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    events = [];
    answer = async () => ({ statusCode: 200 });
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const event = () => events[0] as APIGatewayProxyEventV2;
  const post = (path: string, body: Uint8Array<ArrayBuffer> | string) =>
    fetch(`${url}${path}`, { method: 'POST', body });

  it.each([
    ['every byte there is', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
    ['text that is not UTF-8', Uint8Array.of(0xff, 0xfe, 0xc3, 0x28, 0x0d, 0x0a)],
    ['more than a megabyte', new Uint8Array(randomBytes(3 * 1024 * 1024 + 1))],
    ['spaces and Chinese', new TextEncoder().encode('{ "text" : "确认执行 👍" }\n')],
  ])('hands the function the very bytes: %s', async (_, bytes) => {
    await post('/webhook/x', bytes);
    expect(event().isBase64Encoded).toBe(true);
    expect(Buffer.from(event().body ?? '', 'base64').equals(bytes)).toBe(true);
  });

  it('leaves path and query as they were written', async () => {
    await post('/webhook/a%20b/%E7%A1%AE?x=1&y=%E8%AE%A4&x=2', 'body');
    expect(event()).toMatchObject({
      version: '2.0',
      rawPath: '/webhook/a%20b/%E7%A1%AE',
      rawQueryString: 'x=1&y=%E8%AE%A4&x=2',
      queryStringParameters: { x: '1,2', y: '认' },
      requestContext: { http: { method: 'POST', path: '/webhook/a%20b/%E7%A1%AE' } },
    });
  });

  it('lower-cases the names of headers and joins repeated ones', async () => {
    const request = httpRequest(`${url}/`, {
      headers: { 'X-Lark-Signature': 'AbC', 'X-Many': ['1', '2'] },
    });
    request.end();
    await once(request, 'response');
    expect(event().headers).toMatchObject({ 'x-lark-signature': 'AbC', 'x-many': '1,2' });
    expect(event()).toMatchObject({ isBase64Encoded: false });
    expect(event().body).toBeUndefined();
  });

  it('answers with what the function answered', async () => {
    answer = async () => ({
      statusCode: 201,
      headers: { 'content-type': 'application/octet-stream', 'x-one': '1' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.of(0, 255, 10).toString('base64'),
      isBase64Encoded: true,
    });
    const response = await post('/', '');
    expect(response.status).toBe(201);
    expect(response.headers.get('x-one')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 10]);
  });

  it('takes ten megabytes and refuses one byte more, also of a length that was not announced', async () => {
    const most = new Uint8Array(10 * 1024 * 1024);
    expect((await post('/', most)).status).toBe(200);
    expect((await post('/', new Uint8Array(most.length + 1))).status).toBe(413);

    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    for (let megabytes = 0; megabytes < 11; megabytes += 1) socket.write(chunk);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
    expect(events).toHaveLength(1);
  });

  it('answers 500 when the function throws, and tells only the log why', async () => {
    answer = async () => {
      throw new Error('a reason with details');
    };
    const response = await post('/webhook/x?token=secret', '{}');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: 'Internal Server Error' });
    expect(logged.join()).toContain('a reason with details');
    expect(logged.join()).not.toContain('secret');
  });
});
