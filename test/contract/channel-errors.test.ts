import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dingtalk } from '#channels/dingtalk/index.ts';
import { feishu } from '#channels/feishu/index.ts';
import {
  type DingtalkStandIn,
  startDingtalkStandIn,
} from '#hosts/local/standins/dingtalk/index.ts';
import { type FeishuStandIn, startFeishuStandIn } from '#hosts/local/standins/feishu/index.ts';
import type { Post } from '#hosts/local/standins/stand-in.ts';
import { type Channel, ChannelError, type ChannelSetup } from '#ports/channel.ts';
import { ANN, recordingLog, task, view } from '../unit/channels/feishu/given.ts';

/** Every row of the platforms' error tables, answered by the stand-in on the wire: what the channel makes of it. */
const setup = (environment: Readonly<Record<string, string>>) => {
  const { log, lines } = recordingLog();
  // Waits pass at once; tokens and budgets see the time go by.
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const sleepUntil = async (at: number) => {
    ahead += Math.max(0, at - now());
  };
  const made: ChannelSetup = {
    environment,
    language: 'en',
    clock: { now, sleepUntil },
    log,
    fetch,
  };
  return { made, lines };
};

const refusal = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => 'taken',
    (error: unknown) => (error instanceof ChannelError ? error.retryable : error),
  );
const [RETRIED, NEVER] = [true, false];
const shown = view([task({ sql: 'SELECT 1' })]);
/** Nobody is named: the people of the fixture are not on the stand-in. */
const card = {
  ...shown,
  ask: { ...shown.ask, tasks: shown.ask.tasks.map((one) => ({ ...one, may: ['*'], not: [] })) },
};

describe('Feishu', () => {
  const MESSAGES = '/open-apis/im/v1/messages';
  const CHAT = 'oc_c0000000000000000000000000000101';
  const to = { channel: 'feishu', app: 'cli', chat: CHAT, group: true };
  let platform: FeishuStandIn;
  let channel: Channel;
  let lines: ReturnType<typeof recordingLog>['lines'];
  beforeAll(async () => {
    platform = await startFeishuStandIn({});
    platform.rateLimit({ perChatPerSecond: 1_000 });
  });
  afterAll(() => platform.stop());

  const open = () => {
    const { made, lines: noted } = setup(platform.environment);
    channel = feishu.createChannel(made);
    lines = noted;
  };
  let said = 0;
  const say = () => channel.say(to, 'a word', `key-${++said}`);

  it.each<readonly [number, number]>([
    [429, 99991400],
    ...[230020, 11232, 11233, 230049, 200810].map((code) => [400, code] as const),
    [500, 1],
    [503, 1],
  ])('is tried again later: HTTP %i, code %i', async (status, code) => {
    open();
    platform.fail({ path: MESSAGES, status, code, times: 1 });
    expect(await refusal(say())).toBe(RETRIED);
    expect(await refusal(say())).toBe('taken');
  });

  it('waits as long as the platform says, if that is short', async () => {
    open();
    const headers = { 'x-ogw-ratelimit-reset': '1' };
    platform.fail({ path: MESSAGES, status: 429, code: 99991400, headers, times: 2 });
    expect(await refusal(say())).toBe('taken');
  });

  it('is tried again later while a click holds the card', async () => {
    open();
    const sent = await channel.show(card, { kind: 'chat', to }, 'locked');
    const message = 'Failed to create card content, ext=card action is lock';
    platform.fail({ path: MESSAGES, method: 'PATCH', code: 230099, message, times: 1 });
    expect(await refusal(channel.update(card, sent, 'update'))).toBe(RETRIED);
    expect(await refusal(channel.update(card, sent, 'update'))).toBe('taken');
  });

  it('is tried again after a call that was carried out and not answered in time, and said once', async () => {
    const { made } = setup(platform.environment);
    const impatient: typeof fetch = (url, init) => {
      expect(init?.signal).toBeInstanceOf(AbortSignal);
      return fetch(url, { ...init, signal: AbortSignal.timeout(500) });
    };
    channel = feishu.createChannel({ ...made, fetch: impatient });
    const posts = () => platform.posts(CHAT).filter(({ from }) => from === 'bot').length;
    await channel.say(to, 'so that there is a token', 'token');
    const before = posts();
    platform.fail({ path: MESSAGES, delayMs: 1_500, times: 1 });
    expect(await refusal(channel.say(to, 'once', 'late'))).toBe(RETRIED);
    expect(await refusal(channel.say(to, 'once', 'late'))).toBe('taken');
    expect(posts()).toBe(before + 1);
  });

  it('says it beside the topic where the group has none any more', async () => {
    open();
    const chat = platform.chats.findLast(({ kind }) => kind === 'group')?.id ?? '';
    const [from = ''] = platform.chats.find(({ id }) => id === chat)?.members ?? [];
    const asked = await platform.write({ chat, from, text: 'hi', mention: true });
    const inTopic = { ...to, chat, thread: 'omt_gone', replyTo: asked.id };
    for (const _ of ['first', 'again'])
      expect(await refusal(channel.say(inTopic, 'beside it', 'topic'))).toBe('taken');
    const said = platform.posts(chat).filter(({ replyTo }) => replyTo === asked.id);
    expect(said.map(({ content }) => content)).toEqual([{ kind: 'text', text: 'beside it' }]);
    expect(lines).toContainEqual(
      expect.objectContaining({ facts: expect.objectContaining({ code: 230071 }) }),
    );
  });

  it.each([99991661, 99991663, 99991664, 99991665, 99991671])(
    'takes a fresh token, once: %i',
    async (code) => {
      open();
      platform.fail({ path: MESSAGES, code, times: 1 });
      expect(await refusal(say())).toBe('taken');
      platform.fail({ path: MESSAGES, code, times: 2 });
      expect(await refusal(say())).toBe(RETRIED);
    },
  );

  it.each([230001, 230025, 230099, 230034, 99992402, 300317])(
    'is never tried again: %i',
    async (code) => {
      open();
      platform.fail({ path: MESSAGES, code, times: 1 });
      expect(await refusal(say())).toBe(NEVER);
    },
  );

  it.each([230022, 230028])('says that the audit withheld it: %i', async (code) => {
    open();
    platform.fail({ path: MESSAGES, code, times: 1 });
    expect(await refusal(say())).toBe('taken');
  });

  it.each([
    ...[230002, 230006, 230013, 230018, 230035, 230027, 99991672, 230053, 230029, 232009],
    ...[99991401, 99991403, 10014, 99991662],
  ])('tells the operator what to do: %i', async (code) => {
    open();
    platform.fail({ path: MESSAGES, code, times: 1 });
    expect(await refusal(say())).toBe(NEVER);
    expect(lines).toContainEqual({
      level: 'error',
      event: 'feishu-failed',
      facts: expect.objectContaining({ code, todo: expect.any(String) }),
    });
  });

  it.each([230011, 230110, 230031, 200750, 300030, 300040])(
    'leaves a card that is gone as it is: %i',
    async (code) => {
      open();
      const sent = await channel.show(card, { kind: 'chat', to }, `card-${code}`);
      platform.fail({ path: MESSAGES, method: 'PATCH', code, times: 1 });
      expect(await refusal(channel.update(card, sent, 'update'))).toBe('taken');
    },
  );

  it.each([230025, 230099, 230022, 230028])(
    'shows as text what is not taken as a card: %i',
    async (code) => {
      open();
      platform.fail({ path: MESSAGES, code, times: 1 });
      const { message } = await channel.show(card, { kind: 'chat', to }, `refused-${code}`);
      const post = platform.posts(CHAT).find(({ id }) => id === message)?.content;
      expect(post?.kind === 'text' && post.text).toContain('SELECT 1');
    },
  );

  it.each([11310, 200621, 200861, 200570])(
    'shows as text what is wrong within the card: 230099 with %i',
    async (detail) => {
      open();
      const message = `Failed to create card content, ext=ErrCode: ${detail}; ErrPath: ROOT;`;
      platform.fail({ path: MESSAGES, code: 230099, message, times: 1 });
      const sent = await channel.show(card, { kind: 'chat', to }, `detail-${detail}`);
      const post = platform.posts(CHAT).find(({ id }) => id === sent.message)?.content;
      expect(post?.kind === 'text' && post.text).toContain('SELECT 1');
      expect(lines).toContainEqual(
        expect.objectContaining({ facts: expect.objectContaining({ code: 230099, detail }) }),
      );
    },
  );

  it('keeps the card where an approver is nobody, and tells the operator: 230099 with 100290', async () => {
    open();
    const sent = await channel.show(shown, { kind: 'chat', to }, 'nobody');
    const cardNow = () =>
      JSON.stringify(platform.posts(CHAT).find(({ id }) => id === sent.message)?.content);
    expect(cardNow()).toContain('"kind":"card"');
    expect(cardNow()).toContain('ou&#95;ann');
    expect(lines).toContainEqual({
      level: 'error',
      event: 'feishu-failed',
      facts: expect.objectContaining({ detail: 100290, todo: expect.any(String) }),
    });
    const decided = { state: 'cancelled', kind: 'cancel', by: ANN, at: 1 } as const;
    await channel.update({ ...shown, card: decided }, sent, 'update');
    expect(cardNow()).toContain('已取消');
  });
});

describe('DingTalk', () => {
  const ROBOT = '/v1.0/robot';
  let platform: DingtalkStandIn;
  let channel: Channel;
  let lines: ReturnType<typeof recordingLog>['lines'];
  beforeAll(async () => {
    platform = await startDingtalkStandIn({ cards: 'interactive' });
    platform.rateLimit({ perApiPerSecond: 1_000 });
  });
  afterAll(() => platform.stop());

  const open = () => {
    const { made, lines: noted } = setup(platform.environment);
    channel = dingtalk.createChannel(made);
    lines = noted;
  };
  const chat = () => platform.chats.find(({ kind }) => kind === 'group')?.id ?? '';
  const to = () => ({ channel: 'dingtalk', app: 'key', chat: chat(), group: true });
  let said = 0;
  const say = () => channel.say(to(), 'a word', `key-${++said}`);

  it.each([
    'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi',
    'Forbidden.AccessDenied.QpmLimitForAppkeyAndApi',
    'Forbidden.AccessDenied.QpsLimitForApi',
    'send.too.fast',
    'send.byToken.tooFast',
    'too.many.group',
    'too.many.people',
  ])('waits a limit out: %s', async (code) => {
    open();
    platform.fail({ path: ROBOT, code, times: 1 });
    expect(await refusal(say())).toBe('taken');
  });

  it('shows a card that an earlier try made and did not deliver', async () => {
    open();
    const isCard = ({ content }: Post) =>
      content.kind === 'card' && JSON.stringify(content.card).includes('cardTemplate');
    const cards = () => platform.posts(chat()).filter(isCard).length;
    platform.failDeliveries(1);
    await channel.show(card, { kind: 'chat', to: to() }, 'key');
    expect(cards()).toBe(0);
    await channel.show(card, { kind: 'chat', to: to() }, 'key');
    expect(cards()).toBe(1);
  });

  it('is tried again later: system.busy', async () => {
    open();
    platform.fail({ path: ROBOT, code: 'system.busy', times: 1 });
    expect(await refusal(say())).toBe(RETRIED);
  });

  it('takes a fresh token, once', async () => {
    open();
    platform.fail({ path: ROBOT, code: 'InvalidAuthentication', times: 1 });
    expect(await refusal(say())).toBe('taken');
  });

  it.each(['invalidParameter.msgKey.invalid', 'invalidParameter.msgParam'])(
    'is never tried again: %s',
    async (code) => {
      open();
      platform.fail({ path: ROBOT, code, times: 1 });
      expect(await refusal(say())).toBe(NEVER);
    },
  );

  it.each([
    'Forbidden.AccessDenied.ApiCountLimitForOrg',
    'Forbidden.AccessDenied.AccessTokenPermissionDenied',
    'Forbidden.AccessDenied.IpNotInWhiteList',
    'invalidParameter.robotCode.auth',
    'group.disbanded',
    'bot.stopped',
  ])('tells the operator what to do: %s', async (code) => {
    open();
    platform.fail({ path: ROBOT, code, times: 1 });
    expect(await refusal(say())).toBe(NEVER);
    expect(lines).toContainEqual({
      level: 'error',
      event: 'dingtalk-failed',
      facts: expect.objectContaining({ code, todo: expect.any(String) }),
    });
  });
});
