import { createCipheriv, createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { feishu } from '#channels/feishu/index.ts';
import { decrypt } from '#channels/feishu/verify.ts';
import { askCode } from '#domain/ids.ts';
import type { WebhookRequest } from '#ports/channel.ts';
import {
  attacks,
  bent,
  damaged,
  type Fuzzed,
  fuzz,
  misdirected,
  type Open,
  worldsOf,
} from '../support/fuzz.ts';
import { APP, environment, golden, KEY, signed, TOKEN } from '../unit/channels/feishu/given.ts';

const decrypted = (group: object) =>
  Object.values(group).map(({ decrypted }) => JSON.parse(decrypted));
const [text, mention, post, image] = decrypted(golden.events);
const clicks = decrypted(golden.card_action_trigger_v2);
const handshake = JSON.parse(golden.url_verification.decrypted);
const PERSON = text.event.sender.sender_id.open_id;

const saying = (event: typeof text, said: string, id?: string) => {
  const { message } = event.event;
  const content =
    message.message_type === 'post'
      ? { title: '', content: [[{ tag: 'text', text: said }]] }
      : { text: message.mentions ? `@_user_1 ${said}` : said };
  const changed = {
    ...message,
    message_id: id ?? message.message_id,
    content: JSON.stringify(content),
  };
  return { ...event, event: { ...event.event, message: changed } };
};

const clickOn = ({ session, ask }: Open, click: (typeof clicks)[number], d: string) => ({
  ...click,
  header: { ...click.header, app_id: APP },
  event: {
    ...click.event,
    operator: { ...click.event.operator, open_id: PERSON },
    action: {
      ...click.event.action,
      value: { v: 1, s: session, a: ask.id, b: ask.binding, d, n: ask.tasks.length || 1 },
      form_value: { ...click.event.action.form_value, answer: '12', task_0: true },
    },
  },
});

/** As the platform seals, with an IV that makes a case come out the same again. */
const seal = (clear: string | Uint8Array): string => {
  const iv = Buffer.alloc(16);
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(KEY).digest(), iv);
  return Buffer.concat([iv, cipher.update(clear), cipher.final()]).toString('base64');
};
const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const sealed = (clear: string | Uint8Array): Buffer =>
  Buffer.from(JSON.stringify({ encrypt: seal(clear) }));

const bodyOf = ({ body }: WebhookRequest) => JSON.parse(Buffer.from(body).toString());
/** What is sealed in it; of what cannot be opened, nothing. */
const contentOf = (request: WebhookRequest) => {
  try {
    return JSON.parse(String(decrypt(bodyOf(request).encrypt, KEY)));
  } catch {
    return {};
  }
};
const tokenIn = ({ header, token }: typeof text) => (header === undefined ? token : header?.token);

const subject: Fuzzed = {
  definition: feishu,
  environment,
  say: (said, id) =>
    [text, mention, post].map((event, index) =>
      signed(sealed(jsonOf(saying(event, said, `om_${id}_${index}`)))),
    ),
  samples: (asks) => [
    ...[text, mention, post, image, handshake, ...clicks],
    ...['确认', 'confirm 1', '修改 短一点', 'cancel', '12', '1, Beijing', '/status'].flatMap(
      (said) => [text, mention, post].map((event) => saying(event, said)),
    ),
    ...asks.flatMap((open) => [
      saying(text, `确认${askCode(open.ask.id)}`),
      ...['confirm', 'pick', 'cancel', 'modify', 'answer'].map((d) => clickOn(open, clicks[1], d)),
    ]),
  ],
  contentOf: (request) =>
    Buffer.from(decrypt(bodyOf(request).encrypt, KEY) ?? request.body).toString(),
};
const worlds = await worldsOf(subject);

const isSigned = ({ headers, body }: WebhookRequest): boolean => {
  const start = `${headers['x-lark-request-timestamp']}${headers['x-lark-request-nonce']}${KEY}`;
  const signature = createHash('sha256').update(start).update(body).digest('hex');
  return signature === headers['x-lark-signature'];
};

it('reaches a decision with some of the samples, and answers all', async () => {
  const done = new Set<string>();
  for (const { samples, post } of worlds)
    for (const sample of samples) {
      const { status, did } = await post(signed(sealed(jsonOf(sample))));
      done.add(`${status} ${did}`);
    }
  expect([...done].sort()).toEqual(['200 decided', '200 nothing', '200 queued']);
});

it('survives whatever is signed, and believes no wrong token', { timeout: 240_000 }, async () => {
  const attack = attacks(subject, worlds, ({ samples }) => {
    const sample = fc.constantFrom(...samples);
    return fc
      .oneof(
        { weight: 8, arbitrary: damaged(sample).map(sealed) },
        { weight: 2, arbitrary: bent(sample.map(jsonOf)).map(sealed) },
        { weight: 1, arbitrary: bent(sample.map((one) => sealed(jsonOf(one)))) },
        { weight: 1, arbitrary: damaged(sample) },
      )
      .map((body) => signed(body));
  });
  const outcomes = await fuzz(11_000, attack, ({ status }, request) => {
    expect([200, 400, 401, 413]).toContain(status);
    if (status === 200) expect(tokenIn(contentOf(request))).toBe(TOKEN);
    if (status === 401) expect(tokenIn(contentOf(request))).not.toBe(TOKEN);
  });
  expect(outcomes).toEqual(
    expect.arrayContaining([
      '200 decided',
      '200 nothing',
      '200 queued',
      '400 nothing',
      '401 nothing',
    ]),
  );
});

it('does nothing for what is not signed', { timeout: 240_000 }, async () => {
  const attack = attacks(subject, worlds, ({ samples }) => {
    const clear = fc.constantFrom(...samples).map(jsonOf);
    const genuine = clear.map((json) => signed(sealed(json)));
    const changed = bent(clear.map(sealed));
    return fc.oneof(
      fc.tuple(genuine, changed).map(([request, body]) => ({ ...request, body })),
      misdirected(genuine),
      misdirected(clear.map((json) => signed(json))),
      fc
        .oneof(clear, damaged(clear.map((json) => JSON.parse(String(json)))).map(sealed))
        .map((body) => ({ ...signed(body), headers: {} })),
      clear.map((json) => signed(sealed(json), 'another key')),
    );
  });
  const outcomes = await fuzz(8_000, attack, ({ status, body, did }, request) => {
    fc.pre(!isSigned(request));
    expect(did).toBe('nothing');
    if (status !== 200) return expect([400, 401, 404, 413]).toContain(status);
    expect(contentOf(request)).toMatchObject({ type: 'url_verification', token: TOKEN });
    expect(body).toEqual({ challenge: contentOf(request).challenge });
  });
  expect(outcomes).toEqual(expect.arrayContaining(['200 nothing', '400 nothing', '401 nothing']));
});

it('goes by the token alone where the key is empty', { timeout: 240_000 }, async () => {
  const say: Fuzzed['say'] = (said, id) => [
    { ...signed(jsonOf(saying(text, said, `om_${id}`))), headers: {} },
  ];
  const unsealed = { ...subject, environment: { ...environment, FEISHU_ENCRYPT_KEY: '' }, say };
  const attack = attacks(unsealed, await worldsOf(unsealed), ({ samples }) =>
    damaged(fc.constantFrom(...samples)).map((body) => ({ ...signed(body), headers: {} })),
  );
  const outcomes = await fuzz(1_000, attack, ({ status }, request) => {
    expect([200, 400, 401, 413]).toContain(status);
    if (status === 200) expect(tokenIn(bodyOf(request))).toBe(TOKEN);
  });
  expect(outcomes).toEqual(
    expect.arrayContaining([
      '200 decided',
      '200 nothing',
      '200 queued',
      '400 nothing',
      '401 nothing',
    ]),
  );
});
