import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import {
  type DingtalkStandIn,
  type DingtalkStandInOptions,
  startDingtalkStandIn,
} from '#hosts/local/standins/dingtalk/index.ts';

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
  const folder = mkdtempSync(join(tmpdir(), 'dingtalk-'));
  cleanUp.push(() => rmSync(folder, { recursive: true }));
  return join(folder, 'state', 'dingtalk.jsonl');
};

export interface BotReply {
  readonly status?: number;
  readonly body?: unknown;
}

export interface BotRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked at piece by piece
  readonly body: any;
}

/** A bot that answers as it is told; `undefined` leaves a request unanswered. */
export const startBot = async () => {
  const requests: BotRequest[] = [];
  let reply: (request: BotRequest) => BotReply | undefined | Promise<BotReply | undefined> =
    () => ({ body: { msgtype: 'empty' } });
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = JSON.parse(await text(incoming));
      const request = { path: incoming.url ?? '', headers: incoming.headers, body };
      requests.push(request);
      const answer = await reply(request);
      if (!answer) return;
      outgoing.writeHead(answer.status ?? 200);
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
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/dingtalk`,
    requests,
    answer: (next: typeof reply) => {
      reply = next;
    },
  };
};

const post = async (
  url: string,
  body: unknown,
  headers: Record<string, string>,
  method = 'POST',
) => {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at piece by piece
  const answer = (await response.json()) as any;
  return { status: response.status, headers: response.headers, ...answer };
};

/** The API as a bot calls it. */
export const apiOf = (dingtalk: DingtalkStandIn) => {
  const { environment, endpoint } = dingtalk;
  let token: string | undefined;
  const call = (path: string, body: unknown, method?: string) =>
    post(
      `${endpoint}/v1.0${path}`,
      body,
      token === undefined ? {} : { 'x-acs-dingtalk-access-token': token },
      method,
    );
  const robotCode = environment['DINGTALK_ROBOT_CODE'];
  return {
    call,
    logIn: async () => {
      const given = await call('/oauth2/accessToken', {
        appKey: environment['DINGTALK_APP_KEY'],
        appSecret: environment['DINGTALK_APP_SECRET'],
      });
      token = given.accessToken;
      return given;
    },
    toGroup: (chat: string, msgKey: string, param: unknown, more: object = {}) =>
      call('/robot/groupMessages/send', {
        openConversationId: chat,
        robotCode,
        msgKey,
        msgParam: JSON.stringify(param),
        ...more,
      }),
    toPeople: (userIds: readonly string[], msgKey: string, param: unknown, more: object = {}) =>
      call('/robot/oToMessages/batchSend', {
        userIds,
        robotCode,
        msgKey,
        msgParam: JSON.stringify(param),
        ...more,
      }),
    card: (outTrackId: string, chat: string, params: object, more: object = {}) =>
      call('/card/instances/createAndDeliver', {
        cardTemplateId: environment['DINGTALK_CARD_TEMPLATE_ID'],
        outTrackId,
        callbackType: 'HTTP',
        callbackRouteKey: environment['DINGTALK_CARD_ROUTE_KEY'],
        cardData: { cardParamMap: params },
        openSpaceId: `dtv1.card//IM_GROUP.${chat}`,
        imGroupOpenSpaceModel: { supportForward: false },
        imGroupOpenDeliverModel: { robotCode },
        ...more,
      }),
    update: (body: object) => call('/card/instances', body, 'PUT'),
    session: (url: string, message: unknown, headers: Record<string, string> = {}) =>
      post(url, message, headers),
  };
};

/** The stand-in on a clock to turn, and a client that has a token. */
export const openDingtalk = async (
  options: Partial<DingtalkStandInOptions> = {},
  start = START,
) => {
  let now = start;
  const dingtalk = await startDingtalkStandIn({ now: () => now, ...options });
  cleanUp.push(dingtalk.stop);
  const api = apiOf(dingtalk);
  await api.logIn();
  const [wang, li, han] = dingtalk.people.map(({ id }) => id) as [string, string, string];
  const [single, , , ops, data] = dingtalk.chats.map(({ id }) => id) as [
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    dingtalk,
    api,
    wang,
    li,
    han,
    single,
    /** Everybody. */
    ops,
    /** Wang and Li only. */
    data,
    shown: (chat: string) => dingtalk.posts(chat).map(({ content }) => content),
    /** The first card of a chat, as the page gets it. */
    cardIn: (chat: string) => {
      const content = dingtalk.posts(chat)[0]?.content;
      if (content?.kind !== 'card') throw new Error(`no card in ${chat}`);
      return content.card as Record<string, unknown>;
    },
    turn: (ms: number) => {
      now += ms;
    },
    /** Turns the clock on, and fetches a token as a bot would. */
    pass: async (ms: number) => {
      now += ms;
      await api.logIn();
    },
  };
};

/** With a bot that it delivers to. */
export const openWithBot = async (options: Partial<DingtalkStandInOptions> = {}) => {
  const bot = await startBot();
  const opened = await openDingtalk({ callbackUrl: bot.url, ...options });
  const say = async (words: string, more: object = {}) => {
    const { single: chat, wang: from } = opened;
    const written = await opened.dingtalk.write({
      chat,
      from,
      text: words,
      mention: false,
      ...more,
    });
    await opened.dingtalk.settled();
    return written;
  };
  return { bot, ...opened, say };
};
