import type { ApiRequest } from '../api-server.ts';
import { isObject, parseJson } from '../json.ts';
import { type Answer, refuse } from './answers.ts';
import type { ClickTokens } from './card-update.ts';
import { edit, get, patch, reply, send } from './messages.ts';
import type { ApiCall, Platform } from './platform.ts';
import { react, unreact } from './reactions.ts';
import type { Tokens } from './tokens.ts';
import { BOT } from './world.ts';

type Run = (platform: Platform, call: ApiCall, ...ids: string[]) => Answer;

const botInfo: Run = () => ({
  status: 200,
  body: {
    code: 0,
    msg: 'ok',
    bot: {
      activate_status: 2,
      app_name: BOT.name,
      avatar_url: '',
      ip_white_list: [],
      open_id: BOT.openId,
    },
  },
});

const MESSAGE = '/open-apis/im/v1/messages/:id';

/** Method and path, as in the heads of the API pages. */
const routesOf = (clickTokens: ClickTokens): Readonly<Record<string, Run>> => ({
  'GET /open-apis/bot/v3/info': botInfo,
  'POST /open-apis/im/v1/messages': send,
  [`POST ${MESSAGE}/reply`]: reply,
  [`PATCH ${MESSAGE}`]: patch,
  [`PUT ${MESSAGE}`]: edit,
  [`GET ${MESSAGE}`]: get,
  [`POST ${MESSAGE}/reactions`]: react,
  [`DELETE ${MESSAGE}/reactions/:id`]: unreact,
  'POST /open-apis/interactive/v1/card/update': (_, call) => clickTokens.update(call),
});

const TOKEN_PATH = '/open-apis/auth/v3/tenant_access_token/internal';

const idsIn = (route: string, call: string): string[] | undefined => {
  const pattern = route.replaceAll(':id', '([^/]+)');
  return new RegExp(`^${pattern}/?$`).exec(call)?.slice(1);
};

export const createApi = (platform: Platform, tokens: Tokens, clickTokens: ClickTokens) => {
  const routes = Object.entries(routesOf(clickTokens));
  return (request: ApiRequest): Answer => {
    const { method, path, text, query, bytes } = request;
    const body = text === '' ? {} : parseJson(text);
    if (method === 'POST' && path === TOKEN_PATH)
      return isObject(body) ? tokens.give(body['app_id'], body['app_secret']) : refuse(9499);
    for (const [route, run] of routes) {
      const ids = idsIn(route, `${method} ${path}`);
      if (!ids) continue;
      const refusal = tokens.check(request.headers.authorization) ?? platform.limits.ofApi(route);
      if (refusal) return refusal;
      return isObject(body) ? run(platform, { query, body, bytes }, ...ids) : refuse(9499);
    }
    return { status: 404, body: { code: 404, msg: `404 page not found: ${method} ${path}` } };
  };
};
