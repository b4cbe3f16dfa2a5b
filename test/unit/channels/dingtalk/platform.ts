import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly body: Record<string, unknown>;
}
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
  /** Never answered: the connection is cut. */
  readonly cut?: boolean;
}

export const failed = (code: string, status = 400): Answer => ({
  status,
  body: { code, requestid: 'REQ-1', message: 'SECRET-ECHO of what was sent' },
});
export const failedOld = (errcode: number | string): Answer => ({
  body: { errcode, errmsg: 'SECRET-ECHO of what was sent' },
});

const TOKEN = '/v1.0/oauth2/accessToken';
const WEBHOOK = '/robot/sendBySession';

/** Both hosts of the platform in one real server on loopback: it writes down what it is asked and answers by script. */
export const startPlatform = async () => {
  const requests: Request[] = [];
  const scripts = { api: [] as Answer[], webhook: [] as Answer[], token: [] as Answer[] };
  let tokens = 0;
  const usual = (path: string, body: Record<string, unknown>): Answer => {
    if (path === TOKEN) {
      tokens += 1;
      return { body: { accessToken: `token-${tokens}`, expireIn: 7200 } };
    }
    if (path.startsWith(WEBHOOK)) return { body: { errcode: 0, errmsg: 'ok' } };
    if (path.endsWith('createAndDeliver'))
      return {
        body: {
          success: true,
          result: { outTrackId: body['outTrackId'], deliverResults: [{ success: true }] },
        },
      };
    if (path.endsWith('batchSend'))
      return {
        body: { processQueryKey: 'k', invalidStaffIdList: [], flowControlledStaffIdList: [] },
      };
    return { body: { processQueryKey: 'k' } };
  };
  const scriptFor = (path: string) => {
    if (path === TOKEN) return scripts.token;
    return path.startsWith(WEBHOOK) ? scripts.webhook : scripts.api;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const token = request.headers['x-acs-dingtalk-access-token'] as string | undefined;
    requests.push({ method: request.method ?? '', path, token, body });
    const answer = scriptFor(path).shift() ?? usual(path, body);
    if (answer.cut) return response.destroy();
    response.writeHead(answer.status ?? 200, answer.headers);
    return response.end(
      typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    webhook: `${url}${WEBHOOK}?session=s-1`,
    requests,
    /** Requests other than for a token. */
    calls: () => requests.filter(({ path }) => path !== TOKEN),
    tokens: () => requests.filter(({ path }) => path === TOKEN),
    /** Answers of the next calls, in order; after them every call succeeds. */
    script: (...answers: Answer[]) => scripts.api.push(...answers),
    scriptWebhook: (...answers: Answer[]) => scripts.webhook.push(...answers),
    scriptToken: (...answers: Answer[]) => scripts.token.push(...answers),
    stop: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
};
export type Platform = Awaited<ReturnType<typeof startPlatform>>;
