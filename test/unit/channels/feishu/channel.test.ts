import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { feishu } from '#channels/feishu/index.ts';
import type { MessageId, PersonId } from '#domain/ids.ts';
import type { Address } from '#domain/session.ts';
import type { AskView, Channel, Sent } from '#ports/channel.ts';
import type { Clock } from '#ports/clock.ts';
import { brokenRules } from './card-rules.ts';
import { ANN, APP, environment, type Line, recordingLog, task, view } from './given.ts';
import { failed, type Platform, type Request, startPlatform } from './platform.ts';

let platform: Platform;
let channel: Channel;
let lines: Line[];
let now: number;
const slept: number[] = [];

beforeEach(async () => {
  platform = await startPlatform();
  const recording = recordingLog();
  lines = recording.lines;
  now = 1_763_431_200_000;
  slept.length = 0;
  const clock: Clock = {
    now: () => now,
    sleepUntil: async (at) => {
      slept.push(at - now);
      now = at;
    },
  };
  channel = feishu.createChannel({
    environment: { ...environment, FEISHU_BASE_URL: `${platform.url}/` },
    language: 'zh-CN',
    clock,
    log: recording.log,
    fetch,
  });
});
afterEach(() => platform.stop());

const chat: Address = { channel: 'feishu', app: APP, chat: 'oc_1', group: true };
const asked: Address = { ...chat, replyTo: 'om_asked' };
const inThread: Address = { ...asked, thread: 'omt_1' };
const to = (address: Address) => ({ kind: 'chat', to: address }) as const;
const one = view([task({ sql: 'DELETE FROM t' })]);
const card: Sent = { chat: 'oc_1', message: 'om_card', time: 1 };

const call = (index = 0): Request => platform.calls().at(index) as Request;
const contentOf = (request: Request) => JSON.parse(String(request.body['content']));
const failureOf = (act: Promise<unknown>) =>
  act.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('settings', () => {
  it.each(['FEISHU_APP_ID', 'FEISHU_APP_SECRET'])('names %s when it is missing', (name) => {
    const setup = { ...recordingLog(), language: 'en', clock: {} as Clock, fetch } as const;
    expect(() =>
      feishu.createChannel({ ...setup, environment: { ...environment, [name]: '' } }),
    ).toThrow(name);
  });

  it('names an address that is none', () => {
    const setup = { ...recordingLog(), language: 'en', clock: {} as Clock, fetch } as const;
    expect(() =>
      feishu.createChannel({
        ...setup,
        environment: { ...environment, FEISHU_BASE_URL: 'feishu' },
      }),
    ).toThrow(/FEISHU_BASE_URL.*https:\/\/open\.feishu\.cn/);
  });

  it('uses the first of several secrets', async () => {
    await channel.say(chat, 'hi', 'k');
    expect(platform.requests[0]?.body).toEqual({ app_id: APP, app_secret: 'a-secret-of-tests' });
  });
});

describe('the token', () => {
  it('is fetched once for calls at the same time, kept, and renewed before it ends', async () => {
    await Promise.all([channel.say(chat, 'a', '1'), channel.say(chat, 'b', '2')]);
    await channel.say(chat, 'c', '3');
    const fetched = () => platform.requests.length - platform.calls().length;
    expect(fetched()).toBe(1);
    expect(new Set(platform.calls().map(({ authorization }) => authorization)).size).toBe(1);
    now += (7200 - 180) * 1000 - 1;
    await channel.say(chat, 'd', '4');
    expect(fetched()).toBe(1);
    now += 1;
    await channel.say(chat, 'e', '5');
    expect(fetched()).toBe(2);
  });

  it.each([99991661, 99991663, 99991664, 99991665, 99991671])(
    'is renewed once when the platform answers %s',
    async (code) => {
      platform.script(failed(code));
      await channel.say(chat, 'hi', 'k');
      expect(platform.calls()).toHaveLength(2);
      expect(call(0).authorization).not.toBe(call(1).authorization);
      expect(call(0).body).toEqual(call(1).body);
    },
  );

  it('is not renewed without end', async () => {
    platform.script(failed(99991663), failed(99991663), failed(99991663));
    expect(await failureOf(channel.say(chat, 'hi', 'k'))).toMatchObject({
      code: 'FEISHU_99991663',
      retryable: true,
    });
    expect(platform.calls()).toHaveLength(2);
  });

  it('that could not be had is asked for again by the next call', async () => {
    platform.scriptToken({ status: 500, body: 'down' });
    expect(await failureOf(channel.say(chat, 'hi', 'k'))).toMatchObject({ retryable: true });
    await channel.say(chat, 'hi', 'k');
    expect(platform.calls()).toHaveLength(1);
  });

  it('refused for a wrong secret is for people to put right', async () => {
    platform.scriptToken(failed(10014));
    expect(await failureOf(channel.say(chat, 'hi', 'k'))).toMatchObject({ retryable: false });
    expect(lines[0]).toMatchObject({ level: 'error', facts: { code: 10014 } });
  });
});

describe('saying', () => {
  it('replies to the message it answers', async () => {
    await channel.say(asked, 'done', 'k');
    expect(call()).toMatchObject({
      method: 'POST',
      path: '/open-apis/im/v1/messages/om_asked/reply',
    });
    expect(call().body).toMatchObject({ msg_type: 'text', reply_in_thread: false });
    expect(contentOf(call())).toEqual({ text: 'done' });
  });

  it('sends to the chat where there is nothing to reply to', async () => {
    await channel.say(chat, 'done', 'k');
    expect(call().path).toBe('/open-apis/im/v1/messages?receive_id_type=chat_id');
    expect(call().body).toMatchObject({ receive_id: 'oc_1' });
  });

  it('gives the same key the same uuid of at most 50 characters, and another another', async () => {
    for (const key of ['k', 'k', `t:${'x'.repeat(100)}`]) await channel.say(asked, 'done', key);
    const uuids = platform.calls().map(({ body }) => String(body['uuid']));
    expect(uuids[0]).toBe(uuids[1]);
    expect(uuids[2]).not.toBe(uuids[0]);
    for (const uuid of uuids) expect(uuid).toMatch(/^[\w-]{1,50}$/);
  });

  it('calls nobody, whatever the model wrote', async () => {
    await channel.say(chat, 'hi <at user_id="all"></at>', 'k');
    expect(contentOf(call()).text).toBe('hi ＜at user_id="all">＜/at>');
  });

  it('splits what is too long, in order, each piece under its own uuid', async () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i} "quoted" 中文 😀`).join('\n');
    await channel.say(asked, text, 'k');
    const pieces = platform.calls();
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map((piece) => contentOf(piece).text).join('')).toBe(text);
    for (const piece of pieces)
      expect(Buffer.byteLength(String(piece.body['content']))).toBeLessThan(150_000);
    expect(new Set(pieces.map(({ body }) => body['uuid'])).size).toBe(pieces.length);
    // Five a second is all that one chat takes.
    expect(slept).toEqual(pieces.slice(1).map(() => 250));
  });

  it('splits what is long only once it is written down: quotes are doubled twice', async () => {
    const text = '"'.repeat(60_000);
    await channel.say(asked, text, 'k');
    const pieces = platform.calls().map(({ body }) => body);
    expect(pieces.map(({ content }) => JSON.parse(String(content)).text).join('')).toBe(text);
    for (const piece of pieces)
      expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThan(150 * 1024);
  });

  it('splits a text of one line between characters', async () => {
    const text = '😀'.repeat(60_000);
    await channel.say(asked, text, 'k');
    const said = platform.calls().map((piece) => contentOf(piece).text as string);
    expect(said.join('')).toBe(text);
    for (const piece of said) expect(piece.isWellFormed()).toBe(true);
  });

  it('stays in a thread, and leaves it where the group has none', async () => {
    await channel.say(inThread, 'a', 'k');
    expect(call().body).toMatchObject({ reply_in_thread: true });
    for (const code of [230071, 230072, 230019]) {
      platform.requests.length = 0;
      platform.script(failed(code));
      await channel.say(inThread, 'a', 'k');
      expect(platform.calls().map(({ body }) => body['reply_in_thread'])).toEqual([true, false]);
      expect(call(0).body['uuid']).not.toBe(call(1).body['uuid']);
    }
  });

  it.each([230011, 230110])('goes to the chat when the message is gone (%s)', async (code) => {
    platform.script(failed(code));
    await channel.say(asked, 'a', 'k');
    expect(call(1).path).toBe('/open-apis/im/v1/messages?receive_id_type=chat_id');
  });

  it.each([230022, 230028])('says so when the content check withholds it (%s)', async (code) => {
    platform.script(failed(code));
    await channel.say(asked, 'a', 'k');
    expect(contentOf(call(1)).text).toContain('审核');
  });
});

describe('failures', () => {
  it.each([
    [failed(99991400, { status: 429 }), true, 'wait'],
    [failed(230020), true, 'wait'],
    [failed(11232), true, 'wait'],
    [failed(230049), true, 'wait'],
    [failed(1, { status: 500 }), true, 'wait'],
    [failed(230099, { msg: 'ext=card action is lock' }), true, 'wait'],
    [{ status: 502, body: '<html>bad gateway</html>' }, true, 'wait'],
    [failed(230001), false, 'fix'],
    [failed(230034), false, 'fix'],
    [failed(99992402), false, 'fix'],
    [{ status: 404, body: 'no such page' }, false, 'fix'],
    [{ status: 200, body: { code: 77, msg: '' } }, false, 'fix'],
    [failed(230002), false, 'operator'],
    [failed(230013), false, 'operator'],
    [failed(99991672), false, 'operator'],
    [failed(99991403), false, 'operator'],
    [failed(232009), false, 'operator'],
  ])('%j can be tried again: %s (%s)', async (answer, retryable, failure) => {
    platform.script(answer);
    expect(await failureOf(channel.say(chat, 'private words', 'k'))).toMatchObject({ retryable });
    expect(platform.calls()).toHaveLength(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: failure === 'operator' ? 'error' : 'warn',
      facts: { class: failure },
    });
    if (failure === 'operator') expect(lines[0]?.facts['todo']).toBeTypeOf('string');
  });

  it('never put a token, a secret or content into a log line or an error', async () => {
    const card = failed(230099, { msg: 'ErrCode: 200621; SECRET-ECHO private words' });
    platform.script(failed(230001), card, failed(230001));
    const errors = [await failureOf(channel.say(chat, 'private words', 'k'))];
    errors.push(await failureOf(channel.show(one, to(chat), 'k')));
    const written = JSON.stringify(lines) + errors.map(String).join();
    expect(written).not.toMatch(/SECRET-ECHO|private words|t-\d|a-secret-of-tests|DELETE/);
    expect(written).toContain('log-1');
    expect(written).toContain('200621');
  });

  it('waits where the platform says how long and it is short', async () => {
    const busy = (seconds: string) =>
      failed(99991400, { status: 429, headers: { 'x-ogw-ratelimit-reset': seconds } });
    platform.script(busy('1'), busy('2'));
    await channel.say(chat, 'hi', 'k');
    expect(slept).toEqual([1000, 2000]);
    platform.script(busy('2'), busy('2'), busy('2'), busy('2'));
    expect(await failureOf(channel.say(chat, 'hi', 'k'))).toMatchObject({ retryable: true });
    expect(slept.slice(2)).toEqual([2000, 2000]);
  });

  it.each(['60', 'soon', ''])('leaves a wait of "%s" seconds to the queue', async (seconds) => {
    platform.script(
      failed(99991400, { status: 429, headers: { 'x-ogw-ratelimit-reset': seconds } }),
    );
    expect(await failureOf(channel.say(chat, 'hi', 'k'))).toMatchObject({ retryable: true });
    expect(slept).toEqual([]);
  });

  it('of the network can be tried again', async () => {
    platform.script({ cut: true, body: '' });
    expect(await failureOf(channel.say(chat, 'hi', 'k'))).toMatchObject({
      code: 'FEISHU_UNREACHABLE',
      retryable: true,
    });
  });
});

describe('showing an ask', () => {
  it('replies with the card, and gives back what the platform made of it', async () => {
    const sent = await channel.show(one, to(asked), 'k');
    expect(call()).toMatchObject({
      path: '/open-apis/im/v1/messages/om_asked/reply',
      body: { msg_type: 'interactive' },
    });
    expect(brokenRules(contentOf(call()))).toEqual([]);
    expect(sent).toEqual({ chat: 'oc_1', message: 'om_sent_2', time: 1763431200123 });
  });

  it('goes to a person by their id', async () => {
    await channel.show(one, { kind: 'person', person: ANN }, 'k');
    expect(call().path).toBe('/open-apis/im/v1/messages?receive_id_type=open_id');
    expect(call().body).toMatchObject({ receive_id: 'ou_ann' });
    expect(String(call().body['content'])).toContain('引用这条消息回复：确认');
  });

  it('does not go to a person of another platform', async () => {
    const receiver = { kind: 'person', person: 'dingtalk:1' as PersonId } as const;
    expect(await failureOf(channel.show(one, receiver, 'k'))).toMatchObject({ retryable: false });
  });

  it('says what to type, by where it is read', async () => {
    const typed = async (address: Address) => {
      platform.requests.length = 0;
      await channel.show(one, to(address), 'k');
      return String(call(-1).body['content']);
    };
    expect(await typed(asked)).toContain('@机器人 确认');
    expect(await typed({ ...asked, group: false })).toContain('文字回复：确认');
    expect(await typed({ ...chat, chat: 'oc_audit' })).toContain('引用这条消息回复：确认');
  });

  it('sends what is too much for a card ahead of it, as text', async () => {
    const sql = `DELETE FROM t -- ${'x'.repeat(150_000)}`;
    const sent = await channel.show(view([task({ sql })]), to(asked), 'k');
    const types = platform.calls().map(({ body }) => body['msg_type']);
    expect(types).toEqual(['text', 'text', 'interactive']);
    const full = contentOf(call(0)).text + contentOf(call(1)).text;
    expect(full).toContain(sql);
    expect(String(call(2).body['content'])).toContain('全文已在上方消息中发出');
    expect(sent.message).toBe('om_sent_4');
    expect(new Set(platform.calls().map(({ body }) => body['uuid'])).size).toBe(3);
  });

  it.each([230025, 230099, 230022, 230028, 230001, 230054])(
    'goes as text when the platform refuses the card (%s)',
    async (code) => {
      platform.script(failed(code));
      const sent = await channel.show(one, to(asked), 'k');
      const { text } = contentOf(call(1));
      expect(text).toContain('• sql:\n│ DELETE FROM t');
      expect(text).toContain('文字回复：@机器人 确认');
      expect(text).toContain('<at user_id="ou_ann"></at>');
      expect(text).toContain('2026-11-18 10:05:07 UTC+8');
      expect(sent.message).toBe('om_sent_2');
      expect(call(1).body['uuid']).not.toBe(call(0).body['uuid']);
    },
  );

  it('names people by id and calls nobody where the platform does not know one of them', async () => {
    platform.script(failed(230099, { msg: 'ext=ErrCode: 100290; ErrMsg: invalid user' }));
    await channel.show(one, to(asked), 'k');
    const card = contentOf(call(1));
    expect(brokenRules(card)).toEqual([]);
    expect(JSON.stringify(card)).toContain('可决定的人：feishu&#58;ou&#95;ann');
    expect(JSON.stringify(card)).not.toContain('<at');
    expect(JSON.stringify(card)).toContain('"d":"confirm"');
    expect(call(1).body['uuid']).not.toBe(call(0).body['uuid']);
    expect(lines[0]).toMatchObject({
      level: 'error',
      facts: { code: 230099, detail: 100290, todo: expect.stringContaining('approvers') },
    });
  });

  it('does so in words too, where there can be no card', async () => {
    platform.script(failed(230025), failed(230001, { msg: 'ext=invalid at user: ou_ann' }));
    await channel.show(one, to(asked), 'k');
    expect(contentOf(call(2)).text).toContain('可决定的人：feishu:ou_ann');
    expect(contentOf(call(2)).text).not.toContain('<at');
    expect(new Set(platform.calls().map(({ body }) => body['uuid'])).size).toBe(3);
  });

  it('does not go as text when the platform is only busy or people must act', async () => {
    for (const code of [230020, 230002]) {
      platform.requests.length = 0;
      platform.script(failed(code));
      expect(await failureOf(channel.show(one, to(asked), 'k'))).toBeDefined();
      expect(platform.calls()).toHaveLength(1);
    }
  });
});

describe('updating a card', () => {
  const done: AskView = {
    ...one,
    card: { state: 'done', kind: 'confirm', by: ANN, at: 1_763_431_200_000 },
  };

  it('patches the whole of it', async () => {
    await channel.update(done, card, 'k');
    expect(call()).toMatchObject({ method: 'PATCH', path: '/open-apis/im/v1/messages/om_card' });
    expect(brokenRules(contentOf(call()))).toEqual([]);
    expect(contentOf(call()).header.title.content).toBe('已执行');
  });

  it.each([230011, 230110, 230031])('leaves a card that is gone (%s)', async (code) => {
    platform.script(failed(code));
    await channel.update(done, card, 'k');
    expect(platform.calls()).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });

  it.each([230001, 230054, 230099, 230028])(
    'replies in words where there is no card to patch (%s)',
    async (code) => {
      platform.script(failed(code));
      await channel.update(done, card, 'k');
      expect(call(1).path).toBe('/open-apis/im/v1/messages/om_card/reply');
      expect(contentOf(call(1)).text).toMatch(
        /^已执行\n由 <at user_id="ou_ann"><\/at> 于 .* 确认$/,
      );
    },
  );

  it('names the one who decided by id when they are nobody any more', async () => {
    platform.script(failed(230099, { msg: 'ext=ErrCode: 100290; ErrMsg: invalid user' }));
    await channel.update(done, card, 'k');
    expect(platform.calls().map(({ method }) => method)).toEqual(['PATCH', 'PATCH']);
    expect(JSON.stringify(contentOf(call(1)))).toContain('由 feishu&#58;ou&#95;ann 于');
    platform.requests.length = 0;
    platform.script(failed(230054), failed(230001));
    await channel.update(done, card, 'k');
    expect(contentOf(call(2)).text).toContain('由 feishu:ou_ann 于');
  });

  it('that could not be made now is tried again by the queue', async () => {
    platform.script(failed(230020));
    expect(await failureOf(channel.update(done, card, 'k'))).toMatchObject({ retryable: true });
  });
});

describe('a sign of life', () => {
  const acknowledge = () => channel.acknowledge?.(asked, 'om_asked' as MessageId);

  it('is a reaction to the message', async () => {
    await acknowledge();
    expect(call()).toMatchObject({
      method: 'POST',
      path: '/open-apis/im/v1/messages/om_asked/reactions',
      body: { reaction_type: { emoji_type: 'OnIt' } },
    });
  });

  it('may fail: one line at info, and only once for a missing scope', async () => {
    platform.script(failed(231003), failed(99991672), failed(99991672), { cut: true, body: '' });
    for (let i = 0; i < 4; i += 1) await acknowledge();
    expect(lines.map(({ level }) => level)).toEqual(['info', 'info', 'info']);
    expect(lines[1]?.facts['todo']).toContain('im:message.reactions:write_only');
  });
});

it('knows who the bot is', async () => {
  expect(await channel.identify?.()).toEqual({ app: APP, bot: 'ou_bot' });
  expect(call().path).toBe('/open-apis/bot/v3/info');
});
