import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
  /** Never answered: the connection is cut. */
  readonly cut?: boolean;
}

export interface Platform {
  readonly url: string;
  readonly requests: Request[];
  /** Requests other than for a token. */
  calls(): Request[];
  /** Answers of the next calls, in order; after them every call succeeds. */
  script(...answers: Answer[]): void;
  scriptToken(...answers: Answer[]): void;
  stop(): Promise<void>;
}

export const failed = (code: number, more: Partial<Answer> & { msg?: string } = {}): Answer => ({
  status: more.status ?? 400,
  headers: { 'x-tt-logid': 'log-1', ...more.headers },
  body: { code, msg: more.msg ?? 'SECRET-ECHO of what was sent' },
});

const TOKEN_PATH = '/open-apis/auth/v3/tenant_access_token/internal';

/** A real server on loopback that writes down what it is asked and answers by script. */
export const startPlatform = async (): Promise<Platform> => {
  const requests: Request[] = [];
  const scripted: Answer[] = [];
  const tokens: Answer[] = [];
  let count = 0;
  const usual = (path: string): Answer => {
    count += 1;
    if (path === TOKEN_PATH)
      return { body: { code: 0, msg: 'ok', tenant_access_token: `t-${count}`, expire: 7200 } };
    if (path === '/open-apis/bot/v3/info')
      return { body: { code: 0, msg: 'ok', bot: { open_id: 'ou_bot' } } };
    return {
      body: {
        code: 0,
        msg: 'ok',
        data: { message_id: `om_sent_${count}`, chat_id: 'oc_1', create_time: '1763431200123' },
      },
    };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = request.url ?? '';
    requests.push({
      method: request.method ?? '',
      path,
      authorization: request.headers.authorization,
      body: text === '' ? {} : JSON.parse(text),
    });
    const answer = (path === TOKEN_PATH ? tokens : scripted).shift() ?? usual(path);
    if (answer.cut) return response.destroy();
    response.writeHead(answer.status ?? 200, answer.headers);
    return response.end(
      typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    calls: () => requests.filter(({ path }) => path !== TOKEN_PATH),
    script: (...answers) => scripted.push(...answers),
    scriptToken: (...answers) => tokens.push(...answers),
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
};
