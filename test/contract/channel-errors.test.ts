import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dingtalk } from '#channels/dingtalk/index.ts';
import { feishu } from '#channels/feishu/index.ts';
import type { AskId } from '#domain/ids.ts';
import {
  type DingtalkStandIn,
  startDingtalkStandIn,
} from '#hosts/local/standins/dingtalk/index.ts';
import { type FeishuStandIn, startFeishuStandIn } from '#hosts/local/standins/feishu/index.ts';
import type { Post } from '#hosts/local/standins/stand-in.ts';
import { type CardState, type Channel, ChannelError, type ChannelSetup } from '#ports/channel.ts';
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
  let platform: DingtalkStandIn;
  let channel: Channel;
  let lines: ReturnType<typeof recordingLog>['lines'];
  let group: string;
  let webhook: Readonly<Record<string, string | number>>;
  beforeAll(async () => {
    platform = await startDingtalkStandIn({ cards: 'interactive' });
    const [, , , { id, members } = expect.fail()] = platform.chats;
    group = id;
    await platform.write({ chat: group, from: members[0] ?? '', text: 'hi', mention: true });
    const { sessionWebhook, sessionWebhookExpiredTime } = JSON.parse(
      platform.deliveries()[0]?.payload ?? '',
    );
    webhook = { webhook: sessionWebhook, until: sessionWebhookExpiredTime };
  });
  afterAll(() => platform.stop());
  beforeEach(() => {
    platform.rateLimit({
      perApiPerSecond: 1_000,
      callsPerMonth: Number.POSITIVE_INFINITY,
      perPersonPerMinute: Number.POSITIVE_INFINITY,
    });
    const { made, lines: noted } = setup(platform.environment);
    channel = dingtalk.createChannel(made);
    lines = noted;
  });

  const chat = (own?: Readonly<Record<string, string | number>>, id = group) => ({
    channel: 'dingtalk',
    app: 'key',
    chat: id,
    group: id === group,
    ...(own && { own }),
  });
  /** Each ask has a card of its own. */
  let asked = 0;
  const anAsk = () => {
    asked += 1;
    return { ...card, ask: { ...card.ask, id: `ask${asked}` as AskId } };
  };
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    'a text by sessionWebhook': () => channel.say(chat(webhook), 'a word', 'key'),
    'a text by the API': () => channel.say(chat(), 'a word', 'key'),
    'a card': () => channel.show(anAsk(), { kind: 'chat', to: chat(webhook) }, 'key'),
    'what became of a card': async () => {
      const asked = anAsk();
      const sent = await channel.show(asked, { kind: 'chat', to: chat() }, 'key');
      const done: CardState = { state: 'done', kind: 'confirm', at: 1_760_000_000_000 };
      await channel.update({ ...asked, card: done }, sent, 'key');
    },
  };
  const CALLS: Readonly<Record<string, { readonly path: string; readonly method?: string }>> = {
    'a text by sessionWebhook': { path: '/robot/sendBySession' },
    'a text by the API': { path: '/v1.0/robot' },
    'a card': { path: '/v1.0/card' },
    'what became of a card': { path: '/v1.0/card', method: 'PUT' },
  };
  const kindOf = ({ content }: Post): string => {
    if (content.kind === 'text') return content.text === 'a word' ? 'said' : content.text;
    return JSON.stringify(content.card).includes('cardTemplate') ? 'a card' : 'an action card';
  };
  /** What came of it: what is seen in the chat last, or whether the queue tries again. */
  const become = async (act: () => Promise<unknown>): Promise<string> => {
    const before = platform.posts(group).length;
    const outcome = await refusal(act());
    if (outcome === RETRIED) return 'tried again later';
    if (outcome === NEVER) return 'given up';
    if (outcome !== 'taken') throw outcome;
    const last = platform.posts(group).slice(before).at(-1);
    return last ? kindOf(last) : 'nothing';
  };
  /** What the operator is told to do, else there is a line with the code; what was put right at once is silent. */
  const told = (code: string | number, what: RegExp | 'by a line' | 'nothing') =>
    what === 'nothing'
      ? expect(lines).toEqual([])
      : expect(lines).toContainEqual({
          level: what === 'by a line' ? 'warn' : 'error',
          event: 'dingtalk-failed',
          facts: expect.objectContaining({
            code: String(code),
            ...(what !== 'by a line' && { todo: expect.stringMatching(what) }),
          }),
        });

  const FORBIDDEN = 'Forbidden.AccessDenied.';
  const MONTH = /buy more, or wait/;
  const TOLD = expect.stringMatching(/^已执行\n于 .* 确认/);
  const WITHHELD = expect.stringContaining('did not pass');
  interface Row {
    readonly code: string | number;
    readonly becomes: string | ReturnType<typeof expect.stringContaining>;
    readonly tells: RegExp | 'by a line' | 'nothing';
    readonly status?: number;
  }
  const row = (
    code: Row['code'],
    becomes: Row['becomes'],
    tells: Row['tells'] = 'by a line',
  ): Row => ({ code, becomes, tells, ...(code === 'system.busy' && { status: 500 }) });
  const TABLE: Readonly<Record<string, readonly Row[]>> = {
    'a text by sessionWebhook': [
      row(310000, 'said', /security settings/),
      row(40035, 'said'),
      row(43004, 'said'),
      row(300001, 'said'),
      row(90002, 'said'),
      row(90018, 'said'),
      row(90020, 'said', MONTH),
      row(430101, WITHHELD),
      row(430102, WITHHELD),
      row(430104, WITHHELD),
      row(-1, 'tried again later'),
    ],
    'a text by the API': [
      row(`${FORBIDDEN}QpsLimitForAppkeyAndApi`, 'said', 'nothing'),
      row(`${FORBIDDEN}QpmLimitForAppkeyAndApi`, 'said', 'nothing'),
      row(`${FORBIDDEN}QpsLimitForApi`, 'said', 'nothing'),
      row('send.too.fast', 'said', 'nothing'),
      row('send.byToken.tooFast', 'said', 'nothing'),
      row('too.many.group', 'said', 'nothing'),
      row('too.many.people', 'said', 'nothing'),
      row(90018, 'said', 'nothing'),
      row(90002, 'said', 'nothing'),
      row('InvalidAuthentication', 'said', 'nothing'),
      row('system.busy', 'tried again later'),
      row('unknown.send.result', 'tried again later'),
      row('param.contentUnsafe', WITHHELD),
      row('contain.notAllowed.text', WITHHELD),
      row('contain.unsafe.url', WITHHELD),
      row('invalidParameter.msgKey.invalid', 'given up'),
      row('invalidParameter.msgParam.tooLong', 'given up'),
      row('invalidParameter.robotCode.auth', 'given up', /DINGTALK_ROBOT_CODE/),
      row('invalidParameter.robotCode.notExsit', 'given up', /DINGTALK_ROBOT_CODE/),
      row(`${FORBIDDEN}ApiCountLimitForOrg`, 'given up', MONTH),
      row(90020, 'given up', MONTH),
      row(`${FORBIDDEN}AccessTokenPermissionDenied`, 'given up', /grant the app the scope/),
      row(`${FORBIDDEN}IpNotInWhiteList`, 'given up', /allow-list/),
      row('group.disbanded', 'given up', /dissolved/),
      row('bot.stopped', 'given up', /switch it on/),
      row('bot.forbidden.sendMessage', 'given up', /muted/),
      row('resource.unavailable', 'given up', /switch it on/),
      row('chatbotId.notAllow.sendOTO', 'given up', /single chats/),
      row('conversation.org.notMatch', 'given up', /another organisation/),
    ],
    'a card': [
      row(`${FORBIDDEN}QpsLimitForAppkeyAndApi`, 'a card', 'nothing'),
      row('InvalidAuthentication', 'a card', 'nothing'),
      row('param.openDeliverModelEmpty', 'an action card'),
      row('outTrackId.outOfLimit', 'an action card'),
      row('param.templateUnpublished', 'an action card'),
      row('param.contentUnsafe', 'an action card'),
      row(`${FORBIDDEN}ApiCountLimitForOrg`, 'an action card', MONTH),
      row(`${FORBIDDEN}AccessTokenPermissionDenied`, 'an action card', /Card.Instance.Write/),
      row(`${FORBIDDEN}IpNotInWhiteList`, 'an action card', /allow-list/),
      row('param.userIdNotExist', 'an action card', /not in the organisation/),
      row('system.busy', 'tried again later'),
    ],
    'what became of a card': [
      row(`${FORBIDDEN}QpsLimitForAppkeyAndApi`, 'a card', 'nothing'),
      row('param.cardNotExist', TOLD),
      row('param.contentUnsafe', TOLD),
      row(`${FORBIDDEN}ApiCountLimitForOrg`, TOLD, MONTH),
      row('system.busy', 'tried again later'),
    ],
  };

  describe.each(Object.entries(TABLE))('%s', (what, rows) => {
    it.each(rows)('answered $code', async ({ code, becomes, tells, status }) => {
      const { [what]: act = expect.fail } = acts;
      const { [what]: call = { path: '' } } = CALLS;
      platform.fail({ ...call, code, times: 1, ...(status && { status }) });
      expect(await become(act)).toEqual(becomes);
      told(code, tells);
      if (becomes === 'an action card')
        expect(lines.at(-1)).toMatchObject({ event: 'dingtalk-card-refused', facts: { code } });
    });
  });

  // What the platform itself makes of it, without a switch.
  it('answers by the API when a session is over', async () => {
    const dead = { ...webhook, webhook: String(webhook['webhook']).replace(/.$/, '') };
    expect(await become(() => channel.say(chat(dead), 'a word', 'key'))).toBe('said');
    told(300001, 'by a line');
  });

  it('gives up on who is not in the organisation', async () => {
    const nobody = chat({ staff: 'nobody' }, 'cidSingle');
    expect(await become(() => channel.say(nobody, 'a word', 'key'))).toBe('given up');
    told('invalidStaffIdList', /not in the organisation/);
  });

  it('tries again later whom the platform holds messages back from', async () => {
    platform.rateLimit({ perPersonPerMinute: 0 });
    const [{ id: staff } = expect.fail()] = platform.people;
    const single = chat({ staff }, 'cidSingle');
    expect(await become(() => channel.say(single, 'a word', 'key'))).toBe('tried again later');
    told('flowControlledStaffIdList', 'by a line');
  });

  it('still shows an ask and answers when the month is used up, while a session lives', async () => {
    platform.rateLimit({ callsPerMonth: 0 });
    const show = acts['a card'] ?? expect.fail;
    expect(await become(show)).toBe('an action card');
    told(`${FORBIDDEN}ApiCountLimitForOrg`, MONTH);
    expect(await become(() => channel.say(chat(webhook), 'a word', 'key'))).toBe('said');
  });

  it('takes a fresh token, once', async () => {
    platform.fail({ path: '/v1.0/robot', code: 'InvalidAuthentication', times: 2 });
    expect(await become(() => channel.say(chat(), 'a word', 'key'))).toBe('tried again later');
  });

  it('delivers a card that an earlier try made, delivered or not', async () => {
    const ask = anAsk();
    const show = () => channel.show(ask, { kind: 'chat', to: chat(webhook) }, 'key');
    platform.failDeliveries(1);
    expect(await become(show)).toBe('an action card');
    expect(lines.at(-1)).toMatchObject({ facts: { code: 'not delivered' } });
    expect(await become(show)).toBe('a card');
    told('param.cardAlreadyExist', 'by a line');
  });
});
