import * as z from 'zod/mini';
import { ChannelError, type ChannelSetup } from '#ports/channel.ts';
import { keepToken } from '../token.ts';
import { DingtalkError, failureOf, whatToDo } from './errors.ts';
import type { OutboundSettings } from './settings.ts';

interface Call {
  /** What it does, as a verb: it stands in errors and log lines. */
  readonly act: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: object;
}

export interface Client {
  /** One call of the API, with a token; gives back the whole answer. */
  call(call: Call): Promise<unknown>;
  /** One message to a `sessionWebhook`, which needs no token and is a secret itself. */
  post(url: string, body: object): Promise<void>;
  /** For a no that stands in an answer that is a yes. */
  fail(act: string, code: string): DingtalkError;
}

const answer = z.object({
  code: z.nullish(z.union([z.string(), z.number()])),
  errcode: z.nullish(z.union([z.string(), z.number()])),
  requestid: z.nullish(z.string()),
});
const tokenAnswer = z.object({ accessToken: z.string(), expireIn: z.number() });

const TIMEOUT_MS = 10_000;
const WAITS_MS = [1_000, 2_000];

/**
 * Tries again by itself only with a fresh token, once, and where the platform refused for the number of calls: those
 * were not made. All else is the queue's business, for the platform knows no key by which a repeat would show once.
 */
export const createClient = (
  { clock, log, fetch }: Pick<ChannelSetup, 'clock' | 'log' | 'fetch'>,
  { app, secret, baseUrl }: OutboundSettings,
): Client => {
  const send = async (
    { act, method, body }: Omit<Call, 'path'>,
    url: string,
    headers: Record<string, string>,
  ): Promise<Reply> => {
    try {
      const response = await fetch(url, {
        method,
        headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
        body: JSON.stringify(body),
        // A redirect would carry what is sent to another host.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, ...read(await response.text()) };
    } catch (error) {
      const why = error instanceof Error ? error.name : 'unknown';
      log.warn('dingtalk-unreachable', { act, why });
      throw new ChannelError(
        `DingTalk could not be reached to ${act}: ${why}`,
        'DINGTALK_UNREACHABLE',
        true,
      );
    }
  };

  const fail = (act: string, { status, code, requestId }: Reply): DingtalkError => {
    const failure = failureOf(status, code);
    const facts = { act, status, code, class: failure, requestId };
    if (failure === 'operator') log.error('dingtalk-failed', { ...facts, todo: whatToDo(code) });
    else log.warn('dingtalk-failed', facts);
    return new DingtalkError(act, status, code, failure);
  };

  const tokens = keepToken(clock, async () => {
    const act = 'give a token';
    const body = { appKey: app, appSecret: secret };
    const url = `${baseUrl}/v1.0/oauth2/accessToken`;
    const reply = await send({ act, method: 'POST', body }, url, {});
    const parsed = tokenAnswer.safeParse(reply.body);
    if (!isYes(reply) || !parsed.success) throw fail(act, reply);
    return { value: parsed.data.accessToken, seconds: parsed.data.expireIn };
  });

  return {
    call: async (call) => {
      const waits = [...WAITS_MS];
      let refreshed = false;
      for (;;) {
        const used = tokens.current();
        const reply = await send(call, baseUrl + call.path, {
          'x-acs-dingtalk-access-token': await used.value,
        });
        if (isYes(reply)) return reply.body;
        const failure = failureOf(reply.status, reply.code);
        const waitMs = failure === 'limit' ? waits.shift() : undefined;
        if (failure === 'token' && !refreshed) {
          refreshed = true;
          tokens.drop(used);
        } else if (waitMs !== undefined) await clock.sleepUntil(clock.now() + waitMs);
        else throw fail(call.act, reply);
      }
    },
    post: async (url, body) => {
      const act = 'answer by sessionWebhook';
      const reply = await send({ act, method: 'POST', body }, url, {});
      if (!isYes(reply) || reply.code !== '0') throw fail(act, reply);
    },
    fail: (act, code) => fail(act, { status: 200, body: undefined, code, requestId: undefined }),
  };
};

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
}

const isYes = ({ status, code }: Reply): boolean =>
  status >= 200 && status < 300 && (code === undefined || code === '0');

/** Only what is surely a code, for it goes into log lines. A body that is no JSON, as proxies send, has none. */
const read = (text: string): Omit<Reply, 'status'> => {
  try {
    const body: unknown = JSON.parse(text);
    const { code, errcode, requestid } = answer.safeParse(body).data ?? {};
    return { body, code: plainly(errcode ?? code), requestId: plainly(requestid) };
  } catch {
    return { body: undefined, code: undefined, requestId: undefined };
  }
};

const plainly = (value: string | number | null | undefined): string | undefined =>
  /^[\w.-]{1,100}$/.exec(String(value ?? ''))?.[0];
