import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decrypt } from '#channels/feishu/verify.ts';
import { createFeishuWebhook } from '#channels/feishu/webhook.ts';
import type { WebhookRequest } from '#ports/channel.ts';

/** Vectors made with openssl and accepted by the platform's own SDK, but for the one that SDK gets wrong. */
const golden = JSON.parse(
  readFileSync(new URL('../fixtures/golden/lark.json', import.meta.url), 'utf8'),
);
interface Vector {
  readonly headers: Record<string, string>;
  readonly raw_body: string;
  readonly decrypted: string;
}
const named = (group: object) => Object.entries(group) as [string, Vector][];

const MESSAGE_APP = 'cli_9f5343c580712544';
const webhookOf = (app: string) =>
  createFeishuWebhook({
    environment: {
      FEISHU_APP_ID: app,
      FEISHU_ENCRYPT_KEY: golden._meta.encrypt_key,
      FEISHU_VERIFICATION_TOKEN: golden._meta.verification_token,
    },
    language: 'zh-CN',
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
const requestOf = (body: string, headers: Record<string, string> = {}): WebhookRequest => ({
  path: '/webhook/feishu',
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  body: Buffer.from(body),
});
const receive = (body: string, headers?: Record<string, string>, app = MESSAGE_APP) =>
  webhookOf(app).receive(requestOf(body, headers), 0);

describe('the official vectors', () => {
  it('decrypt to what the documentation says', () => {
    const { encrypt, encrypt_key, plaintext } = golden.official_doc_decrypt_vector;
    expect(decrypt(encrypt, encrypt_key)?.toString()).toBe(plaintext);
  });

  it.each([...named(golden.events), ...named(golden.card_action_trigger_v2)])(
    '%s decrypts to its content',
    (_, { raw_body, decrypted }) => {
      const { encrypt } = JSON.parse(raw_body);
      expect(decrypt(encrypt, golden._meta.encrypt_key)?.toString()).toBe(decrypted);
    },
  );

  it('answer the encrypted URL check with its challenge, and refuse the plain one', async () => {
    const { encrypted_request_body, plain_request_body, expected_response_body } =
      golden.url_verification;
    expect(await receive(encrypted_request_body)).toEqual({
      kind: 'answered',
      answer: { status: 200, body: JSON.parse(expected_response_body) },
    });
    expect(await receive(plain_request_body)).toMatchObject({ answer: { status: 401 } });
  });

  it.each(named(golden.events))('%s is received', async (_, { raw_body, headers }) => {
    expect(await receive(raw_body, headers)).toMatchObject({
      kind: 'received',
      inbound: [{ type: 'message' }],
    });
  });

  it('are read as their people wrote them', async () => {
    const textOf = async (name: string) => {
      const received = await receive(golden.events[name].raw_body, golden.events[name].headers);
      const [inbound] = received.kind === 'received' ? received.inbound : [];
      return inbound?.type === 'message' ? inbound : undefined;
    };
    expect((await textOf('p2p_text'))?.text).toBe('帮我写一份周报 "引号" \n第二行');
    expect(await textOf('group_text_mention')).toMatchObject({
      text: 'deploy staging please @Tom',
      mentions: ['ou_bot0000000000000000000000000001', 'ou_tom'],
      mentionsSomeBot: true,
      to: { group: true },
    });
    expect(await textOf('group_thread_reply_post')).toMatchObject({
      text: '标题\n see [link](https://example.com)\n[image]',
      parent: 'om_parent_00000000000000000000001',
      to: { thread: 'omt_d4be107c616', replyTo: 'om_grp_post_000000000000000000001' },
    });
    expect((await textOf('p2p_image'))?.text).toBe('[image]');
  });

  it('are verified over the raw bytes, however the JSON is written', async () => {
    const { raw_body, headers } = golden.raw_body_matters;
    expect(await receive(raw_body, headers)).toMatchObject({ kind: 'received' });
    const rewritten = JSON.stringify(JSON.parse(raw_body));
    expect(await receive(rewritten, headers)).toMatchObject({ answer: { status: 401 } });
  });

  it.each([...named(golden.events), ...named(golden.card_action_trigger_v2)])(
    '%s is refused when its signature is tampered with',
    async (_, { raw_body, headers }) => {
      const signature = headers['X-Lark-Signature'] ?? '';
      const tampered = {
        ...headers,
        'X-Lark-Signature': signature.replace(/^./, (c) => (c === '0' ? '1' : '0')),
      };
      expect(await receive(raw_body, tampered)).toMatchObject({ answer: { status: 401 } });
    },
  );

  it.each(named(golden.card_action_trigger_v2))(
    'the click %s is verified, and is not ours',
    async (_, { raw_body, headers }) => {
      const received = await receive(raw_body, headers, 'cli_a5fb0ae6a4');
      expect(received).toEqual({ kind: 'answered', answer: { status: 200, body: {} } });
    },
  );

  it('refuse the legacy card callback', async () => {
    const { raw_body, headers } = golden.card_callback_v1_legacy;
    expect(await receive(raw_body, headers)).toMatchObject({ answer: { status: 401 } });
  });
});
