import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createFeishuWebhook } from '#channels/feishu/webhook.ts';
import type { InboundDecision, InboundMessage } from '#domain/inbound.ts';
import { readReply } from '#domain/reply.ts';
import type { WebhookRequest } from '#ports/channel.ts';
import {
  ANN,
  APP,
  clickEvent,
  encrypt,
  environment,
  header,
  KEY,
  messageEvent,
  recordingLog,
  SESSION,
  sealed,
  signed,
  TOKEN,
  task,
  unsigned,
  view,
} from './given.ts';

const build = (more: Record<string, string | undefined> = {}) => {
  const { log, lines } = recordingLog();
  const webhook = createFeishuWebhook({
    environment: { ...environment, ...more },
    language: 'zh-CN',
    log,
  });
  const receive = (request: WebhookRequest) => webhook.receive(request, 0);
  return { webhook, receive, lines };
};
const inboundOf = async (request: WebhookRequest) => {
  const received = await build().receive(request);
  if (received.kind !== 'received') throw new Error(JSON.stringify(received));
  return received.inbound[0];
};
const messageOf = async (message: object, sender?: object) =>
  (await inboundOf(sealed(messageEvent(message, sender)))) as InboundMessage;
const pointer = (d: string, more: object = {}) => ({
  v: 1,
  s: SESSION,
  a: 'aQ3r',
  b: 'bind',
  d,
  n: 3,
  ...more,
});

describe('settings', () => {
  it.each(['FEISHU_APP_ID', 'FEISHU_ENCRYPT_KEY', 'FEISHU_VERIFICATION_TOKEN'])(
    'names %s when it is missing',
    (name) => {
      expect(() => build({ [name]: undefined })).toThrow(name);
    },
  );

  it('takes old and new secrets alike while they are rotated', async () => {
    const { receive } = build({
      FEISHU_ENCRYPT_KEY: `new-key, ${KEY}`,
      FEISHU_VERIFICATION_TOKEN: `new-token,${TOKEN}`,
    });
    expect((await receive(sealed(messageEvent({})))).kind).toBe('received');
    expect((await receive(sealed(messageEvent({}), 'new-key'))).kind).toBe('received');
    const other = {
      ...messageEvent({}),
      header: header('im.message.receive_v1', { token: 'new-token' }),
    };
    expect((await receive(sealed(other, 'new-key'))).kind).toBe('received');
  });
});

describe('a request that is refused leaves one line that says why, and nothing else', () => {
  const good = messageEvent({});
  const plain = JSON.stringify(good);
  const challenge = (token: string) =>
    JSON.stringify({
      encrypt: encrypt(JSON.stringify({ type: 'url_verification', token, challenge: 'c' })),
    });
  const forged = sealed(good);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const cases: [string, WebhookRequest, number, RegExp][] = [
    ['unsigned', { ...sealed(good), headers: {} }, 401, /not signed/],
    [
      'wrongly signed',
      { ...forged, headers: { ...forged.headers, 'x-lark-signature': '0'.repeat(64) } },
      401,
      /wrong signature/,
    ],
    [
      'signed with a short signature',
      { ...forged, headers: { ...forged.headers, 'x-lark-signature': 'ab' } },
      401,
      /wrong signature/,
    ],
    ['signed for another body', { ...forged, body: sealed(good).body }, 401, /wrong signature/],
    ['signed with another key', sealed(good, 'other'), 401, /wrong signature/],
    ['plain while a key is set', signed(plain), 401, /plain body/],
    [
      'a plain challenge while a key is set',
      unsigned(JSON.stringify({ type: 'url_verification', token: TOKEN, challenge: 'c' })),
      401,
      /plain body/,
    ],
    ['a challenge with a wrong token', unsigned(challenge('wrong')), 401, /token/],
    [
      'a wrong verification token',
      sealed({ ...good, header: header('im.message.receive_v1', { token: 'x' }) }),
      401,
      /token/,
    ],
    [
      'a missing verification token',
      sealed({ ...good, header: header('im.message.receive_v1', { token: undefined }) }),
      401,
      /token/,
    ],
    ['not JSON', signed('{"encrypt":'), 400, /not JSON/],
    ['not UTF-8', signed(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), 400, /not JSON/],
    ['a list', signed('[]'), 400, /not a JSON object/],
    ['an encrypt that is no string', signed('{"encrypt":7}'), 400, /not a string/],
    ['cannot be decrypted', signed(JSON.stringify({ encrypt: 'AAAA' })), 400, /decrypted/],
    [
      'decrypts to no JSON',
      signed(JSON.stringify({ encrypt: encrypt('nonsense') })),
      400,
      /not JSON/,
    ],
    ['deeply nested outside', signed(deep), 400, /deeper/],
    [
      'deeply nested inside',
      signed(JSON.stringify({ encrypt: encrypt(`{"header":${deep}}`) })),
      400,
      /deeper/,
    ],
    ['truncated', signed(Buffer.from(sealed(good).body).subarray(0, 100)), 400, /not JSON/],
    ['over 1 MB', signed(`{"encrypt":"${'A'.repeat(1024 * 1024)}"}`), 413, /1 MB/],
    ['of a wrong shape', sealed({ ...good, event: 'text' }), 400, /shape/],
    ['with a header of a wrong shape', sealed({ header: { token: TOKEN } }), 400, /shape/],
    ['with content that is no JSON', sealed(messageEvent({ content: 'hello' })), 400, /shape/],
    ['with no time', sealed(messageEvent({ create_time: 'soon' })), 400, /shape/],
    ['with mentions of a wrong type', sealed(messageEvent({ mentions: 'all' })), 400, /shape/],
    [
      'a click by nobody',
      sealed(clickEvent(pointer('confirm'), {}, { operator: {} })),
      400,
      /shape/,
    ],
  ];

  it.each(cases)('%s', async (_, request, status, why) => {
    const { receive, lines } = build();
    expect(await receive(request)).toEqual({ kind: 'answered', answer: { status, body: {} } });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.facts['why']).toMatch(why);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${KEY}|${TOKEN}|hello`));
  });

  it('gives bad padding and bad content the same answer while it is unsigned', async () => {
    const { receive } = build();
    const sealedWell = JSON.stringify({ encrypt: encrypt('{"type":"other"}') });
    const notAtAll = JSON.stringify({ encrypt: Buffer.alloc(64, 7).toString('base64') });
    expect(await receive(unsigned(sealedWell))).toEqual(await receive(unsigned(notAtAll)));
  });

  it('takes a body of 1 MB in good time', async () => {
    const { receive } = build();
    const body = JSON.stringify({
      encrypt: encrypt(
        JSON.stringify(messageEvent({ content: JSON.stringify({ text: '"'.repeat(120_000) }) })),
      ),
    });
    expect(body.length).toBeLessThan(1024 * 1024);
    expect((await receive(signed(body))).kind).toBe('received');
    const quotes = `{"a":"${'\\"'.repeat(500_000)}`;
    const before = performance.now();
    expect(await receive(signed(quotes))).toMatchObject({ answer: { status: 400 } });
    expect(performance.now() - before).toBeLessThan(1000);
  });
});

describe('a request that starts nothing', () => {
  it.each([
    [
      'an unknown event',
      sealed({ ...messageEvent({}), header: header('im.chat.updated_v1') }),
      /nobody asked/,
    ],
    [
      'an event of version 1.0',
      sealed({ token: TOKEN, type: 'event_callback', uuid: '1', event: {} }),
      /1\.0/,
    ],
    [
      'an event for another app',
      sealed({
        ...messageEvent({}),
        header: header('im.message.receive_v1', { app_id: 'cli_other' }),
      }),
      /another app/,
    ],
    ['a button of somebody else', sealed(clickEvent({ action: 'approve' })), /not ours/],
    ['a button whose value is a text', sealed(clickEvent('{"v":1}')), /not ours/],
    [
      'a button for a session of another app',
      sealed(clickEvent(pointer('confirm', { s: 'feishu:cli_other:oc_1' }))),
      /not ours/,
    ],
    [
      'a button with a number of tasks that cannot be',
      sealed(clickEvent(pointer('confirm', { n: 1e9 }))),
      /not ours/,
    ],
  ])('%s is answered 200 {} with a line', async (_, request, why) => {
    const { receive, lines } = build();
    expect(await receive(request)).toEqual({ kind: 'answered', answer: { status: 200, body: {} } });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.facts['why']).toMatch(why);
  });
});

describe('without an Encrypt Key, which takes an empty setting on purpose', () => {
  const open = { FEISHU_ENCRYPT_KEY: '' };

  it('says so at the start, and takes plain bodies with the right token', async () => {
    const { receive, lines } = build(open);
    expect(lines[0]?.event).toBe('feishu-unsealed');
    expect((await receive(unsigned(JSON.stringify(messageEvent({}))))).kind).toBe('received');
    const challenge = JSON.stringify({ type: 'url_verification', token: TOKEN, challenge: 'c' });
    expect(await receive(unsigned(challenge))).toMatchObject({
      answer: { body: { challenge: 'c' } },
    });
  });

  it('refuses a wrong token, and what is encrypted', async () => {
    const { receive } = build(open);
    const other = { ...messageEvent({}), header: header('im.message.receive_v1', { token: 'x' }) };
    expect(await receive(unsigned(JSON.stringify(other)))).toMatchObject({
      answer: { status: 401 },
    });
    expect(await receive(sealed(messageEvent({})))).toMatchObject({ answer: { status: 400 } });
  });
});

describe('a message', () => {
  it('becomes our own', async () => {
    expect(
      await messageOf({
        parent_id: 'om_0',
        root_id: 'om_0',
        thread_id: 'omt_1',
        chat_type: 'group',
      }),
    ).toEqual({
      type: 'message',
      id: 'om_1',
      from: ANN,
      bot: false,
      to: {
        channel: 'feishu',
        app: APP,
        chat: 'oc_1',
        thread: 'omt_1',
        replyTo: 'om_1',
        group: true,
      },
      text: 'hello',
      sentAt: 1609073151345,
      mentions: [],
      mentionsSomeBot: false,
      parent: 'om_0',
    });
  });

  it('has no thread and no parent where the platform sends empty ones', async () => {
    const message = await messageOf({ parent_id: '', thread_id: null });
    expect(message).not.toHaveProperty('parent');
    expect(message.to).not.toHaveProperty('thread');
  });

  it.each([
    ['seconds', '1609073151', 1609073151000],
    ['milliseconds', '1609073151345', 1609073151345],
    ['microseconds', '1609073151345678', 1609073151345],
    ['a number', 1609073151345, 1609073151345],
  ])('was sent at a time in %s', async (_, create_time, sentAt) => {
    expect((await messageOf({ create_time })).sentAt).toBe(sentAt);
  });

  const mention = (key: string, name: string, more: object = {}) => ({
    key,
    id: { open_id: `ou_${name}` },
    mentioned_type: 'user',
    name,
    ...more,
  });

  it('loses the mention of the bot and names people, longest key first', async () => {
    const mentions = [
      mention('@_user_1', 'Bot', { mentioned_type: 'bot' }),
      ...Array.from({ length: 9 }, (_, i) => mention(`@_user_${i + 2}`, `P${i + 2}`)),
    ];
    const content = JSON.stringify({ text: '@_user_1 ask @_user_10 and @_user_2' });
    const message = await messageOf({ content, mentions, chat_type: 'group' });
    expect(message.text).toBe('ask @P10 and @P2');
    expect(message.mentions).toContain('ou_Bot');
    expect(message.mentionsSomeBot).toBe(true);
  });

  it('leaves a bare decision word when only the bot is mentioned', async () => {
    const mentions = [mention('@_user_1', 'Bot', { mentioned_type: 'bot' })];
    const content = JSON.stringify({ text: '@_user_1 确认' });
    expect((await messageOf({ content, mentions })).text).toBe('确认');
  });

  it('says which names in it are mentions, longest first, so that words can be read without them', async () => {
    const mentions = [
      mention('@_user_1', 'Bot', { mentioned_type: 'bot' }),
      mention('@_user_2', '李'),
      mention('@_user_3', '李雷'),
      mention('@_user_4', 'nobody'),
    ];
    const content = JSON.stringify({ text: '@_user_1 确认 @_user_2 @_user_3 @_user_3 @_all' });
    expect(await messageOf({ content, mentions, chat_type: 'group' })).toMatchObject({
      text: '确认 @李 @李雷 @李雷 @all',
      mentionNames: ['@all', '@李雷', '@李'],
    });
    const post = {
      content: [
        [
          { tag: 'at', user_id: '@_user_3' },
          { tag: 'text', text: ' ok' },
        ],
      ],
    };
    const said = await messageOf({ message_type: 'post', content: JSON.stringify(post), mentions });
    expect(said).toMatchObject({ text: '@李雷 ok', mentionNames: ['@李雷'] });
    expect(await messageOf({})).not.toHaveProperty('mentionNames');
  });

  it('keeps the names of bots where it cannot be told which is this one', async () => {
    const content = JSON.stringify({ text: '@_user_1 @_user_2 确认' });
    const bots = [
      mention('@_user_1', 'Bot', { mentioned_type: 'bot' }),
      mention('@_user_2', 'Other', { mentioned_type: 'bot' }),
    ];
    expect(await messageOf({ content, mentions: bots, chat_type: 'group' })).toMatchObject({
      text: '@Bot @Other 确认',
      mentionNames: ['@Other', '@Bot'],
    });
    const unmarked = [mention('@_user_1', 'Bot', { mentioned_type: undefined })];
    expect(
      await messageOf({ content: JSON.stringify({ text: '@_user_1 确认' }), mentions: unmarked }),
    ).toMatchObject({ text: '@Bot 确认', mentionNames: ['@Bot'] });
  });

  it('does not take a name for a key', async () => {
    const mentions = [mention('@_user_1', '@_user_2'), mention('@_user_2', '$& .*')];
    const content = JSON.stringify({ text: '@_user_1 @_user_2' });
    expect((await messageOf({ content, mentions })).text).toBe('@@_user_2 @$& .*');
  });

  it('to everybody mentions no one', async () => {
    const mentions = [{ key: '@_all', id: { open_id: '', user_id: '' }, name: '所有人' }];
    const content = JSON.stringify({ text: '@_all hi' });
    const message = await messageOf({ content, mentions, chat_type: 'group' });
    expect(message).toMatchObject({ text: '@所有人 hi', mentions: [], mentionsSomeBot: false });
  });

  it('by a bot is marked, also where the bot has no id', async () => {
    expect((await messageOf({}, { sender_type: 'bot' })).bot).toBe(true);
    expect((await messageOf({}, { sender_type: 'app', sender_id: null })).bot).toBe(true);
  });

  it.each([
    ['image', { image_key: 'img_1' }, '[image]'],
    ['file', { file_key: 'f', file_name: 'report.pdf' }, '[file: report.pdf]'],
    ['audio', { file_key: 'f', duration: 2000 }, '[audio]'],
    ['media', { file_key: 'f', image_key: 'i', file_name: 'film.mp4' }, '[media: film.mp4]'],
    ['sticker', { file_key: 'f' }, '[sticker]'],
    ['share_chat', { chat_id: 'oc_0' }, '[share_chat]'],
    ['merge_forward', 'Merged and Forwarded Message', '[merge_forward]'],
    ['post', 'not what it should be', '[post]'],
    ['of_a_later_year', { content: { deep: 1 } }, '[of_a_later_year]'],
    ['post', { title: ' ', content: [[{ tag: 'img', image_key: 'i' }]] }, '[image]'],
    [
      'post',
      { content: [[{ tag: 'at', user_id: '@_user_1' }], [{ tag: 'media', file_key: 'f' }]] },
      '[media]',
    ],
  ])(
    'that is a %s with %j is named in brackets: nobody wrote it',
    async (message_type, content, text) => {
      const raw = typeof content === 'string' ? content : JSON.stringify(content);
      const mentions = [mention('@_user_1', 'Bot', { mentioned_type: 'bot' })];
      expect(await messageOf({ message_type, content: raw, mentions })).toMatchObject({
        text: expect.stringContaining(text),
        unreadable: true,
      });
    },
  );

  it.each([
    [
      [
        { tag: 'text', text: 'look' },
        { tag: 'img', image_key: 'i' },
      ],
      'look[image]',
    ],
    [[{ tag: 'code_block', language: 'GO', text: 'x := 1' }], 'x := 1'],
    [[{ tag: 'emotion', emoji_type: 'OK' }], '[OK]'],
    [
      [{ tag: 'a', href: 'https://e.com/a?b=1', text: 'this page' }],
      '[this page](https://e.com/a?b=1)',
    ],
    [[{ tag: 'a', href: 'https://e.com', text: 'https://e.com' }], 'https://e.com'],
    [[{ tag: 'a', href: 'https://e.com' }], 'https://e.com'],
  ])('that is rich text is read: %j', async (line, text) => {
    const content = JSON.stringify({ title: '', content: [line] });
    const message = await messageOf({ message_type: 'post', content });
    expect(message.text).toBe(text);
    expect(message).not.toHaveProperty('unreadable');
  });
});

describe('a click', () => {
  const decisionOf = async (value: object, more?: object) =>
    (await inboundOf(sealed(clickEvent(value, more)))) as InboundDecision;
  const toastOf = async (value: object, more?: object, event?: object) => {
    const received = await build().receive(sealed(clickEvent(value, more, event)));
    return received.kind === 'answered' ? received.answer.body : received;
  };

  it.each(['confirm', 'cancel'])('on %s names its ask, by the one who clicked', async (kind) => {
    expect(await decisionOf(pointer(kind))).toEqual({
      type: 'decision',
      id: 'evt-1',
      session: SESSION,
      ask: 'aQ3r',
      binding: 'bind',
      by: ANN,
      kind,
      tasks: 3,
      form: false,
    });
  });

  it('on changes carries the text', async () => {
    const form_value = { feedback: ' only 3 rows ' };
    expect(await decisionOf(pointer('modify'), { form_value })).toMatchObject({
      kind: 'modify',
      text: 'only 3 rows',
      form: true,
    });
  });

  it('on an answer carries it, several joined', async () => {
    const answer = (value: unknown) =>
      decisionOf(pointer('answer'), { form_value: { answer: value } });
    expect(await answer('blue')).toMatchObject({ kind: 'answer', text: 'blue', form: true });
    const several = await answer(['1', '3']);
    const question = { prompt: '?', options: ['1,3', '1, 3', '1、3', '1，3'], multiple: true };
    expect(readReply(several.text ?? '', { kind: 'choice', tasks: [], question })).toEqual({
      kind: 'answer',
      text: '1,3, 1、3',
    });
  });

  it('on a pick confirms those ticked, whichever way a tick is written', async () => {
    const form_value = { task_0: 'true', task_1: false, task_2: true, task_9: true };
    expect(await decisionOf(pointer('pick'), { form_value })).toMatchObject({
      kind: 'confirm',
      picked: [0, 2],
    });
  });

  it.each([
    ['changes with no text', pointer('modify'), { form_value: { feedback: '  ' } }, /怎么修改/],
    ['changes with no form', pointer('modify'), {}, /怎么修改/],
    ['no answer', pointer('answer'), { form_value: { answer: [] } }, /回答/],
    ['nothing ticked', pointer('pick'), { form_value: {} }, /勾选/],
    ['nothing ticked and no form', pointer('pick'), {}, /勾选/],
  ])('with %s decides nothing and says what is missing', async (_, value, more, text) => {
    expect(await toastOf(value, more)).toEqual({
      toast: { type: 'warning', content: expect.stringMatching(text) },
    });
  });

  it('on a card out of its chat decides nothing', async () => {
    expect(await toastOf(pointer('confirm'), {}, { host: 'im_top_notice' })).toMatchObject({
      toast: { type: 'warning' },
    });
  });
});

describe('the answer to a click', () => {
  const { webhook } = build();

  it('that won is a toast and the decided card', () => {
    const decided = view([task({ a: 1 })], {
      card: { state: 'running', kind: 'confirm', by: ANN, at: 1_763_431_200_000 },
    });
    const { status, body } = webhook.answer([{ kind: 'claimed', view: decided, text: '已确认' }]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      toast: { type: 'success', content: '已确认' },
      card: {
        type: 'raw',
        data: { schema: '2.0', header: { title: { content: '已确认，正在执行' } } },
      },
    });
  });

  it('that won is a toast alone where the view would take another read', () => {
    const { body } = webhook.answer([{ kind: 'claimed', view: undefined, text: '已确认' }]);
    expect(body).toEqual({ toast: { type: 'success', content: '已确认' } });
  });

  it('that lost is a toast that says who and when, and never a card', () => {
    const text = '这个请求已由 feishu:ou_bob 于 … 确认。';
    const { body } = webhook.answer([{ kind: 'refused', text }]);
    expect(body).toEqual({ toast: { type: 'warning', content: text } });
  });

  it('to anything else is empty', () => {
    expect(webhook.answer([undefined])).toEqual({ status: 200, body: {} });
    expect(webhook.answer([])).toEqual({ status: 200, body: {} });
  });
});

it('recognises the legacy card callback and says what to change', async () => {
  const body = JSON.stringify({
    open_id: 'ou_1',
    open_message_id: 'om_1',
    token: 'c-1',
    action: { value: {} },
  });
  const signature = createHash('sha1').update(`1n${TOKEN}${body}`).digest('hex');
  const headers = {
    'x-lark-request-timestamp': '1',
    'x-lark-request-nonce': 'n',
    'x-lark-signature': signature,
  };
  for (const more of [{}, { FEISHU_ENCRYPT_KEY: '' }]) {
    const { receive, lines } = build(more);
    expect(await receive({ ...unsigned(body), headers })).toMatchObject({
      answer: { status: 401 },
    });
    expect(lines.at(-1)?.facts['why']).toMatch(/legacy card callback.*card\.action\.trigger/);
  }
});
