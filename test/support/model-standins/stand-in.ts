import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#domain/canonical-json.ts';

/** What the server does with one request, in no provider's words. */
export type Reply =
  | Answer
  /** An error before anything was streamed. */
  | { readonly status: number; readonly error: string; readonly headers?: Record<string, string> }
  /** The connection breaks: before the headers, or in the middle of an answer; or the answer just ends. */
  | { readonly cut: 'early' | 'middle' | 'unfinished' }
  /** An error inside a stream that began well. */
  | { readonly broken: 'overloaded' }
  /** Nothing comes, until the client hangs up; or some words first. */
  | { readonly hangs: 'early' | 'middle' };

export interface Answer {
  readonly text?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly tool: string;
    readonly input: JsonObject | string;
  }[];
  readonly reasoning?: string;
  readonly finish?: 'refused' | 'length';
  /** A refusal in the model's own words. */
  readonly refusal?: string;
  /** Says nothing but that it is alive, so many times with this long between, before it answers. */
  readonly alive?: { readonly times: number; readonly everyMs: number };
}

/** One message as the server understood it. */
export interface Heard {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly tool: string;
    readonly input: unknown;
  }[];
  readonly reasoning?: string;
  /** Of a tool message: the call it answers. */
  readonly answers?: string;
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly heard: readonly Heard[];
  readonly tools: readonly string[];
  readonly body: JsonObject;
  /** Set once the client hung up before the answer was out. */
  readonly hungUp: Promise<void>;
}

export interface Dialect {
  readonly path: string;
  /** What the real server would answer to a request it does not take. */
  refuse(
    headers: IncomingHttpHeaders,
    body: JsonObject,
  ): Extract<Reply, { status: number }> | undefined;
  understand(body: JsonObject): {
    readonly heard: readonly Heard[];
    readonly tools: readonly string[];
  };
  errorBody(status: number, error: string): JsonObject;
  /** The answer as server-sent events, without the end of the stream. */
  events(answer: Answer, body: JsonObject): readonly string[];
  readonly overloaded: string;
  /** What it sends while it has nothing to say. */
  readonly alive: string;
}

export interface StandIn {
  readonly url: string;
  readonly received: readonly Received[];
  /** In this order, one per request that is taken; the last is repeated. */
  reply(...replies: readonly Reply[]): void;
  stop(): Promise<void>;
}

/** A small HTTP server in the language of one family of models; refusals are its own, answers are the test's. */
export const startStandIn = async (dialect: Dialect): Promise<StandIn> => {
  const received: Received[] = [];
  let replies: readonly Reply[] = [];
  const next = (): Reply => {
    const [first = { status: 500, error: 'the test gave no reply' }, ...rest] = replies;
    if (rest.length > 0) replies = rest;
    return first;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const refused = (status: number, error: string) => send(dialect, response, { status, error });
      if (request.method !== 'POST' || request.url !== dialect.path)
        return refused(404, `no such address: ${request.method} ${request.url}`);
      let body: JsonObject;
      try {
        body = JSON.parse(Buffer.concat(chunks).toString());
      } catch {
        return refused(400, 'the body is not JSON');
      }
      const hungUp = new Promise<void>((resolve) =>
        response.on('close', () => response.writableEnded || resolve()),
      );
      const refusal = dialect.refuse(request.headers, body);
      received.push({ headers: request.headers, body, hungUp, ...dialect.understand(body) });
      return send(dialect, response, refusal ?? next(), body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    reply: (...more) => {
      replies = more;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const send = async (
  dialect: Dialect,
  response: ServerResponse,
  reply: Reply,
  body: JsonObject = {},
): Promise<void> => {
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(dialect.errorBody(reply.status, reply.error)));
    return;
  }
  if ('cut' in reply && reply.cut === 'early') return void response.destroy();
  if ('hangs' in reply && reply.hangs === 'early') return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { times = 0, everyMs = 0 } = ('alive' in reply && reply.alive) || {};
  for (let time = 0; time < times; time += 1) {
    response.write(dialect.alive);
    await sleep(everyMs);
  }
  const isAnswer = !('cut' in reply || 'broken' in reply || 'hangs' in reply);
  const events = dialect.events(isAnswer ? reply : HALF, body);
  const part = isAnswer ? events : events.slice(0, Math.ceil(events.length / 2));
  const bytes = Buffer.from(part.join('') + ('broken' in reply ? dialect.overloaded : ''));
  // Odd pieces: lines, JSON and characters of several bytes all come torn.
  for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
  if ('cut' in reply && reply.cut === 'middle') {
    // Only once the client has the first half.
    response.write('\n', () => setImmediate(() => response.destroy()));
  } else if (!('hangs' in reply)) {
    response.end();
  }
};

/** With a complete call in its first half: it must not count. */
const HALF: Answer = {
  text: 'Half of an ans',
  calls: [
    { id: 'call_half', tool: 'look', input: { orderId: 'half' } },
    { id: 'call_lost', tool: 'look', input: { orderId: 'lost' } },
  ],
};
