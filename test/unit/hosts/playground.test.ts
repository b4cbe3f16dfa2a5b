import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Look } from '#hosts/local/playground.ts';
import { createFakeStandIn, type FakeStandIn } from '../../support/fake-stand-in.ts';
import { type PlaygroundServer, startPlayground } from '../../support/playground-server.ts';

const LOOK: Look = { session: 'feishu:cli:oc_team', phase: 'IDLE', waiting: 0, events: [] };
const TEAM = '/playground/feishu/chats/oc_team';

let feishu: FakeStandIn;
let server: PlaygroundServer;
let looked: [string, string][];
let look: () => Promise<Look>;

beforeEach(async () => {
  feishu = createFakeStandIn();
  looked = [];
  look = async () => LOOK;
  server = await startPlayground({
    standIns: [feishu, createFakeStandIn('dingtalk')],
    look: (platform, chat) => {
      looked.push([platform, chat]);
      return look();
    },
    language: 'en',
    model: 'demo',
  });
});
afterEach(() => server.stop());

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

const call = async (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Answer> => {
  const request = httpRequest({ port: server.port, host: '127.0.0.1', method, path, headers });
  request.end(body);
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
};

const get = (path: string, headers?: Record<string, string>) => call('GET', path, headers);
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(
    'POST',
    path,
    { 'content-type': 'application/json', ...headers },
    typeof body === 'string' ? body : JSON.stringify(body),
  );
const errorOf = ({ body }: Answer) => JSON.parse(body).error;

describe('the playground page', () => {
  it('serves its modules as JavaScript a browser can parse', async () => {
    const page = await get('/');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const scripts = [...page.body.matchAll(/src="([^"]+\.ts)"/g)].map(([, path]) => path ?? '');
    expect(scripts).toEqual(['/console/main.ts']);
    const seen = new Set<string>(scripts);
    for (const path of seen) {
      const module = await get(path);
      expect([path, module.status, module.headers['content-type']]).toEqual([
        path,
        200,
        'text/javascript; charset=utf-8',
      ]);
      expect(module.body).not.toMatch(/^(?:import|export) type|^interface /m);
      for (const [, next] of module.body.matchAll(/from '\.\/([^']+)'/g))
        seen.add(`/console/${next}`);
    }
    expect(seen.size).toBeGreaterThan(10);
    for (const [, path] of page.body.matchAll(/href="([^"]+)"/g))
      expect([path, (await get(path ?? '')).status]).toEqual([path, 200]);
  });

  it('allows no script, style or address but its own, and no HTML from strings', async () => {
    const { headers } = await get('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    '/console/tsconfig.json',
    '/console/../hosts/local/playground.ts',
    '/console/%2e%2e/hosts/runner.ts',
    '/console/..%2fdomain%2fask.ts',
    '/console/no-such.ts',
    '/console/',
    '/console/.env.ts',
  ])('does not give out %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('leaves what is not its own to others', async () => {
    for (const path of ['/healthz', '/webhook/feishu', '/playgrounds', '/console'])
      expect((await get(path)).body).toBe('not mine');
  });
});

describe('the playground tells', () => {
  it('its platforms, people and chats', async () => {
    const { body } = await get('/playground/state');
    expect(JSON.parse(body)).toEqual({
      platforms: [
        { name: 'feishu', people: feishu.people, chats: feishu.chats },
        { name: 'dingtalk', people: feishu.people, chats: feishu.chats },
      ],
      language: 'en',
      model: 'demo',
    });
    expect(body).not.toContain('endpoint');
  });

  it('what stands in a chat, and how its session stands, also where an id needs escaping', async () => {
    const said = feishu.post({ chat: 'oc/lei==', content: { kind: 'text', text: 'hi' } });
    feishu.post({ chat: 'oc_mei', content: { kind: 'text', text: 'elsewhere' } });
    const path = `/playground/feishu/chats/${encodeURIComponent('oc/lei==')}`;
    expect(JSON.parse((await get(path)).body)).toEqual({ posts: [said], look: LOOK });
    expect(looked).toEqual([['feishu', 'oc/lei==']]);
  });

  it.each([
    '/playground/feishu/chats/oc_other',
    '/playground/slack/chats/oc_team',
    '/playground/feishu/chats/%',
    '/playground/feishu/chats/oc_team/files',
    '/playground/nothing',
  ])('that there is no %s', async (path) => {
    const answer = await get(path);
    expect([answer.status, errorOf(answer).code]).toEqual([404, 'not-found']);
  });

  it('that the bot cannot be asked, instead of failing', async () => {
    look = () => Promise.reject(new Error('the table is not there yet'));
    const answer = await get(TEAM);
    expect(answer.status).toBe(503);
    expect(errorOf(answer).message).toContain('the table is not there yet');
  });
});

describe('the playground passes on', () => {
  it('a message as it was written', async () => {
    const first = feishu.post({ chat: 'oc_team', content: { kind: 'text', text: 'hi' } });
    const message = { from: 'ou_lei', text: '确认\n', mention: true, replyTo: first.id };
    const answer = await post(`${TEAM}/messages`, message);
    expect(answer.status).toBe(200);
    expect(feishu.written).toEqual([{ ...message, chat: 'oc_team' }]);
    expect(JSON.parse(answer.body)).toEqual({ id: feishu.posts('oc_team')[1]?.id });
  });

  it('a click with its form, and what the platform shows of the answer', async () => {
    const card = feishu.post({ chat: 'oc_team', content: { kind: 'card', card: {} } });
    feishu.answer = () => ({ toast: { type: 'success', content: '已确认' } });
    const click = {
      message: card.id,
      by: 'ou_mei',
      value: { a: 'modify', deep: [1, null] },
      name: 'submit',
      form: { feedback: '', tasks: ['1'], sure: true },
    };
    const answer = await post(`${TEAM}/clicks`, click);
    expect(feishu.clicks).toEqual([click]);
    expect(JSON.parse(answer.body)).toEqual({ toast: { type: 'success', content: '已确认' } });
  });

  const message = { from: 'ou_mei', text: 'hi', mention: true };
  const click = { message: 'om_feishu_0', by: 'ou_mei', value: {} };
  it.each([
    ['messages', { ...message, from: 'ou_eve' }, /from: expected one of ou_mei, ou_lei, ou_ann/],
    ['messages', { ...message, text: ' \n' }, /text: expected something to say/],
    ['messages', { ...message, mention: 'yes' }, /mention: expected boolean/],
    ['messages', { ...message, replyTo: 'om_x' }, /replyTo: there is no such message/],
    ['messages', { ...message, chat: 'oc_mei' }, /unknown key chat/],
    ['messages', 'null', /the body: expected object/],
    ['messages', '{', /not JSON/],
    ['clicks', { ...click, by: 'bot' }, /by: expected one of/],
    ['clicks', { ...click, message: 'om_other' }, /message: there is no such message/],
    ['clicks', { ...click, message: '' }, /message: must not be empty/],
    ['clicks', { ...click, form: { a: 1 } }, /form.a: expected a string/],
  ])('no %s like %j', async (act, body, why) => {
    feishu.post({ chat: 'oc_team', content: { kind: 'card', card: {} } });
    const answer = await post(`${TEAM}/${act}`, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toMatch(why);
    expect([feishu.written, feishu.clicks]).toEqual([[], []]);
  });

  it('no click on a card of another chat', async () => {
    const card = feishu.post({ chat: 'oc_mei', content: { kind: 'card', card: {} } });
    const answer = await post(`${TEAM}/clicks`, { message: card.id, by: 'ou_mei', value: {} });
    expect([answer.status, feishu.clicks]).toEqual([400, []]);
  });

  it('64 KB and not a byte more', async () => {
    const around = JSON.stringify({ ...message, text: '' }).length;
    const longest = { ...message, text: 'x'.repeat(64 * 1024 - around) };
    expect((await post(`${TEAM}/messages`, longest)).status).toBe(200);
    const longer = { ...message, text: `${longest.text}x` };
    expect((await post(`${TEAM}/messages`, longer)).status).toBe(413);
    expect(feishu.written).toHaveLength(1);
  });
});

describe('the playground turns away', () => {
  const message = { from: 'ou_mei', text: 'hi', mention: true };

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:3000',
    'evil@localhost:1',
  ])('a name that only points here: %s', async (host) => {
    for (const path of ['/', '/playground/state', '/playground/events', TEAM])
      expect([path, (await get(path, { host })).status]).toEqual([path, 403]);
    expect((await post(`${TEAM}/messages`, message, { host })).status).toBe(403);
    expect([feishu.written, feishu.listeners.size]).toEqual([[], 0]);
  });

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '[::1]:3000'])(
    'but not %s',
    async (host) => {
      expect((await get('/playground/state', { host })).status).toBe(200);
    },
  );

  it('posts from other origins, and those that need no preflight', async () => {
    const own = `http://127.0.0.1:${server.port}`;
    const statusWith = async (headers: Record<string, string>) =>
      (await post(`${TEAM}/messages`, message, headers)).status;
    expect(await statusWith({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith({ origin: 'null' })).toBe(403);
    expect(await statusWith({ origin: 'http://127.0.0.1:1' })).toBe(403);
    expect(await statusWith({ 'content-type': 'text/plain' })).toBe(415);
    expect(await statusWith({ 'content-type': 'application/jsonp' })).toBe(415);
    expect(feishu.written).toEqual([]);
    expect(await statusWith({ origin: own })).toBe(200);
    expect(await statusWith({ 'content-type': 'application/json; charset=utf-8' })).toBe(200);
  });

  it('methods that do not belong', async () => {
    expect((await call('DELETE', TEAM)).status).toBe(405);
    expect((await get(`${TEAM}/messages`)).status).toBe(405);
    expect((await post(TEAM, {})).status).toBe(405);
    expect((await post('/', {})).status).toBe(405);
    expect((await post('/playground/state', {})).status).toBe(405);
  });
});

describe('the playground announces', () => {
  it('every change with its place, and forgets a listener that went away', async () => {
    const response = await fetch(`${server.url}/playground/events`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) throw new Error('no body');
    let seen = '';
    const until = async (wanted: string) => {
      while (!seen.includes(wanted)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`ended without ${wanted}`);
        seen += value;
      }
    };
    await until(': hello\n\n');
    feishu.post({ chat: 'oc_team', content: { kind: 'text', text: 'hi' } });
    await until('data: {"platform":"feishu","chat":"oc_team"}\n\n');
    expect(feishu.listeners.size).toBe(1);
    await reader.cancel();
    await expect.poll(() => feishu.listeners.size).toBe(0);
  });

  it('that it is still there, when nothing changes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /playground/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
    vi.advanceTimersByTime(15_000);
    expect(String(await once(socket, 'data'))).toContain(': still here');
    socket.destroy();
  });

  it('nothing that outlives a client cut off in the middle', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /playground/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
    expect(feishu.listeners.size).toBe(1);
    socket.destroy();
    await expect.poll(() => feishu.listeners.size).toBe(0);
  });
});
