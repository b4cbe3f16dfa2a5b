import type { ApiAnswer, ApiRequest } from '../api-server.ts';
import { isObject, parseJson } from '../json.ts';
import { refuse, refuseAs } from './answers.ts';
import { createAndDeliver, deliver, update } from './cards.ts';
import { sendBySession, sendToGroup, sendToPeople } from './messages.ts';
import type { ApiCall, Platform } from './platform.ts';
import { registerRoute } from './routes.ts';
import type { Tokens } from './tokens.ts';

type Run = (platform: Platform, call: ApiCall) => ApiAnswer;

/** Method and path, as in the heads of the API pages. */
const ROUTES: Readonly<Record<string, Run>> = {
  'POST /v1.0/robot/oToMessages/batchSend': sendToPeople,
  'POST /v1.0/robot/groupMessages/send': sendToGroup,
  'POST /v1.0/card/callbacks/register': registerRoute,
  'POST /v1.0/card/instances/createAndDeliver': createAndDeliver,
  'POST /v1.0/card/instances/deliver': deliver,
  'PUT /v1.0/card/instances': update,
};

const TOKEN = 'POST /v1.0/oauth2/accessToken';

/** `api.dingtalk.com` */
export const createApi =
  (platform: Platform, tokens: Tokens) =>
  ({ method, path, headers, text }: ApiRequest): ApiAnswer => {
    const api = `${method} ${path}`;
    const run = Object.hasOwn(ROUTES, api) ? ROUTES[api] : undefined;
    if (!run && api !== TOKEN)
      return refuseAs('InvalidAction.NotFound', 'Specified api is not found', 404);
    const body = parseJson(text);
    const isJson = headers['content-type']?.startsWith('application/json') && isObject(body);
    if (!run)
      return isJson && isObject(body)
        ? tokens.give(body['appKey'], body['appSecret'])
        : refuse('Missingbody');
    const refusal =
      tokens.check(headers['x-acs-dingtalk-access-token']) ?? platform.limits.ofApi(api);
    if (refusal) return refusal;
    return isJson && isObject(body) ? run(platform, { body }) : refuse('Missingbody');
  };

/** `oapi.dingtalk.com` */
export const createOldApi =
  (platform: Platform) =>
  ({ method, path, query, headers, text }: ApiRequest): ApiAnswer =>
    method === 'POST' && path === '/robot/sendBySession'
      ? sendBySession(platform, query.get('session'), headers['content-type'], parseJson(text))
      : { status: 404, body: { errcode: 404, errmsg: '请求的URI地址不存在' } };
