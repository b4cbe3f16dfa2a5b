import { describe, expect, it } from 'vitest';
import type { Click } from '#hosts/local/standins/stand-in.ts';
import golden from '../../../fixtures/golden/dingtalk.json' with { type: 'json' };
import { DAY, openDingtalk, openWithBot, START, startBot } from './given.ts';

const PARAMS = {
  title: '需要确认',
  text_1: 'DELETE FROM orders',
  waiting: 'true',
  confirm_label: '确认执行',
  cancel_label: '取消',
  modify_label: '提交修改',
  modify_hint: '想怎么改',
  pointer: '{"a":"req_1"}',
};
const BY_KEY = { updateCardDataByKey: true, updatePrivateDataByKey: true };

const open = async (options: Parameters<typeof openWithBot>[0] = {}, more: object = {}) => {
  const opened = await openWithBot(options);
  expect(await opened.api.card('req_1', opened.ops, PARAMS, more)).toMatchObject({ status: 200 });
  const [{ id: message } = expect.fail()] = opened.dingtalk.posts(opened.ops);
  const click = (made: Partial<Click> = {}) =>
    opened.dingtalk.click({ message, by: opened.wang, value: undefined, name: 'confirm', ...made });
  const card = () => opened.cardIn(opened.ops);
  return { ...opened, message, click, card };
};

describe('a click', () => {
  it.each(golden.card_callback_sign.cases)('is signed as DingTalk signs', async (vector) => {
    const bot = await startBot();
    const secrets = { cardApiSecret: vector.apiSecret };
    const options = { callbackUrl: bot.url, secrets };
    const { dingtalk, api, ops, wang } = await openDingtalk(options, Number(vector.timestamp));
    await api.card('req_1', ops, PARAMS);
    const [{ id: message } = expect.fail()] = dingtalk.posts(ops);
    await dingtalk.click({ message, by: wang, value: undefined, name: 'confirm' });
    expect(bot.requests[0]?.headers).toMatchObject({
      'x-ddpaas-signature-timestamp': vector.timestamp,
      'x-ddpaas-signature': vector.signature,
    });
  });

  it('says who clicked what on which card, to the card’s own path', async () => {
    const { bot, dingtalk, click, wang, message } = await open();
    expect(await click()).toEqual({});
    const [{ path, body } = expect.fail()] = bot.requests;
    expect(path).toBe('/webhook/dingtalk/standin-path-secret/card');
    expect(Object.keys(body)).toEqual(Object.keys(golden.card_callback_sign.sample_request.body));
    expect({ ...body, content: JSON.parse(body.content) }).toEqual({
      type: 'actionCallback',
      outTrackId: 'req_1',
      corpId: dingtalk.environment['DINGTALK_CORP_ID'],
      userId: wang,
      content: {
        cardPrivateData: {
          actionIds: ['confirm'],
          params: { action: 'confirm', pointer: PARAMS.pointer },
        },
      },
    });
    expect(dingtalk.deliveries()).toMatchObject([
      { type: 'actionCallback', message, tries: [{ at: START, status: 200 }] },
    ]);
  });

  it('sends what was entered with the button that asks for it, and only with that', async () => {
    const { bot, click } = await open();
    await click({ name: 'modify', form: { feedback: 'only 2024' } });
    await click({ name: 'cancel', form: { feedback: 'only 2024' } });
    await click({ name: 'modify' });
    const params = bot.requests.map(
      ({ body }) => JSON.parse(body.content).cardPrivateData.params as object,
    );
    expect(params).toEqual([
      { action: 'modify', pointer: PARAMS.pointer, feedback: 'only 2024' },
      { action: 'cancel', pointer: PARAMS.pointer },
      { action: 'modify', pointer: PARAMS.pointer },
    ]);
  });

  it('names the person by the kind of id the card was made with', async () => {
    const { bot, click } = await open({}, { userIdType: 2 });
    await click();
    expect(bot.requests[0]?.body.userId).toMatch(/^standInUnion/);
  });

  it('changes the card for everybody, and for who clicked alone', async () => {
    const { bot, click, card, wang, li } = await open();
    bot.answer(() => ({
      body: {
        cardUpdateOptions: BY_KEY,
        cardData: { cardParamMap: { waiting: 'false', lines: 'done' } },
        userPrivateData: { cardParamMap: { notice: 'thanks' } },
      },
    }));
    await click();
    expect(card()).toMatchObject({
      cardParamMap: { ...PARAMS, waiting: 'false', lines: 'done' },
      privateData: { [wang]: { notice: 'thanks' } },
    });
    bot.answer(() => ({ body: { userPrivateData: { cardParamMap: { notice: 'too late' } } } }));
    await click({ by: li });
    expect(card()).toMatchObject({
      cardParamMap: { waiting: 'false' },
      privateData: { [wang]: { notice: 'thanks' }, [li]: { notice: 'too late' } },
    });
  });

  it('replaces all data where the answer does not say "by key"', async () => {
    const { bot, click, card } = await open();
    bot.answer(() => ({ body: { cardData: { cardParamMap: { title: 'alone' } } } }));
    await click();
    expect(card()['cardParamMap']).toEqual({ title: 'alone' });
  });

  it.each<[string, object, string]>([
    ['another status than 200', { status: 500 }, 'HTTP 500'],
    ['no JSON', { body: 'ok' }, 'malformed'],
    ['a list', { body: [] }, 'malformed'],
    ['a number as a value', { body: { cardData: { cardParamMap: { count: 1 } } } }, 'count'],
    [
      'a value over 1 KB',
      { body: { cardData: { cardParamMap: { a: 'x'.repeat(1025) } } } },
      '1024',
    ],
  ])('answered with %s shows an error and leaves the card', async (_, answer, error) => {
    const { bot, click, card } = await open();
    bot.answer(() => answer);
    expect((await click()).error).toContain(error);
    expect(card()['cardParamMap']).toEqual(PARAMS);
  });

  it('shows an error when the bot is late, gone, or not registered', async () => {
    const { bot, dingtalk, click } = await open({ answerWithinMs: 30 });
    bot.answer(() => undefined);
    expect((await click()).error).toContain('2 s');
    dingtalk.setCallbackUrl('http://127.0.0.1:1');
    expect((await click()).error).toContain('cannot be reached');
    const stream = await open({}, { callbackType: 'STREAM' });
    expect((await stream.click()).error).toContain('no callback address');
    expect(stream.bot.requests).toHaveLength(0);
  });

  it('goes to the address its route has now, unsigned where that has no secret', async () => {
    const { bot, api, click, dingtalk } = await open();
    const elsewhere = await startBot();
    await api.call('/card/callbacks/register', {
      callbackRouteKey: dingtalk.environment['DINGTALK_CARD_ROUTE_KEY'],
      callbackUrl: elsewhere.url,
      forceUpdate: true,
    });
    await click();
    expect(bot.requests).toHaveLength(0);
    expect(elsewhere.requests[0]?.headers).not.toHaveProperty('x-ddpaas-signature');
  });

  it('is never sent again', async () => {
    const { bot, dingtalk, click, turn } = await open({ redeliveryPausesMs: [1] });
    bot.answer(() => ({ status: 500 }));
    await click();
    turn(DAY);
    await dingtalk.tick();
    expect(bot.requests).toHaveLength(1);
  });

  it('undoes an update that came before its answer', async () => {
    const { bot, api, click, card } = await open();
    const title = (words: string) => ({
      outTrackId: 'req_1',
      cardData: { cardParamMap: { title: words } },
      cardUpdateOptions: BY_KEY,
    });
    bot.answer(async () => {
      await api.update(title('early'));
      expect(card()).toMatchObject({ cardParamMap: { title: 'early' } });
      return { body: { cardUpdateOptions: BY_KEY, cardData: { cardParamMap: { lines: 'x' } } } };
    });
    await click();
    expect(card()['cardParamMap']).toEqual({ ...PARAMS, lines: 'x' });
    bot.answer(async () => {
      await api.update(title('early'));
      return {};
    });
    await click();
    expect(card()).toMatchObject({ cardParamMap: { title: PARAMS.title } });
    await api.update(title('later'));
    bot.answer(() => ({}));
    await click();
    expect(card()).toMatchObject({ cardParamMap: { title: 'later' } });
  });

  it('from a screen that is behind is sent all the same, for the bot to answer', async () => {
    const { bot, api, click } = await open();
    const done = { outTrackId: 'req_1', cardData: { cardParamMap: { waiting: 'false' } } };
    await api.update({ ...done, cardUpdateOptions: BY_KEY });
    await click();
    expect(bot.requests).toHaveLength(1);
  });

  it('is impossible on what is not there, or not shown to that person', async () => {
    const { bot, api, dingtalk, click, data, han } = await open();
    await expect(click({ name: 'forged' })).rejects.toThrow('has no button forged');
    await api.card('req_2', data, { ...PARAMS, waiting: 'false' });
    const [{ id: message } = expect.fail()] = dingtalk.posts(data);
    await expect(click({ message })).rejects.toThrow('has no button confirm');
    await expect(click({ message, name: 'cancel', by: han })).rejects.toThrow('is not in the chat');
    await expect(click({ message: 'msgNone' })).rejects.toThrow('there is no message');
    expect(bot.requests).toHaveLength(0);
  });
});
