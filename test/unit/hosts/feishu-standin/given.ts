import { createDecipheriv, createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import {
  type FeishuStandIn,
  type FeishuStandInOptions,
  startFeishuStandIn,
} from '#hosts/local/standins/feishu/index.ts';

export const START = Date.parse('2026-11-18T09:00:00Z');
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

export const newFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'feishu-'));
  cleanUp.push(() => rmSync(folder, { recursive: true }));
  return join(folder, 'state', 'feishu.jsonl');
};

export interface BotReply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface BotRequest {
  readonly headers: IncomingMessage['headers'];
  readonly raw: string;
  /** What was encrypted. */
  readonly plain: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked at piece by piece
  readonly event: any;
}

const decrypt = (key: string, base64: string) => {
  const bytes = Buffer.from(base64, 'base64');
  const digest = createHash('sha256').update(key).digest();
  const decipher = createDecipheriv('aes-256-cbc', digest, bytes.subarray(0, 16));
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString('utf8');
};

/** A bot that answers as it is told; `undefined` leaves a request unanswered. */
export const startBot = async (encryptKey: string) => {
  const requests: BotRequest[] = [];
  let reply: (request: BotRequest) => BotReply | undefined | Promise<BotReply | undefined> =
    () => ({});
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const raw = await text(incoming);
      const plain = decrypt(encryptKey, JSON.parse(raw).encrypt);
      const request = { headers: incoming.headers, raw, plain, event: JSON.parse(plain) };
      requests.push(request);
      const answer = await reply(request);
      if (!answer) return;
      outgoing.writeHead(answer.status ?? 200, answer.headers);
      outgoing.end(
        typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}),
      );
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/feishu`,
    requests,
    answer: (next: typeof reply) => {
      reply = next;
    },
  };
};

/** The API as a bot calls it. */
export const apiOf = (feishu: FeishuStandIn) => {
  let token: string | undefined;
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${feishu.endpoint}/open-apis${path}`, {
      method,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked at piece by piece
    const answer = (await response.json()) as any;
    return { status: response.status, headers: response.headers, ...answer };
  };
  const logIn = async () => {
    const { environment } = feishu;
    const given = await call('POST', '/auth/v3/tenant_access_token/internal', {
      app_id: environment['FEISHU_APP_ID'],
      app_secret: environment['FEISHU_APP_SECRET'],
    });
    token = given.tenant_access_token;
    return given;
  };
  const post = (path: string, type: string, content: unknown, more: object) =>
    call('POST', path, { msg_type: type, content: JSON.stringify(content), ...more });
  return {
    call,
    logIn,
    send: (chat: string, type: string, content: unknown, more: object = {}) =>
      post('/im/v1/messages?receive_id_type=chat_id', type, content, { receive_id: chat, ...more }),
    reply: (message: string, type: string, content: unknown, more: object = {}) =>
      post(`/im/v1/messages/${message}/reply`, type, content, more),
    patch: (message: string, card: unknown) =>
      call('PATCH', `/im/v1/messages/${message}`, { content: JSON.stringify(card) }),
  };
};

/** The stand-in on a clock to turn, and a client that has a token. */
export const openFeishu = async (options: Partial<FeishuStandInOptions> = {}, start = START) => {
  let now = start;
  const feishu = await startFeishuStandIn({ now: () => now, ...options });
  cleanUp.push(feishu.stop);
  const api = apiOf(feishu);
  await api.logIn();
  const [wang, li, han] = feishu.people.map(({ id }) => id) as [string, string, string];
  const [single, , , ops, data] = feishu.chats.map(({ id }) => id) as [
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    feishu,
    api,
    wang,
    li,
    han,
    single,
    /** Everybody, topics, @all. */
    ops,
    /** Wang and Li only; no topics, no @all. */
    data,
    /** Turns the clock on; `pass` also fetches a token, as a bot would. */
    turn: (ms: number) => {
      now += ms;
    },
    pass: async (ms: number) => {
      now += ms;
      await api.logIn();
    },
  };
};

export const plain = (content: string) => ({ tag: 'plain_text', content });

export const button = (value: object, more: object = {}) => ({
  tag: 'button',
  text: plain('ok'),
  behaviors: [{ type: 'callback', value }],
  ...more,
});

export const cardOf = (...elements: object[]) => ({
  schema: '2.0',
  config: { update_multi: true },
  header: { template: 'orange', title: plain('Approval needed') },
  body: { elements },
});
