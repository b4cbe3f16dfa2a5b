import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Ask } from '#domain/ask.ts';
import type { PersonId, SessionId } from '#domain/ids.ts';
import type { Address } from '#domain/session.ts';
import type { AskView, TaskView, WebhookRequest } from '#ports/channel.ts';
import { view as anyView } from '../feishu/given.ts';

export { type Line, recordingLog, task } from '../feishu/given.ts';

export const golden = JSON.parse(
  readFileSync(new URL('../../../fixtures/golden/dingtalk.json', import.meta.url), 'utf8'),
);

export const NOW = 1_760_000_000_000;
export const APP = 'dingappkey00000001';
export const SECRET = 'golden-app-secret-0123456789';
export const CARD_SECRET = 'golden-card-api-secret';
export const PATH_SECRET = 'p4th-s3cret';

export const environment = {
  DINGTALK_APP_KEY: APP,
  DINGTALK_APP_SECRET: SECRET,
  DINGTALK_ROBOT_CODE: 'dinggoldenrobot',
  DINGTALK_CORP_ID: 'dinggoldencorp',
  DINGTALK_PATH_SECRET: PATH_SECRET,
};
export const cardEnvironment = {
  DINGTALK_CARD_TEMPLATE_ID: 'template.schema',
  DINGTALK_CARD_ROUTE_KEY: 'route-1',
  DINGTALK_CARD_API_SECRET: CARD_SECRET,
};

/** As the platform signs, written out here once more: the channel's own code must not check itself. */
const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64');

export const robotHeaders = (at = NOW, secret = SECRET) => ({
  timestamp: String(at),
  sign: hmac(secret, `${at}\n${secret}`),
});
export const cardHeaders = (at: number | string = NOW, secret = CARD_SECRET) => ({
  'x-ddpaas-signature-timestamp': String(at),
  'x-ddpaas-signature': hmac(secret, String(at)),
});

export const requestOf = (
  path: string,
  headers: WebhookRequest['headers'],
  body: unknown,
): WebhookRequest => ({
  path,
  headers,
  body: Buffer.from(
    typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  ),
});

export const PATH = `/webhook/dingtalk/${PATH_SECRET}`;
export const message = (more: object = {}) => ({
  ...golden.robot_http_sign.sample_request.body,
  ...more,
});
export const robotRequest = (body: unknown) => requestOf(PATH, robotHeaders(), body);

export const SESSION = `dingtalk:${APP}:cidGolden0001==` as SessionId;
export const ANN = 'dingtalk:452523285939877041' as PersonId;

export const click = (params: object, more: object = {}) => ({
  type: 'actionCallback',
  outTrackId: 'aQ3r',
  corpId: 'dinggoldencorp',
  userId: '452523285939877041',
  content: JSON.stringify({ cardPrivateData: { actionIds: ['b'], params } }),
  ...more,
});
export const pointer = (more: object = {}) =>
  JSON.stringify({ v: 1, s: SESSION, a: 'aQ3r', b: 'bind', n: 3, ...more });
export const cardRequest = (body: unknown) => requestOf(`${PATH}/card`, cardHeaders(), body);

export const view = (
  tasks: readonly TaskView[],
  more: Partial<AskView> = {},
  ask: Partial<Ask> = {},
): AskView => {
  const given = anyView(tasks, { session: SESSION, ...more });
  const mine = given.ask.tasks.map((one) => ({ ...one, may: [ANN] }));
  return { ...given, ask: { ...given.ask, requester: ANN, tasks: mine, ...ask } };
};

export const OAPI = 'https://oapi.dingtalk.com';
export const group: Address = {
  channel: 'dingtalk',
  app: APP,
  chat: 'cidGolden0001==',
  group: true,
};
export const single: Address = { ...group, group: false, own: { staff: '452523285939877041' } };
