import { describe, expect, it } from 'vitest';
import { apiOf, DAY, HOUR, MINUTE, newFile, openDingtalk, SECOND, START } from './given.ts';

const words = { content: 'x' };

describe('tokens', () => {
  it('gives one token for two hours, which every further request prolongs', async () => {
    const { api, turn, ops } = await openDingtalk();
    const first = await api.logIn();
    expect(first).toMatchObject({ status: 200, expireIn: 7200 });
    turn(HOUR);
    expect((await api.logIn()).accessToken).toBe(first.accessToken);
    turn(2 * HOUR - 1);
    expect(await api.toGroup(ops, 'sampleText', words)).toMatchObject({ status: 200 });
    turn(1);
    expect(await api.toGroup(ops, 'sampleText', words)).toMatchObject({
      status: 400,
      code: 'InvalidAuthentication',
      message: '不合法的access_token',
      requestid: expect.stringMatching(/^[\dA-F-]{36}$/),
    });
    expect((await api.logIn()).accessToken).not.toBe(first.accessToken);
  });

  it('refuses a wrong secret, and a call without token', async () => {
    const { dingtalk, ops } = await openDingtalk();
    const stranger = apiOf(dingtalk);
    const appKey = dingtalk.environment['DINGTALK_APP_KEY'];
    expect(await stranger.call('/oauth2/accessToken', { appKey, appSecret: 'x' })).toMatchObject({
      status: 400,
      code: 'invalidClientIdOrSecret',
    });
    expect(await stranger.call('/oauth2/accessToken', 'x')).toMatchObject({ code: 'Missingbody' });
    expect(await stranger.toGroup(ops, 'sampleText', words)).toMatchObject({
      code: 'Missingx-acs-dingtalk-access-token',
    });
  });
});

describe('sending', () => {
  it('sends every kind of message to a group', async () => {
    const { api, ops, shown } = await openDingtalk();
    const head = { title: 't', text: '### x' };
    const buttons = (count: number, title: string, url: string) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          [`${title}${at + 1}`, `b${at + 1}`],
          [`${url}${at + 1}`, `https://example.com/${at + 1}`],
        ]).flat(),
      );
    const send = async (key: string, param: object) => {
      const sent = await api.toGroup(ops, key, param);
      expect(sent).toMatchObject({ status: 200, processQueryKey: expect.any(String) });
    };
    await send('sampleText', { content: 'hello' });
    await send('sampleMarkdown', head);
    await send('sampleActionCard3', { ...head, ...buttons(3, 'actionTitle', 'actionURL') });
    await send('sampleActionCard6', { ...head, ...buttons(2, 'buttonTitle', 'buttonUrl') });
    const btns = [1, 2, 3].map((at) => ({
      title: `b${at}`,
      actionURL: `https://example.com/${at}`,
    }));
    const card = (orientation: string, count: number) => ({
      kind: 'card',
      card: {
        msgtype: 'actionCard',
        actionCard: { ...head, btnOrientation: orientation, btns: btns.slice(0, count) },
      },
    });
    expect(shown(ops)).toEqual([
      { kind: 'text', text: 'hello' },
      { kind: 'card', card: { msgtype: 'markdown', markdown: head } },
      card('0', 3),
      card('1', 2),
    ]);
  });

  it('names those it could not reach, with HTTP 200 all the same', async () => {
    const { dingtalk, api, wang, li, single, shown } = await openDingtalk();
    expect(await api.toPeople([wang, 'nobody'], 'sampleText', words)).toMatchObject({
      status: 200,
      invalidStaffIdList: ['nobody'],
      flowControlledStaffIdList: [],
    });
    dingtalk.rateLimit({ perPersonPerMinute: 1 });
    expect(await api.toPeople([wang, li], 'sampleText', words)).toMatchObject({
      invalidStaffIdList: [],
      flowControlledStaffIdList: [wang],
    });
    expect(shown(single)).toHaveLength(1);
  });

  it('shows a message as often as it is sent: there is no key against repeats', async () => {
    const { api, ops, shown } = await openDingtalk();
    await api.toGroup(ops, 'sampleText', words);
    await api.toGroup(ops, 'sampleText', words);
    expect(shown(ops)).toHaveLength(2);
  });

  it.each<[string, object]>([
    ['miss.openConversationId', { openConversationId: undefined }],
    ['invalid.openConversationId', { openConversationId: 'cidStandInSingle00000001=' }],
    ['invalidParameter.robotCode.empty', { robotCode: '' }],
    ['invalidParameter.robotCode.notExsit', { robotCode: 'dingother' }],
    ['invalidParameter.msgKey.empty', { msgKey: undefined }],
    ['invalidParameter.msgKey.invalid', { msgKey: 'sampleActionCard7' }],
    ['invalidParameter.msg.unsupport', { msgKey: 'sampleFile' }],
    ['invalidParameter.msgParam.invalid', { msgParam: { content: 'not in a string' } }],
    [
      'invalidParameter.msgParam.tooLong',
      { msgParam: JSON.stringify({ content: 'x'.repeat(15_000) }) },
    ],
    ['invalidParameter.param.invalid', { msgParam: '{"text":"no content"}' }],
    ['invalidParameter.param.invalid', { msgKey: 'sampleActionCard2' }],
  ])('refuses with %s', async (code, more) => {
    const { api, ops, shown } = await openDingtalk();
    expect(await api.toGroup(ops, 'sampleText', words, more)).toMatchObject({ status: 400, code });
    expect(shown(ops)).toEqual([]);
  });

  it('takes 20 people at most, and one at least', async () => {
    const { api, wang } = await openDingtalk();
    const to = (count: number) => api.toPeople(Array(count).fill(wang), 'sampleText', words);
    expect(await to(20)).toMatchObject({ status: 200 });
    expect(await to(21)).toMatchObject({ code: 'invalidParameter.userIds.overMax' });
    expect(await to(0)).toMatchObject({ code: 'invalidParameter.userIds.empty' });
  });
});

describe('interactive cards', () => {
  const params = { title: 'Delete 3 rows?', waiting: 'true', confirm_label: 'Yes' };

  it('are delivered to a group and to people, with what everybody and what one of them sees', async () => {
    const { api, dingtalk, wang, li, ops, single, shown } = await openDingtalk();
    const created = await api.card('req_1', ops, params, {
      privateData: { [li]: { cardParamMap: { notice: 'only Li' } } },
      openSpaceId: `dtv1.card//im_group.${ops};IM_ROBOT.${wang}`,
      imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT' },
    });
    expect(created).toMatchObject({
      status: 200,
      success: true,
      result: {
        outTrackId: 'req_1',
        deliverResults: [
          { spaceType: 'IM_GROUP', spaceId: ops, success: true, carrierId: expect.any(String) },
          { spaceType: 'IM_ROBOT', spaceId: wang, success: true },
        ],
      },
    });
    expect(shown(ops)).toEqual(shown(single));
    expect(shown(ops)).toMatchObject([
      {
        kind: 'card',
        card: {
          outTrackId: 'req_1',
          cardTemplateId: dingtalk.environment['DINGTALK_CARD_TEMPLATE_ID'],
          cardParamMap: params,
          privateData: { [li]: { notice: 'only Li' } },
        },
      },
    ]);
  });

  it('call members of the group', async () => {
    const { api, dingtalk, wang, ops, shown } = await openDingtalk();
    const robotCode = dingtalk.environment['DINGTALK_ROBOT_CODE'];
    const imGroupOpenDeliverModel = { robotCode, atUserIds: { [wang]: 'Wang', nobody: 'N' } };
    await api.card('req_1', ops, params, { imGroupOpenDeliverModel });
    expect(shown(ops)).toMatchObject([{ card: { called: [wang] } }]);
  });

  it('are shown once for an outTrackId; new data for it are refused', async () => {
    const { api, ops, shown } = await openDingtalk();
    await api.card('req_1', ops, params);
    expect(await api.card('req_1', ops, { title: 'other' })).toMatchObject({
      status: 400,
      code: 'param.cardAlreadyExist',
    });
    expect(shown(ops)).toMatchObject([{ card: { cardParamMap: params } }]);
  });

  it('may exist without having been delivered, and be delivered later', async () => {
    const { dingtalk, api, ops, shown } = await openDingtalk();
    dingtalk.failDeliveries(1);
    expect((await api.card('req_1', ops, params)).result.deliverResults).toMatchObject([
      { success: false, errorMsg: 'SYSTEM_ERROR' },
    ]);
    expect(shown(ops)).toEqual([]);
    expect(await api.card('req_1', ops, params)).toMatchObject({ code: 'param.cardAlreadyExist' });
    const space = {
      openSpaceId: `dtv1.card//IM_GROUP.${ops}`,
      imGroupOpenDeliverModel: { robotCode: dingtalk.environment['DINGTALK_ROBOT_CODE'] },
    };
    const deliver = (outTrackId: string) =>
      api.call('/card/instances/deliver', { outTrackId, ...space });
    expect(await deliver('req_1')).toMatchObject({ success: true, result: [{ success: true }] });
    expect(shown(ops)).toHaveLength(1);
    expect(await deliver('req_2')).toMatchObject({ code: 'param.cardNotExist' });
  });

  it('go nowhere, with HTTP 200, where the space is not what its type says', async () => {
    const { api, wang, single, shown } = await openDingtalk();
    const space = { openSpaceId: `dtv1.card//IM_ROBOT.${single}`, imRobotOpenDeliverModel: {} };
    expect((await api.card('req_1', single, params, space)).result.deliverResults).toMatchObject([
      { success: false, errorMsg: 'spaceId is illegal' },
    ]);
    const other = { ...space, openSpaceId: `dtv1.card//IM_ROBOT.${wang}`, userIdType: 2 };
    expect((await api.card('req_2', single, params, other)).result.deliverResults).toMatchObject([
      { success: false },
    ]);
    expect(shown(single)).toEqual([]);
  });

  it.each<[string, object]>([
    ['param.outTrackIdEmpty', { outTrackId: '' }],
    ['outTrackId.outOfLimit', { outTrackId: 'x'.repeat(65) }],
    ['param.cardTemplateIdEmpty', { cardTemplateId: undefined }],
    ['param.templateNotExist', { cardTemplateId: 'other.schema' }],
    ['param.cardPublicDataEmpty', { cardData: undefined }],
    ['param.invalid', { cardData: { cardParamMap: { count: 3 } } }],
    ['param.invalid', { cardData: { cardParamMap: { text: '字'.repeat(342) } } }],
    ['param.invalid', { cardData: { cardParamMap: { ['n'.repeat(101)]: '' } } }],
    ['param.invalid', { callbackType: 'http' }],
    ['param.openSpaceIdEmpty', { openSpaceId: undefined }],
    ['param.openSpaceIdInvalid', { openSpaceId: 'IM_GROUP.cid' }],
    ['param.openDeliverModelEmpty', { imGroupOpenDeliverModel: undefined }],
    ['param.openDeliverModelError', { imGroupOpenDeliverModel: {} }],
    ['param.openDeliverModelError', { imGroupOpenDeliverModel: { robotCode: 'dingother' } }],
    ['param.invalid', { imGroupOpenDeliverModel: { robotCode: 'x', atUserIds: ['nobody'] } }],
    ['param.invalid', { imGroupOpenDeliverModel: { robotCode: 'x', atUserIds: { nobody: '' } } }],
    ['param.openSpaceModelInvalid', { imGroupOpenSpaceModel: {} }],
    ['param.userIdNotExist', { privateData: { nobody: { cardParamMap: {} } } }],
  ])('are refused with %s', async (code, more) => {
    const { api, ops, shown } = await openDingtalk();
    expect(await api.card('req_1', ops, params, more)).toMatchObject({ status: 400, code });
    expect(shown(ops)).toEqual([]);
  });

  it('lose what an update does not repeat, unless it is made key by key', async () => {
    const { api, dingtalk, cardIn, ops, li, turn } = await openDingtalk();
    await api.card('req_1', ops, params, {
      privateData: { [li]: { cardParamMap: { notice: 'a', mine: '1' } } },
    });
    turn(SECOND);
    const change = {
      outTrackId: 'req_1',
      cardData: { cardParamMap: { waiting: 'false' } },
      privateData: { [li]: { cardParamMap: { notice: 'b' } } },
    };
    const byKey = { updateCardDataByKey: true, updatePrivateDataByKey: true };
    expect(await api.update({ ...change, cardUpdateOptions: byKey })).toMatchObject({
      success: true,
      result: true,
    });
    expect(dingtalk.posts(ops)[0]?.updatedAt).toBe(START + SECOND);
    expect(cardIn(ops)).toMatchObject({
      cardParamMap: { ...params, waiting: 'false' },
      privateData: { [li]: { notice: 'b', mine: '1' } },
    });
    await api.update(change);
    const { cardParamMap, privateData } = cardIn(ops);
    expect([cardParamMap, privateData]).toEqual([{ waiting: 'false' }, { [li]: { notice: 'b' } }]);
  });

  it('are updated by an id that is there and data that are given', async () => {
    const { api } = await openDingtalk();
    const cardData = { cardParamMap: { title: 'x' } };
    expect(await api.update({ outTrackId: 'none', cardData })).toMatchObject({
      code: 'param.cardNotExist',
    });
    expect(await api.update({ outTrackId: 'none' })).toMatchObject({
      code: 'param.cardDataAndPrivateDataBothEmpty',
    });
    expect(await api.update({ cardData })).toMatchObject({ code: 'param.outTrackIdEmpty' });
  });

  it('are not for a bot without a template', async () => {
    const { dingtalk } = await openDingtalk({ cards: 'action' });
    for (const name of ['TEMPLATE_ID', 'ROUTE_KEY', 'API_SECRET'])
      expect(dingtalk.environment).not.toHaveProperty(`DINGTALK_CARD_${name}`);
  });
});

it('keeps the address of a route until it is forced to take another', async () => {
  const { api } = await openDingtalk();
  const register = (callbackUrl: unknown, forceUpdate: boolean) =>
    api.call('/card/callbacks/register', {
      callbackRouteKey: 'mine',
      callbackUrl,
      apiSecret: 's',
      forceUpdate,
    });
  const [a, b] = ['https://a.example/card', 'https://b.example/card'];
  expect(await register(a, false)).toMatchObject({ result: { callbackUrl: a, apiSecret: 's' } });
  expect(await register(b, false)).toMatchObject({ result: { callbackUrl: a } });
  expect(await register(b, true)).toMatchObject({ result: { callbackUrl: b } });
  expect(await register('nowhere', true)).toMatchObject({ code: 'param.callbackUrlEmpty' });
  expect(await api.call('/card/callbacks/register', {})).toMatchObject({
    code: 'param.callbackRouteKeyEmpty',
  });
});

describe('limits and faults', () => {
  it('takes twenty calls a second of one API', async () => {
    const { api, ops, li, turn } = await openDingtalk();
    const send = () => api.toGroup(ops, 'sampleText', words);
    for (let count = 0; count < 20; count += 1) expect((await send()).status).toBe(200);
    expect(await send()).toMatchObject({
      status: 403,
      code: 'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi',
    });
    expect(await api.toPeople([li], 'sampleText', words)).toMatchObject({ status: 200 });
    turn(SECOND);
    expect((await send()).status).toBe(200);
  });

  it('has a month’s quota when asked to, which tokens and sessions do not use up', async () => {
    const { dingtalk, api, ops, pass } = await openDingtalk();
    dingtalk.rateLimit({ callsPerMonth: 2 });
    const send = () => api.toGroup(ops, 'sampleText', words);
    await send();
    await api.logIn();
    await send();
    const refused = { status: 403, code: 'Forbidden.AccessDenied.ApiCountLimitForOrg' };
    expect(await send()).toMatchObject(refused);
    // In Beijing November ends at 16:00 UTC.
    await pass(12 * DAY + 7 * HOUR - 1);
    expect(await send()).toMatchObject(refused);
    await pass(1);
    expect(await send()).toMatchObject({ status: 200 });
  });

  it('fails the calls it is told to, on either host', async () => {
    const { dingtalk, api, ops, li, shown } = await openDingtalk();
    dingtalk.fail({ path: '/v1.0/robot/group', code: 'system.busy', status: 500, times: 1 });
    dingtalk.fail({ path: '/robot/sendBySession', code: 130101, times: 1 });
    expect(await api.toPeople([li], 'sampleText', words)).toMatchObject({ status: 200 });
    expect(await api.toGroup(ops, 'sampleText', words)).toMatchObject({
      status: 500,
      code: 'system.busy',
    });
    expect(shown(ops)).toEqual([]);
    const old = `${dingtalk.environment['DINGTALK_OAPI_BASE_URL']}/robot/sendBySession?session=x`;
    expect(await api.session(old, {})).toMatchObject({ status: 200, errcode: 130101 });
    expect(await api.session(old, {})).toMatchObject({ errcode: 300001 });
  });

  it('carries a call out and loses its answer', async () => {
    const { dingtalk, api, ops, shown } = await openDingtalk();
    dingtalk.fail({ code: 'system.busy', status: 502, times: 1, afterwards: true });
    expect(await api.card('req_1', ops, {})).toMatchObject({ status: 502 });
    expect(await api.card('req_1', ops, {})).toMatchObject({ code: 'param.cardAlreadyExist' });
    expect(shown(ops)).toHaveLength(1);
  });

  it('answers late when asked to, and stops all the same', async () => {
    const { dingtalk, api, ops } = await openDingtalk();
    dingtalk.fail({ times: 1, delayMs: HOUR });
    const waiting = expect(api.toGroup(ops, 'sampleText', words)).rejects.toThrow('fetch failed');
    await dingtalk.stop();
    await waiting;
  });
});

it('has the same chats, cards, routes and sessions after a restart', async () => {
  const stateFile = newFile();
  const first = await openDingtalk({ stateFile, callbackUrl: 'http://127.0.0.1:1' });
  const { api, ops, wang } = first;
  await api.card('req_1', ops, { title: 'x' });
  await api.toGroup(ops, 'sampleText', words);
  await first.dingtalk.write({ chat: ops, from: wang, text: 'hi', mention: true });
  await first.dingtalk.settled();
  const posts = first.dingtalk.posts(ops);
  const { sessionWebhook } = JSON.parse(first.dingtalk.deliveries()[0]?.payload ?? '');
  await first.dingtalk.stop();
  const later = await openDingtalk({ stateFile });
  expect(later.dingtalk.posts(ops)).toEqual(posts);
  expect(await later.api.card('req_1', ops, {})).toMatchObject({ code: 'param.cardAlreadyExist' });
  const { search } = new URL(sessionWebhook);
  const moved = `${later.dingtalk.environment['DINGTALK_OAPI_BASE_URL']}/robot/sendBySession${search}`;
  const text = { msgtype: 'text', text: { content: 'late' } };
  expect(await later.api.session(moved, text)).toMatchObject({ errcode: 0 });
  later.turn(90 * MINUTE);
  expect(await later.api.session(moved, text)).toMatchObject({ errcode: 300001 });
});
