import { describe, expect, it } from 'vitest';
import { createDingtalkWebhook } from '#channels/dingtalk/webhook.ts';
import { type AskId, askCode } from '#domain/ids.ts';
import type { InboundDecision, InboundMessage } from '#domain/inbound.ts';
import type { WebhookRequest } from '#ports/channel.ts';
import {
  ANN,
  APP,
  CARD_SECRET,
  cardEnvironment,
  cardHeaders,
  cardRequest,
  click,
  environment,
  message,
  NOW,
  OAPI,
  PATH,
  PATH_SECRET,
  pointer,
  recordingLog,
  requestOf,
  robotHeaders,
  robotRequest,
  SECRET,
  SESSION,
  task,
  view,
} from './given.ts';

const build = (more: Record<string, string | undefined> = {}) => {
  const { log, lines } = recordingLog();
  const webhook = createDingtalkWebhook({
    environment: { ...environment, ...cardEnvironment, ...more },
    language: 'zh-CN',
    log,
  });
  const receive = (request: WebhookRequest, now = NOW) => webhook.receive(request, now);
  return { webhook, receive, lines };
};
const inboundOf = async (request: WebhookRequest) => {
  const received = await build().receive(request);
  if (received.kind !== 'received') throw new Error(JSON.stringify(received));
  return received.inbound[0];
};
const messageOf = async (more: object) =>
  (await inboundOf(robotRequest(message(more)))) as InboundMessage;

describe('settings', () => {
  it.each([...Object.keys(environment), 'DINGTALK_CARD_API_SECRET'])(
    'names %s when it is missing',
    (name) => {
      expect(() => build({ [name]: undefined })).toThrow(name);
    },
  );

  it('names an address that is none', () => {
    expect(() => build({ DINGTALK_OAPI_BASE_URL: 'oapi' })).toThrow(/DINGTALK_OAPI_BASE_URL/);
  });

  it('takes old and new secrets alike while they are rotated', async () => {
    const { receive } = build({
      DINGTALK_APP_SECRET: `new-secret,${SECRET}`,
      DINGTALK_PATH_SECRET: `new-path, ${PATH_SECRET}`,
      DINGTALK_CARD_API_SECRET: `new-card,${CARD_SECRET}`,
    });
    const kindOf = async (request: WebhookRequest) => (await receive(request)).kind;
    expect(await kindOf(robotRequest(message()))).toBe('received');
    const renewed = robotHeaders(NOW, 'new-secret');
    expect(await kindOf(requestOf('/webhook/dingtalk/new-path', renewed, message()))).toBe(
      'received',
    );
    const clicked = click({ action: 'confirm', pointer: pointer() });
    const headers = cardHeaders(NOW, 'new-card');
    expect(await kindOf(requestOf(`${PATH}/card`, headers, clicked))).toBe('received');
  });
});

describe('a request that is refused leaves one line that says why, and nothing else', () => {
  const good = message();
  const clicked = click({ action: 'confirm', pointer: pointer() });
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const hour = 3_600_000;
  const cases: [string, WebhookRequest, number, RegExp][] = [
    ['unsigned', requestOf(PATH, {}, good), 401, /not signed/],
    [
      'wrongly signed',
      requestOf(PATH, { ...robotHeaders(), sign: robotHeaders(NOW, 'x').sign }, good),
      401,
      /wrong signature/,
    ],
    [
      'signed for another time',
      requestOf(PATH, { ...robotHeaders(), timestamp: String(NOW + 1) }, good),
      401,
      /wrong signature/,
    ],
    [
      'signed with a short signature',
      requestOf(PATH, { ...robotHeaders(), sign: 'ab' }, good),
      401,
      /wrong signature/,
    ],
    [
      'signed more than an hour ago',
      requestOf(PATH, robotHeaders(NOW - hour - 1), good),
      401,
      /too long ago/,
    ],
    [
      'signed more than an hour ahead',
      requestOf(PATH, robotHeaders(NOW + hour + 1), good),
      401,
      /too long ago/,
    ],
    [
      'under a wrong path secret',
      requestOf('/webhook/dingtalk/wrong', robotHeaders(), good),
      401,
      /path/,
    ],
    ['under no path secret', requestOf('/webhook/dingtalk', robotHeaders(), good), 401, /path/],
    ['under a longer path', requestOf(`${PATH}/card/more`, robotHeaders(), good), 401, /path/],
    ['a click that is unsigned', requestOf(`${PATH}/card`, {}, clicked), 401, /not signed/],
    [
      'a click with the signature of a message',
      requestOf(`${PATH}/card`, robotHeaders(), clicked),
      401,
      /not signed/,
    ],
    [
      'a message with the signature of a click',
      requestOf(PATH, cardHeaders(), good),
      401,
      /not signed/,
    ],
    [
      'a click that is wrongly signed',
      requestOf(`${PATH}/card`, cardHeaders(NOW, 'x'), clicked),
      401,
      /wrong signature/,
    ],
    [
      'a click of six minutes ago',
      requestOf(`${PATH}/card`, cardHeaders(NOW - 360_000), clicked),
      401,
      /too long ago/,
    ],
    [
      'a click at no time',
      requestOf(`${PATH}/card`, cardHeaders('soon'), clicked),
      401,
      /too long ago/,
    ],
    [
      'a click under a wrong path secret',
      requestOf('/webhook/dingtalk/wrong/card', cardHeaders(), clicked),
      401,
      /path/,
    ],
    ['not JSON', robotRequest('{"msgId":'), 400, /not JSON/],
    ['not UTF-8', robotRequest(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), 400, /not JSON/],
    ['a list', robotRequest('[]'), 400, /not a JSON object/],
    ['deeply nested', robotRequest(`{"a":${deep}}`), 400, /deeper/],
    ['over 1 MB', robotRequest(`{"a":"${'A'.repeat(1024 * 1024)}"}`), 413, /1 MB/],
    ['of a wrong shape', robotRequest(message({ conversationId: 7 })), 400, /shape/],
    ['with no id', robotRequest(message({ msgId: '' })), 400, /shape/],
    ['with no time', robotRequest(message({ createAt: 'soon' })), 400, /shape/],
    ['with no text', robotRequest(message({ text: null })), 400, /shape/],
    ['a click by nobody', cardRequest({ ...clicked, userId: '' }), 400, /shape/],
    ['a click with no content', cardRequest({ ...clicked, content: null }), 400, /shape/],
    ['a click whose content is no JSON', cardRequest({ ...clicked, content: '{' }), 400, /shape/],
  ];

  it.each(cases)('%s', async (_, request, status, why) => {
    const { receive, lines } = build();
    expect(await receive(request)).toEqual({ kind: 'answered', answer: { status, body: {} } });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.facts['why']).toMatch(why);
    expect(JSON.stringify(lines)).not.toMatch(
      new RegExp(`${SECRET}|${CARD_SECRET}|${PATH_SECRET}|你好`),
    );
  });

  it('a click while no interactive cards are configured', async () => {
    const none = Object.fromEntries(Object.keys(cardEnvironment).map((name) => [name, undefined]));
    const { receive } = build(none);
    expect(await receive(cardRequest(clicked))).toMatchObject({ answer: { status: 401 } });
  });

  it('takes what is at the edge of its time, and a click whose time is in seconds', async () => {
    const { receive } = build();
    const edge = requestOf(PATH, robotHeaders(NOW - hour), good);
    expect((await receive(edge)).kind).toBe('received');
    const seconds = requestOf(`${PATH}/card`, cardHeaders(NOW / 1000), clicked);
    expect((await receive(seconds)).kind).toBe('received');
  });
});

describe('a request that starts nothing', () => {
  it.each([
    ['a message for another robot', robotRequest(message({ robotCode: 'x' })), /ROBOT_CODE/],
    ['a message of another organisation', robotRequest(message({ chatbotCorpId: 'x' })), /CORP_ID/],
    [
      'a click of another organisation',
      cardRequest(click({ action: 'confirm', pointer: pointer() }, { corpId: 'x' })),
      /CORP_ID/,
    ],
    ['a button of somebody else', cardRequest(click({ action: 'confirm' })), /not ours/],
    [
      'a button for a session of another app',
      cardRequest(click({ action: 'confirm', pointer: pointer({ s: 'dingtalk:other:c' }) })),
      /not ours/,
    ],
    [
      'a button with a number of tasks that cannot be',
      cardRequest(click({ action: 'confirm', pointer: pointer({ n: 1e9 }) })),
      /not ours/,
    ],
    [
      'a button that points at the ask of another card',
      cardRequest(click({ action: 'confirm', pointer: pointer({ a: 'another' }) })),
      /another card/,
    ],
    ['an unknown action', cardRequest(click({ action: 'x', pointer: pointer() })), /not ours/],
  ])('%s is answered 200 {} with a line', async (_, request, why) => {
    const { receive, lines } = build();
    expect(await receive(request)).toEqual({ kind: 'answered', answer: { status: 200, body: {} } });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.facts['why']).toMatch(why);
  });

  it('a message whose content was held back for the quota is answered in words', async () => {
    const { receive, lines } = build();
    const held = { text: undefined, errorCode: 20001, errorMessage: 'quota' };
    expect(await receive(robotRequest(message(held)))).toMatchObject({
      answer: {
        status: 200,
        body: { msgtype: 'text', text: { content: expect.stringMatching(/额度已用完/) } },
      },
    });
    expect(lines).toMatchObject([{ level: 'error', event: 'dingtalk-quota' }]);
    const written = robotRequest(message({ ...held, errorCode: '20001' }));
    expect(await receive(written)).toMatchObject({ answer: { body: { msgtype: 'text' } } });
  });

  it.each([undefined, null, ''])(
    'a message by somebody whose id is %j is answered in words',
    async (senderStaffId) => {
      const { receive, lines } = build();
      expect(await receive(robotRequest(message({ senderStaffId })))).toMatchObject({
        answer: {
          status: 200,
          body: { text: { content: expect.stringMatching(/无法确认你的身份/) } },
        },
      });
      expect(lines[0]?.facts['why']).toContain('senderStaffId');
    },
  );
});

describe('a message', () => {
  it('becomes our own', async () => {
    expect(await messageOf({})).toEqual({
      type: 'message',
      id: 'msgGolden0001==',
      from: ANN,
      bot: false,
      to: {
        channel: 'dingtalk',
        app: APP,
        chat: 'cidGolden0001==',
        group: true,
        own: {
          webhook: 'https://oapi.dingtalk.com/robot/sendBySession?session=golden0001',
          until: 1760005400000,
        },
      },
      text: '你好',
      sentAt: NOW,
      mentions: ['$:LWCP_v1:$botGolden'],
      mentionsSomeBot: true,
    });
  });

  it('in a single chat keeps whom to answer once its address has died', async () => {
    const { to, mentionsSomeBot } = await messageOf({ conversationType: '1' });
    expect(to).toMatchObject({ group: false, own: { staff: '452523285939877041' } });
    expect(mentionsSomeBot).toBe(false);
  });

  it.each([
    'https://evil.example/robot/sendBySession?session=1',
    'https://oapi.dingtalk.com.evil.example/x',
    'https://oapi.dingtalk.com@evil.example/x',
    'https://oapi.dingtalk.com/robot/send?access_token=evil',
    'https://oapi.dingtalk.com/robot/sendBySession/../send?access_token=evil',
    'https://oapi.dingtalk.com/robot/sendBySession/?session=1',
    'https://u:p@oapi.dingtalk.com/robot/sendBySession?session=1',
    'https://u@oapi.dingtalk.com/robot/sendBySession?session=1',
    'http://oapi.dingtalk.com/robot/sendBySession?session=1',
    'https://oapi.dingtalk.com:8443/robot/sendBySession',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'not an address',
    '',
  ])('brings no address anywhere else: %s', async (sessionWebhook) => {
    expect((await messageOf({ sessionWebhook })).to).not.toHaveProperty('own');
  });

  it('may be answered on the host that is configured, port and all', async () => {
    const { receive } = build({ DINGTALK_OAPI_BASE_URL: 'http://127.0.0.1:8123' });
    const path = '/robot/sendBySession?session=1';
    const ownOf = async (sessionWebhook: string) => {
      const received = await receive(robotRequest(message({ sessionWebhook })));
      const [inbound] = received.kind === 'received' ? received.inbound : [];
      return inbound?.type === 'message' ? inbound.to.own : undefined;
    };
    expect(await ownOf(`http://127.0.0.1:8123${path}`)).toMatchObject({ until: 1760005400000 });
    expect(await ownOf(`http://127.0.0.1:8124${path}`)).toBeUndefined();
    expect(await ownOf(`${OAPI}${path}`)).toBeUndefined();
  });

  it.each([
    ['as a text', { createAt: '1760000000000' }, { sentAt: NOW }],
    ['of a group by number', { conversationType: 2 }, { to: { group: true } }],
    ['with its text on top', { text: undefined, content: ' hi ' }, { text: 'hi' }],
    ['that does not mention the robot', { isInAtList: false }, { mentionsSomeBot: false }],
  ])('is read %s', async (_, given, read) => {
    expect(await messageOf(given)).toMatchObject(read);
  });

  it('by the robot itself is marked', async () => {
    expect(await messageOf({ senderId: '$:LWCP_v1:$botGolden', senderStaffId: '' })).toMatchObject({
      bot: true,
    });
  });

  it('of rich text is its text, pictures named', async () => {
    const content = { richText: [{ text: '看 ' }, { type: 'picture', downloadCode: 'c' }] };
    const read = await messageOf({ msgtype: 'richText', text: undefined, content });
    expect(read.text).toBe('看 [picture]');
    expect(read).not.toHaveProperty('unreadable');
  });

  it.each([
    [[{ type: 'picture', downloadCode: 'c' }]],
    [[{ text: ' \n' }, { type: 'picture', downloadCode: 'c' }]],
  ])('of rich text that holds no word is marked: %j', async (richText) => {
    expect(
      await messageOf({ msgtype: 'richText', text: undefined, content: { richText } }),
    ).toMatchObject({ text: '[picture]', unreadable: true });
  });

  it.each([
    ['picture', { downloadCode: 'c' }, '[picture]'],
    ['audio', { duration: 3, recognition: '确认' }, '[audio]'],
    ['file', { fileName: 'a.pdf', downloadCode: 'c' }, '[file: a.pdf]'],
    ['interactiveCard', undefined, '[interactiveCard]'],
  ])('that is a %s is named in brackets and marked', async (msgtype, content, text) => {
    expect(await messageOf({ msgtype, text: undefined, content })).toMatchObject({
      text,
      unreadable: true,
    });
  });

  it('that a button sent names its card', async () => {
    const code = askCode('aQ3r' as AskId);
    expect(await messageOf({ text: { content: ` 确认${code} ` } })).toMatchObject({
      text: `确认${code}`,
      parent: code,
    });
    expect(await messageOf({ text: { content: '确认' } })).not.toHaveProperty('parent');
  });
});

describe('a click', () => {
  const decisionOf = async (body: object) =>
    (await inboundOf(cardRequest(body))) as InboundDecision;

  it.each(['confirm', 'cancel'])('on %s names its ask, by the one who clicked', async (action) => {
    expect(await decisionOf(click({ action, pointer: pointer() }))).toEqual({
      type: 'decision',
      id: expect.stringMatching(/^[\w-]{40}$/),
      session: SESSION,
      ask: 'aQ3r',
      binding: 'bind',
      by: ANN,
      kind: action,
      tasks: 3,
      form: false,
    });
  });

  it('that comes again is the same decision, and any other is another', async () => {
    const idOf = async (params: object, more?: object) =>
      (await decisionOf(click({ pointer: pointer(), ...params }, more))).id;
    const first = await idOf({ action: 'confirm' });
    expect(await idOf({ action: 'confirm' })).toBe(first);
    expect(await idOf({ action: 'cancel' })).not.toBe(first);
    expect(await idOf({ action: 'confirm' }, { userId: '2' })).not.toBe(first);
    expect(await idOf({ action: 'confirm' }, { outTrackId: 'aQ3r-2' })).not.toBe(first);
  });

  it('on changes carries the text', async () => {
    const params = { action: 'modify', pointer: pointer(), feedback: ' only 3 rows ' };
    expect(await decisionOf(click(params))).toMatchObject({
      kind: 'modify',
      text: 'only 3 rows',
      form: true,
    });
  });

  it('on changes with no text decides nothing, and only who clicked is told', async () => {
    const received = await build().receive(
      cardRequest(click({ action: 'modify', pointer: pointer(), feedback: ' ' })),
    );
    expect(received).toMatchObject({
      kind: 'answered',
      answer: {
        body: { userPrivateData: { cardParamMap: { notice: expect.stringMatching(/怎么修改/) } } },
      },
    });
    expect(JSON.stringify(received)).not.toContain('"cardData"');
  });

  it('is read in its older shape too', async () => {
    const params = { action: 'cancel', pointer: pointer() };
    const value = JSON.stringify({ cardPrivateData: { actionIds: ['b'] }, params });
    const older = { ...click({}), type: undefined, content: undefined, value };
    expect(await decisionOf(older)).toMatchObject({ kind: 'cancel', ask: 'aQ3r' });
  });
});

describe('the answer', () => {
  const { webhook } = build();

  it('to a message is that there is none yet', () => {
    expect(webhook.answer([undefined])).toEqual({ status: 200, body: { msgtype: 'empty' } });
  });

  it('to a click that won shows the decided card to everybody', () => {
    const decided = view([task({ a: 1 })], {
      card: { state: 'running', kind: 'confirm', by: ANN, at: NOW },
    });
    const { status, body } = webhook.answer([{ kind: 'claimed', view: decided, text: '已确认' }]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      cardUpdateOptions: { updateCardDataByKey: true, updatePrivateDataByKey: true },
      cardData: { cardParamMap: { title: '已确认，正在执行', waiting: 'false', hint: '' } },
      userPrivateData: { cardParamMap: { notice: '已确认' } },
    });
  });

  it('to a click that won, where the view would take another read, tells who clicked', () => {
    const { body } = webhook.answer([{ kind: 'claimed', view: undefined, text: '已确认' }]);
    expect(body).not.toHaveProperty('cardData');
    expect(body).toMatchObject({ userPrivateData: { cardParamMap: { notice: '已确认' } } });
  });

  it('to a click that lost changes nothing for anybody else', () => {
    const { body } = webhook.answer([{ kind: 'refused', text: '你不能决定' }]);
    expect(body).not.toHaveProperty('cardData');
    expect(body).toMatchObject({ userPrivateData: { cardParamMap: { notice: '你不能决定' } } });
  });
});
