import * as z from 'zod/mini';
import type { ChannelSetup } from '#ports/channel.ts';
import { ChannelError } from '#ports/channel.ts';
import { keepToken } from '../token.ts';
import { FeishuError, failureOf, whatToDo } from './errors.ts';
import type { OutboundSettings } from './settings.ts';

interface Call {
  /** What it does, as a verb: it stands in errors and log lines. */
  readonly act: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: object;
  /** A call nobody waits for: one short try, and no word of a failure but the error. */
  readonly courtesy?: boolean;
}

/** Makes one call, and gives back the whole answer if its code is 0. */
type Client = (call: Call) => Promise<unknown>;

const answer = z.object({ code: z.number(), msg: z.nullish(z.string()) });
const tokenAnswer = z.object({ tenant_access_token: z.string(), expire: z.number() });

const TIMEOUT_MS = 10_000;
const COURTESY_TIMEOUT_MS = 2_000;
const SHORTEST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2_000;
const BUDGET_MS = 5_000;

/**
 * Tries again by itself only with a fresh token, once, and after a wait that the platform itself names and that is
 * short. Everything else is the queue's business: the same `uuid` makes its repeat harmless.
 */
export const createClient = (
  { clock, log, fetch }: Pick<ChannelSetup, 'clock' | 'log' | 'fetch'>,
  { app, secret, baseUrl }: OutboundSettings,
): Client => {
  const send = async (call: Call, authorization: Record<string, string>): Promise<Reply> => {
    const { act, method, path, body, courtesy } = call;
    try {
      const response = await fetch(`${baseUrl}/open-apis${path}`, {
        method,
        headers: { 'content-type': 'application/json; charset=utf-8', ...authorization },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(courtesy ? COURTESY_TIMEOUT_MS : TIMEOUT_MS),
      });
      return { response, ...(await read(response)) };
    } catch (error) {
      const why = error instanceof Error ? error.name : 'unknown';
      if (!courtesy) log.warn('feishu-unreachable', { act, why });
      throw new ChannelError(
        `Feishu could not be reached to ${act}: ${why}`,
        'FEISHU_UNREACHABLE',
        true,
      );
    }
  };

  const fail = ({ act, courtesy }: Call, { response, code, message }: Reply): FeishuError => {
    const { status } = response;
    const failure = failureOf(status, code, message);
    const detail = Number(/ErrCode: (\d+)/.exec(message)?.[1]) || undefined;
    if (!courtesy) {
      const todo = whatToDo(code, detail);
      const logId = response.headers.get('x-tt-logid') ?? undefined;
      const facts = { act, status, code, detail, class: failure, logId };
      if (todo) log.error('feishu-failed', { ...facts, todo });
      else log.warn('feishu-failed', facts);
    }
    return new FeishuError(act, status, code, failure, detail);
  };

  const fetchToken = async () => {
    const call: Call = {
      act: 'give a token',
      method: 'POST',
      path: '/auth/v3/tenant_access_token/internal',
      body: { app_id: app, app_secret: secret },
    };
    const reply = await send(call, {});
    const parsed = tokenAnswer.safeParse(reply.body);
    if (reply.code !== 0 || !parsed.success) throw fail(call, reply);
    const { tenant_access_token: value, expire: seconds } = parsed.data;
    return { value, seconds };
  };

  const tokens = keepToken(clock, fetchToken);

  return async (call) => {
    const giveUpAt = clock.now() + BUDGET_MS;
    let refreshed = false;
    for (;;) {
      const used = tokens.current();
      const reply = await send(call, { authorization: `Bearer ${await used.value}` });
      if (reply.code === 0) return reply.body;
      const failure = failureOf(reply.response.status, reply.code, reply.message);
      const waitMs = call.courtesy ? undefined : shortWait(reply.response);
      if (failure === 'token' && !refreshed) {
        refreshed = true;
        tokens.drop(used);
      } else if (failure === 'wait' && waitMs !== undefined && clock.now() + waitMs <= giveUpAt) {
        await clock.sleepUntil(clock.now() + waitMs);
      } else throw fail(call, reply);
    }
  };
};

interface Reply {
  readonly response: Response;
  readonly body: unknown;
  readonly code: number | undefined;
  readonly message: string;
}

/** A body that is no JSON, as proxies send, has no code; then the status says what it was. */
const read = async (response: Response): Promise<Omit<Reply, 'response'>> => {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    const parsed = answer.safeParse(body);
    return parsed.success
      ? { body, code: parsed.data.code, message: parsed.data.msg ?? '' }
      : { body, code: undefined, message: '' };
  } catch {
    return { body: undefined, code: undefined, message: '' };
  }
};

const shortWait = (response: Response): number | undefined => {
  const header = response.headers.get('x-ogw-ratelimit-reset');
  const waitMs = header === null || header === '' ? Number.NaN : Number(header) * 1000;
  return waitMs >= 0 && waitMs <= LONGEST_WAIT_MS ? Math.max(waitMs, SHORTEST_WAIT_MS) : undefined;
};
