import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { dingtalk } from '#channels/dingtalk/index.ts';
import type { Ask } from '#domain/ask.ts';
import { askCode, type PersonId } from '#domain/ids.ts';
import type { Address } from '#domain/session.ts';
import type { AskView, Channel, Sent } from '#ports/channel.ts';
import type { Clock } from '#ports/clock.ts';
import {
  ANN,
  cardEnvironment,
  environment,
  group,
  type Line,
  NOW,
  recordingLog,
  single,
  task,
  view,
} from './given.ts';
import { failed, failedOld, type Platform, type Request, startPlatform } from './platform.ts';

let platform: Platform;
let channel: Channel;
let lines: Line[];
let now: number;
const slept: number[] = [];

const build = (more: Record<string, string | undefined> = {}): Channel => {
  const recording = recordingLog();
  lines = recording.lines;
  const clock: Clock = {
    now: () => now,
    sleepUntil: async (at) => {
      slept.push(at - now);
      now = at;
    },
  };
  return dingtalk.createChannel({
    environment: {
      ...environment,
      DINGTALK_BASE_URL: `${platform.url}/`,
      DINGTALK_OAPI_BASE_URL: platform.url,
      ...more,
    },
    language: 'zh-CN',
    clock,
    log: recording.log,
    fetch,
  });
};

beforeEach(async () => {
  platform = await startPlatform();
  now = NOW;
  slept.length = 0;
  channel = build();
});
afterEach(() => platform.stop());

const HOUR = 3_600_000;
/** With an address to answer to that still lives. */
const alive = (address: Address): Address => ({
  ...address,
  own: { ...address.own, webhook: platform.webhook, until: NOW + HOUR },
});
const to = (address: Address) => ({ kind: 'chat', to: address }) as const;
const one = view([task({ sql: 'DELETE FROM t' })]);
const code = askCode(one.ask.id);
const BATCH = '/v1.0/robot/oToMessages/batchSend';
const GROUP = '/v1.0/robot/groupMessages/send';
const CREATE = '/v1.0/card/instances/createAndDeliver';

const call = (index = 0): Request => platform.calls().at(index) as Request;
const paths = () => platform.calls().map(({ path }) => path.split('?')[0]);
const paramOf = ({ body }: Request) => JSON.parse(String(body['msgParam']));
const failureOf = (act: Promise<unknown>) =>
  act.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('settings', () => {
  it.each(['DINGTALK_APP_KEY', 'DINGTALK_APP_SECRET', 'DINGTALK_ROBOT_CODE'])(
    'names %s when it is missing',
    (name) => {
      expect(() => build({ [name]: '' })).toThrow(name);
    },
  );

  it.each(['DINGTALK_CARD_TEMPLATE_ID', 'DINGTALK_CARD_ROUTE_KEY'])(
    'names %s when only others for cards are there',
    (name) => {
      expect(() => build({ ...cardEnvironment, [name]: undefined })).toThrow(name);
    },
  );

  it('uses the first of several secrets', async () => {
    channel = build({ DINGTALK_APP_SECRET: 'new,old' });
    await channel.say(group, 'hi', 'k');
    expect(platform.tokens()[0]?.body).toMatchObject({ appSecret: 'new' });
  });
});

describe('the token', () => {
  it('is fetched once for calls at the same time, kept, and renewed before it ends', async () => {
    await Promise.all([channel.say(group, 'a', '1'), channel.say(group, 'b', '2')]);
    expect(platform.tokens()).toHaveLength(1);
    now += (7200 - 180) * 1000 - 1;
    await channel.say(group, 'c', '3');
    expect(platform.tokens()).toHaveLength(1);
    now += 1;
    await channel.say(group, 'd', '4');
    expect(platform.tokens()).toHaveLength(2);
  });

  it('is renewed once when the platform does not take it', async () => {
    platform.script(failed('InvalidAuthentication'));
    await channel.say(group, 'hi', 'k');
    expect(platform.calls().map(({ token }) => token)).toEqual(['token-1', 'token-2']);
    platform.script(failed('InvalidAuthentication'), failed('InvalidAuthentication'));
    expect(await failureOf(channel.say(group, 'hi', 'k'))).toMatchObject({ retryable: true });
    expect(platform.calls()).toHaveLength(4);
  });

  it('refused for a wrong secret is for people to put right', async () => {
    platform.scriptToken(failed('invalidClientIdOrSecret'));
    expect(await failureOf(channel.say(group, 'hi', 'k'))).toMatchObject({ retryable: false });
    expect(lines[0]).toMatchObject({
      level: 'error',
      facts: { todo: expect.stringMatching(/DINGTALK_APP_KEY/) },
    });
  });

  it('that could not be had is asked for again by the next call', async () => {
    platform.scriptToken({ status: 500, body: 'down' });
    expect(await failureOf(channel.say(group, 'hi', 'k'))).toMatchObject({ retryable: true });
    await channel.say(group, 'hi', 'k');
    expect(platform.calls()).toHaveLength(1);
  });
});

describe('saying', () => {
  it('goes to the address of the message while that lives, and costs no call of the API', async () => {
    await channel.say(alive(group), 'done', 'k');
    expect(platform.requests).toHaveLength(1);
    expect(call()).toMatchObject({
      path: '/robot/sendBySession?session=s-1',
      token: undefined,
      body: { msgtype: 'text', text: { content: 'done' } },
    });
  });

  it('goes by the API from five minutes before its end', async () => {
    now = NOW + HOUR - 300_001;
    await channel.say(alive(group), 'a', 'k');
    now += 1;
    await channel.say(alive(group), 'b', 'k');
    expect(paths()).toEqual(['/robot/sendBySession', GROUP]);
  });

  it('does not go to an address on another host, wherever that came from', async () => {
    const { origin } = new URL('http://127.0.0.1:9');
    const own = { webhook: `${origin}/robot/sendBySession?session=s`, until: NOW + HOUR };
    await channel.say({ ...group, own }, 'a', 'k');
    const strangers = { webhook: `${platform.url}/robot/send?access_token=x`, until: NOW + HOUR };
    await channel.say({ ...group, own: strangers }, 'a', 'k');
    expect(paths()).toEqual([GROUP, GROUP]);
  });

  it('takes the word for yes as a number or as a text', async () => {
    platform.scriptWebhook(failedOld('0'));
    await channel.say(alive(group), 'a', 'k');
    expect(paths()).toEqual(['/robot/sendBySession']);
  });

  it('goes by the API when the address is answered by a page that is not there', async () => {
    platform.scriptWebhook({ status: 404, body: 'no such page' });
    await channel.say(alive(group), 'a', 'k');
    expect(paths()).toEqual(['/robot/sendBySession', GROUP]);
  });

  it.each([300001, '300001', 90002, 90018, 90020, 130101, 310000, 43004, 40035, 404, 99999])(
    'goes by the API when the address does not take it (%s)',
    async (errcode) => {
      platform.scriptWebhook(failedOld(errcode));
      await channel.say(alive(group), 'a', 'k');
      expect(paths()).toEqual(['/robot/sendBySession', GROUP]);
    },
  );

  it.each([
    ['a busy system', failedOld(-1)],
    ['a gateway', { status: 502, body: '<html>' }],
    ['a cut connection', { cut: true, body: '' }],
    ['an answer that is none', { body: 'ok' }],
  ] as const)('is left to the queue after %s: it may have gone out', async (_, answer) => {
    platform.scriptWebhook(answer);
    const failure = await failureOf(channel.say(alive(group), 'a', 'k'));
    expect(failure).toMatchObject({ retryable: true });
    expect(platform.calls()).toHaveLength(1);
  });

  it('follows no redirect: it would take a secret elsewhere', async () => {
    platform.scriptWebhook({ status: 307, headers: { location: '/elsewhere' }, body: '' });
    expect(await failureOf(channel.say(alive(group), 'a', 'k'))).toMatchObject({
      code: 'DINGTALK_UNREACHABLE',
    });
    expect(paths()).toEqual(['/robot/sendBySession']);
  });

  it('goes to a group by its id', async () => {
    await channel.say(group, 'done', 'k');
    expect(call()).toMatchObject({
      method: 'POST',
      path: GROUP,
      token: 'token-1',
      body: {
        robotCode: 'dinggoldenrobot',
        openConversationId: 'cidGolden0001==',
        msgKey: 'sampleText',
      },
    });
    expect(paramOf(call())).toEqual({ content: 'done' });
  });

  it('goes to a single chat by who is in it', async () => {
    await channel.say(single, 'done', 'k');
    expect(call()).toMatchObject({ path: BATCH, body: { userIds: ['452523285939877041'] } });
  });

  it('cannot go to a single chat of nobody', async () => {
    const { own: _, ...nobody } = single;
    expect(await failureOf(channel.say(nobody, 'a', 'k'))).toMatchObject({ retryable: false });
  });

  it('sees in an answer of 200 that somebody did not get it', async () => {
    platform.script({ body: { processQueryKey: 'k', invalidStaffIdList: ['1'] } });
    expect(await failureOf(channel.say(single, 'a', 'k'))).toMatchObject({ retryable: false });
    expect(lines[0]).toMatchObject({ level: 'error', facts: { class: 'operator' } });
    platform.script({ body: { processQueryKey: 'k', flowControlledStaffIdList: ['1'] } });
    expect(await failureOf(channel.say(single, 'a', 'k'))).toMatchObject({ retryable: true });
  });

  it('splits what is too long, in order, and asks a dead address only once', async () => {
    const text = Array.from({ length: 1200 }, (_, i) => `line ${i} "quoted" 中文 😀`).join('\n');
    platform.scriptWebhook(failedOld(300001));
    await channel.say(alive(group), text, 'k');
    const [first, ...pieces] = platform.calls();
    expect(first?.path).toContain('sendBySession');
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map((piece) => paramOf(piece).content).join('')).toBe(text);
    for (const { body } of pieces)
      expect(Buffer.byteLength(String(body['msgParam']))).toBeLessThanOrEqual(15_000);
    expect(slept).toEqual(pieces.slice(1).map(() => 250));
  });

  it.each(['contain.notAllowed.text', 'contain.unsafe.url', 'param.contentUnsafe'])(
    'says so when the content check withholds it (%s)',
    async (unsafe) => {
      platform.script(failed(unsafe));
      await channel.say(group, 'a', 'k');
      expect(paramOf(call(1)).content).toContain('审核');
    },
  );

  it('says so when the content check of the address withholds it', async () => {
    platform.scriptWebhook(failedOld(430104));
    await channel.say(alive(group), 'a', 'k');
    expect(call(1).body).toMatchObject({ text: { content: expect.stringMatching(/审核/) } });
  });
});

describe('failures', () => {
  it.each([
    [failed('system.busy', 500), true, 'wait'],
    [failed('unknown.send.result'), true, 'wait'],
    [{ status: 502, body: '<html>bad gateway</html>' }, true, 'wait'],
    [failed('invalidParameter.msgKey.invalid'), false, 'fix'],
    [failed('invalidParameter.msgParam.tooLong'), false, 'fix'],
    [{ status: 404, body: 'no such page' }, false, 'fix'],
    [failed('Forbidden.AccessDenied.ApiCountLimitForOrg', 403), false, 'operator'],
    [failed('Forbidden.AccessDenied.AccessTokenPermissionDenied', 403), false, 'operator'],
    [failed('Forbidden.AccessDenied.IpNotInWhiteList', 403), false, 'operator'],
    [failed('group.disbanded'), false, 'operator'],
    [failed('bot.stopped'), false, 'operator'],
  ])('%j can be tried again: %s (%s)', async (answer, retryable, failure) => {
    platform.script(answer);
    expect(await failureOf(channel.say(group, 'private words', 'k'))).toMatchObject({ retryable });
    expect(platform.calls()).toHaveLength(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: failure === 'operator' ? 'error' : 'warn',
      facts: { class: failure },
    });
    if (failure === 'operator') expect(lines[0]?.facts['todo']).toBeTypeOf('string');
  });

  it.each([
    failed('Forbidden.AccessDenied.QpsLimitForAppkeyAndApi', 403),
    failed('Forbidden.AccessDenied.QpmLimitForAppkeyAndApi', 403),
    failed('Forbidden.AccessDenied.QpsLimitForApi', 403),
    failed('send.too.fast'),
    failed('send.byToken.tooFast'),
    failed('too.many.group'),
    failed('too.many.people'),
    { status: 429, body: 'slow down' },
  ])('of too many calls are waited out: %j', async (limited) => {
    platform.script(limited, limited);
    await channel.say(group, 'hi', 'k');
    expect(slept).toEqual([1000, 2000]);
    platform.script(limited, limited, limited);
    expect(await failureOf(channel.say(group, 'hi', 'k'))).toMatchObject({ retryable: true });
    expect(platform.calls()).toHaveLength(6);
  });

  it('of the network can be tried again', async () => {
    platform.script({ cut: true, body: '' });
    expect(await failureOf(channel.say(group, 'hi', 'k'))).toMatchObject({
      code: 'DINGTALK_UNREACHABLE',
      retryable: true,
    });
  });

  it('to answer in time end every kind of request', async () => {
    channel = build(cardEnvironment);
    const acts = [
      () => channel.say(group, 'for a token', 'k'),
      () => channel.say(group, 'by the API', 'k'),
      () => channel.say(single, 'by the API', 'k'),
      () => channel.say(alive(group), 'by sessionWebhook', 'k'),
      () => channel.show(one, to(group), 'k'),
      () => channel.update(one, { chat: 'c', message: one.ask.id, time: 1 }, 'k'),
    ];
    const { timeout } = AbortSignal;
    let silent = true;
    const given = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      expect(ms).toBeLessThanOrEqual(10_000);
      const over = new DOMException('', 'TimeoutError');
      return silent ? AbortSignal.abort(over) : timeout.call(AbortSignal, ms);
    });
    onTestFinished(() => given.mockRestore());
    for (const act of acts) {
      expect(await failureOf(act())).toMatchObject({ code: 'DINGTALK_UNREACHABLE' });
      silent = false;
      // From the second on there is a token.
      await channel.say(group, 'a word', 'k');
      silent = true;
    }
  });

  it('never put a token, a secret, an address or content into a log line or an error', async () => {
    channel = build(cardEnvironment);
    platform.script(failed('invalidParameter.param.invalid'), failed('param.invalid'));
    const odd = { code: 'SECRET-ECHO private words', message: 'SECRET-ECHO' };
    platform.script({ status: 400, body: odd });
    platform.scriptWebhook(failedOld(40035), { cut: true, body: '' });
    const errors = [];
    for (const address of [group, alive(group), alive(group)])
      errors.push(await failureOf(channel.say(address, 'private words', 'k')));
    errors.push(await failureOf(channel.show(one, to(group), 'k')));
    const written = JSON.stringify(lines) + errors.map(String).join();
    expect(written).not.toMatch(/SECRET-ECHO|private words|token-\d|golden-app|DELETE|session=/);
    expect(written).toContain('REQ-1');
  });
});

describe('showing an ask without a template', () => {
  it('is an action card whose buttons send the word and the code of the ask', async () => {
    const sent = await channel.show(one, to(alive(group)), 'k');
    const { actionCard, at } = call().body as {
      actionCard: { btns: { title: string; actionURL: string }[]; text: string };
      at: object;
    };
    const dtmd = (text: string) =>
      `dtmd://dingtalkclient/sendMessage?content=${encodeURIComponent(text)}`;
    expect(actionCard.btns).toEqual([
      { title: '确认', actionURL: dtmd(`确认${code}`) },
      { title: '取消', actionURL: dtmd(`取消${code}`) },
    ]);
    expect(actionCard.text).toContain(`[确认](${dtmd(`确认${code}`)})`);
    expect(actionCard.text).toContain('│ DELETE FROM t');
    expect(actionCard.text).toContain('文字回复：@机器人 确认');
    expect(actionCard.text).toContain('@452523285939877041');
    expect(at).toEqual({ atUserIds: ['452523285939877041'], isAtAll: false });
    expect(sent).toEqual({ chat: 'cidGolden0001==', message: code, time: NOW });
  });

  it('is the same by the API', async () => {
    await channel.show(one, to(group), 'k');
    expect(call().body).toMatchObject({ msgKey: 'sampleActionCard6' });
    const { title, text, buttonTitle1, buttonUrl2 } = paramOf(call());
    expect({ title, buttonTitle1 }).toEqual({ title: '请确认操作', buttonTitle1: '确认' });
    expect(decodeURIComponent(buttonUrl2)).toContain(`取消${code}`);
    expect(text).toContain('DELETE');
  });

  it('has the same code when it is shown again', async () => {
    await channel.show(one, to(group), 'k');
    await channel.show(one, to(group), 'k');
    expect(paramOf(call(0))).toEqual(paramOf(call(1)));
  });

  it('goes to a person by their id, with words that count in any chat', async () => {
    const sent = await channel.show(one, { kind: 'person', person: ANN }, 'k');
    expect(call()).toMatchObject({ path: BATCH, body: { userIds: ['452523285939877041'] } });
    expect(paramOf(call()).text).toContain(`确认${code} ｜ 取消${code}`);
    expect(paramOf(call()).text).not.toContain('引用');
    expect(sent).toMatchObject({ chat: ANN, message: code });
  });

  it('does not go to a person of another platform', async () => {
    const receiver = { kind: 'person', person: 'feishu:ou_1' as PersonId } as const;
    expect(await failureOf(channel.show(one, receiver, 'k'))).toMatchObject({ retryable: false });
  });

  it('sends what is too much for a card ahead of it, as text', async () => {
    const sql = `DELETE FROM t -- ${'x'.repeat(20_000)}`;
    await channel.show(view([task({ sql })]), to(alive(group)), 'k');
    const types = platform.calls().map(({ body }) => body['msgtype']);
    expect(types).toEqual(['text', 'text', 'actionCard']);
    const full = platform
      .calls()
      .map(({ body }) => (body['text'] as { content?: string })?.content);
    expect(full.join('')).toContain(sql);
    expect(JSON.stringify(call(2).body)).toContain('全文已在上方消息中发出');
  });

  it('goes as text when the platform refuses the card, one way and the other', async () => {
    platform.scriptWebhook(failedOld(40035));
    platform.script(failed('invalidParameter.param.invalid'));
    const sent = await channel.show(one, to(alive(group)), 'k');
    expect(paths()).toEqual(['/robot/sendBySession', GROUP, '/robot/sendBySession']);
    const { text } = call(2).body as { text: { content: string } };
    expect(text.content).toContain('• sql:\n│ DELETE FROM t');
    expect(text.content).toContain('文字回复：@机器人 确认');
    expect(sent.message).toBe(code);
  });

  it('does not go as text when the platform is only busy or people must act', async () => {
    for (const answer of [failed('system.busy', 500), failed('bot.stopped')]) {
      platform.requests.length = 0;
      platform.script(answer);
      expect(await failureOf(channel.show(one, to(group), 'k'))).toBeDefined();
      expect(platform.calls()).toHaveLength(1);
    }
  });

  const question = (kind: Ask['kind'], more: object) => {
    const asked = { prompt: '哪个 *库*?', ...more };
    return view([], { question: asked }, { kind, question: asked });
  };
  it('that wants an answer is a numbered text', async () => {
    const asked = question('choice', { options: ['red', 'blue'], multiple: true });
    await channel.show(asked, to(alive(single)), 'k');
    const { text } = call().body as { text: { content: string } };
    expect(text.content).toContain('│ 哪个 *库*?\n• 选项：\n• 1. red\n• 2. blue');
    expect(text.content).toContain('选项的编号，用逗号分隔');
    expect(text.content).not.toContain('卡片无法显示');
    await channel.show(question('input', {}), to(alive(single)), 'k');
    expect(call(1).body).toMatchObject({ msgtype: 'text' });
  });
});

describe('showing an ask with a template', () => {
  beforeEach(() => {
    channel = build(cardEnvironment);
  });

  it('creates and delivers the card of the ask, in one call', async () => {
    const sent = await channel.show(one, to(alive(group)), 'k');
    expect(platform.calls()).toHaveLength(1);
    expect(call()).toMatchObject({
      method: 'POST',
      path: CREATE,
      body: {
        cardTemplateId: 'template.schema',
        outTrackId: one.ask.id,
        callbackType: 'HTTP',
        callbackRouteKey: 'route-1',
        userIdType: 1,
        openSpaceId: 'dtv1.card//IM_GROUP.cidGolden0001==',
        imGroupOpenSpaceModel: { supportForward: false },
        imGroupOpenDeliverModel: { robotCode: 'dinggoldenrobot' },
        cardData: { cardParamMap: { title: '请确认操作', waiting: 'true' } },
      },
    });
    expect(sent).toEqual({ chat: 'cidGolden0001==', message: one.ask.id, time: NOW });
  });

  it('calls those in a group who may decide, if they are named', async () => {
    await channel.show(one, to(group), 'k');
    const robotCode = 'dinggoldenrobot';
    const model = { robotCode, atUserIds: { '452523285939877041': '452523285939877041' } };
    expect(call().body).toMatchObject({ imGroupOpenDeliverModel: model });
    const anyone = one.ask.tasks.map((task) => ({ ...task, may: ['*'] }));
    await channel.show({ ...one, ask: { ...one.ask, tasks: anyone } }, to(group), 'k');
    expect(call(1).body['imGroupOpenDeliverModel']).toEqual({ robotCode });
  });

  it('delivers to who is in a single chat, and to each approver a card of their own', async () => {
    const own = await channel.show(one, to(single), 'k');
    expect(call().body).toMatchObject({
      outTrackId: one.ask.id,
      openSpaceId: 'dtv1.card//IM_ROBOT.452523285939877041',
      imRobotOpenSpaceModel: { supportForward: false },
      imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode: 'dinggoldenrobot' },
    });
    expect(own.chat).toBe('cidGolden0001==');
    const tracks = [];
    for (const person of [ANN, 'dingtalk:2' as PersonId]) {
      const sent = await channel.show(one, { kind: 'person', person }, 'k');
      const { outTrackId } = call(-1).body as { outTrackId: string };
      expect(sent).toMatchObject({ chat: person, message: outTrackId });
      expect(outTrackId.startsWith(one.ask.id)).toBe(true);
      tracks.push(outTrackId);
    }
    expect(new Set([...tracks, one.ask.id]).size).toBe(3);
  });

  it('is delivered again when it exists, for nobody knows whether it was', async () => {
    const yes = { body: { success: true, result: [{ success: true }] } };
    platform.script(failed('param.cardAlreadyExist'), yes);
    expect(await channel.show(one, to(group), 'k')).toMatchObject({ message: one.ask.id });
    expect(paths()).toEqual([CREATE, '/v1.0/card/instances/deliver']);
    expect(call(1).body).toMatchObject({
      outTrackId: one.ask.id,
      openSpaceId: 'dtv1.card//IM_GROUP.cidGolden0001==',
      imGroupOpenDeliverModel: { robotCode: 'dinggoldenrobot' },
    });
  });

  it('becomes an action card when it exists and still cannot be delivered', async () => {
    const no = { body: { success: true, result: [{ success: false }] } };
    platform.script(failed('param.cardAlreadyExist'), no);
    expect(await channel.show(one, to(alive(group)), 'k')).toMatchObject({ message: code });
    expect(paths().at(-1)).toBe('/robot/sendBySession');
  });

  it.each([
    failed('param.templateNotExist'),
    failed('param.templateUnpublished'),
    failed('param.contentUnsafe'),
    failed('Forbidden.AccessDenied.ApiCountLimitForOrg', 403),
    { body: { success: true, result: { deliverResults: [{ success: false, errorMsg: 'x' }] } } },
    { body: { success: true } },
  ])('becomes an action card when it cannot be delivered: %j', async (answer) => {
    platform.script(answer);
    expect(await channel.show(one, to(alive(group)), 'k')).toMatchObject({ message: code });
    expect(paths()).toEqual([CREATE, '/robot/sendBySession']);
    expect(call(1).body).toMatchObject({ msgtype: 'actionCard' });
    expect(lines.map(({ event }) => event)).toContain('dingtalk-card-refused');
  });

  it('is left to the queue when the platform is busy', async () => {
    platform.script(failed('system.busy', 500));
    expect(await failureOf(channel.show(one, to(group), 'k'))).toMatchObject({ retryable: true });
    expect(platform.calls()).toHaveLength(1);
  });

  it('sends what is too much for a card ahead of it, once', async () => {
    platform.script(failed('param.templateNotExist'));
    const sql = `DELETE FROM t -- ${'x'.repeat(20_000)}`;
    await channel.show(view([task({ sql })]), to(alive(group)), 'k');
    const types = platform.calls().map(({ body }) => body['msgtype'] ?? 'card');
    expect(types).toEqual(['text', 'text', 'card', 'actionCard']);
  });
});

describe('updating', () => {
  const settled = (state: 'done' | 'running', ask: Partial<Ask> = {}): AskView =>
    view(
      one.tasks,
      {
        card: { state, kind: 'confirm', by: ANN, at: NOW, results: [{ state: 'done', text: '3' }] },
      },
      { decision: { id: 'd', kind: 'confirm', by: ANN, at: NOW, via: 'text' }, ...ask },
    );
  const shown = { chat: 'cidGolden0001==', message: one.ask.id, time: 1 };

  it('puts the new state on the card, and leaves what it does not name', async () => {
    channel = build(cardEnvironment);
    await channel.update(settled('done'), shown, 'k');
    expect(call()).toMatchObject({
      method: 'PUT',
      path: '/v1.0/card/instances',
      body: {
        outTrackId: one.ask.id,
        userIdType: 1,
        cardData: { cardParamMap: { title: '已执行', waiting: 'false' } },
        cardUpdateOptions: { updateCardDataByKey: true },
      },
    });
  });

  it('does not repeat what the answer to the click has shown', async () => {
    const decision = { id: 'd', kind: 'confirm', by: ANN, at: NOW, via: 'click' } as const;
    await channel.update(settled('running', { decision, shown: [shown] }), shown, 'k');
    expect(platform.calls()).toHaveLength(0);
    const long = { kind: 'rows', pk: 'p', prefix: 'x', count: 1, bytes: 9 } as const;
    await channel.update(
      settled('running', { decision, shown: [shown], details: long }),
      shown,
      'k',
    );
    await channel.update(settled('running', { decision, shown: [shown, shown] }), shown, 'k');
    await channel.update(settled('running', { shown: [shown] }), shown, 'k');
    expect(platform.calls()).toHaveLength(3);
  });

  it.each(['param.cardNotExist', 'param.contentUnsafe'])(
    'is told in words where the card cannot be changed (%s)',
    async (problem) => {
      platform.script(failed(problem));
      await channel.update(settled('done'), shown, 'k');
      expect(call(1)).toMatchObject({ path: GROUP });
      expect(paramOf(call(1)).content).toMatch(/^已执行\n由 @452523285939877041 于 .* 确认/);
    },
  );

  it('that could not be made now is tried again by the queue', async () => {
    platform.script(failed('system.busy', 500));
    expect(await failureOf(channel.update(settled('done'), shown, 'k'))).toMatchObject({
      retryable: true,
    });
  });

  it('of what cannot be changed is told once, when all is known', async () => {
    const sent = { ...shown, message: code };
    await channel.update(settled('running'), sent, 'k');
    expect(platform.calls()).toHaveLength(0);
    await channel.update(settled('done'), sent, 'k');
    expect(paths()).toEqual([GROUP]);
    expect(paramOf(call()).content).toContain('结果：已执行\n│ 3');
  });

  it('goes the way the answers of the turn go, while that lives, if it is the same chat', async () => {
    const sent = { ...shown, message: code };
    const turnIn = (address: Address) => ({ ...settled('done'), to: address });
    await channel.update(turnIn(alive(group)), sent, 'k');
    await channel.update(turnIn(alive({ ...group, chat: 'another' })), sent, 'k');
    await channel.update(turnIn(alive(group)), { ...sent, chat: ANN }, 'k');
    now += HOUR;
    await channel.update(turnIn(alive(group)), sent, 'k');
    expect(paths()).toEqual(['/robot/sendBySession', GROUP, BATCH, GROUP]);
    expect(call().body).toMatchObject({ msgtype: 'text' });
  });

  it('goes where the ask was shown', async () => {
    const updates = async (receiver: Parameters<Channel['show']>[1]) => {
      const sent: Sent = await channel.show(one, receiver, 'k');
      platform.requests.length = 0;
      await channel.update(settled('done'), sent, 'k');
      return call();
    };
    expect(await updates(to(alive(group)))).toMatchObject({
      path: GROUP,
      body: { openConversationId: 'cidGolden0001==' },
    });
    const mine = { path: BATCH, body: { userIds: ['452523285939877041'] } };
    expect(await updates(to(alive(single)))).toMatchObject(mine);
    expect(await updates({ kind: 'person', person: ANN })).toMatchObject(mine);
    channel = build(cardEnvironment);
    expect(await updates(to(single))).toMatchObject({ body: { outTrackId: one.ask.id } });
    expect(await updates({ kind: 'person', person: ANN })).toMatchObject({ method: 'PUT' });
  });
});
