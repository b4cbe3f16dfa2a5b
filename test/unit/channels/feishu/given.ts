import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Ask } from '#domain/ask.ts';
import type { JsonObject } from '#domain/canonical-json.ts';
import type { AskId, Binding, PersonId, SessionId, TurnId } from '#domain/ids.ts';
import type { AskView, TaskView, WebhookRequest } from '#ports/channel.ts';
import type { Log } from '#ports/log.ts';

export const golden = JSON.parse(
  readFileSync(new URL('../../../fixtures/golden/lark.json', import.meta.url), 'utf8'),
);

export const KEY = 'golden-encrypt-key-0001';
export const TOKEN = 'golden-verification-token';
export const APP = 'cli_9f5343c580712544';
export const CARD_APP = 'cli_a5fb0ae6a4';

export const environment = {
  FEISHU_APP_ID: APP,
  FEISHU_APP_SECRET: 'a-secret-of-tests',
  FEISHU_ENCRYPT_KEY: KEY,
  FEISHU_VERIFICATION_TOKEN: TOKEN,
};

export interface Line {
  readonly level: string;
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
}
export const recordingLog = (): { readonly log: Log; readonly lines: Line[] } => {
  const lines: Line[] = [];
  const at = (level: string) => (event: string, facts?: object) => {
    lines.push({ level, event, facts: { ...facts } });
  };
  return { log: { info: at('info'), warn: at('warn'), error: at('error') }, lines };
};

/** As the platform seals and signs, written out here once more: the channel's own code must not check itself. */
export const encrypt = (clear: string | Uint8Array, key = KEY): string => {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(key).digest(), iv);
  return Buffer.concat([iv, cipher.update(clear), cipher.final()]).toString('base64');
};

export const signed = (body: string | Uint8Array, key = KEY): WebhookRequest => {
  const bytes = Buffer.from(body as string);
  const [timestamp, nonce] = ['1760000000', 'n-1'];
  const signature = createHash('sha256')
    .update(timestamp + nonce + key)
    .update(bytes)
    .digest('hex');
  return {
    path: '/webhook/feishu',
    headers: {
      'x-lark-request-timestamp': timestamp,
      'x-lark-request-nonce': nonce,
      'x-lark-signature': signature,
    },
    body: bytes,
  };
};

export const sealed = (body: unknown, key = KEY): WebhookRequest =>
  signed(JSON.stringify({ encrypt: encrypt(JSON.stringify(body), key) }), key);

export const unsigned = (body: string): WebhookRequest => ({
  path: '/webhook/feishu',
  headers: {},
  body: Buffer.from(body),
});

export const header = (event_type: string, more: object = {}) => ({
  event_id: 'evt-1',
  event_type,
  create_time: '1608725989000',
  token: TOKEN,
  app_id: APP,
  tenant_key: 't',
  ...more,
});

export const messageEvent = (message: object, sender: object = {}) => ({
  schema: '2.0',
  header: header('im.message.receive_v1'),
  event: {
    sender: { sender_id: { open_id: 'ou_ann' }, sender_type: 'user', tenant_key: 't', ...sender },
    message: {
      message_id: 'om_1',
      create_time: '1609073151345',
      chat_id: 'oc_1',
      chat_type: 'p2p',
      message_type: 'text',
      content: '{"text":"hello"}',
      ...message,
    },
  },
});

export const clickEvent = (value: unknown, more: object = {}, event: object = {}) => ({
  schema: '2.0',
  header: header('card.action.trigger'),
  event: {
    operator: { open_id: 'ou_ann', tenant_key: 't' },
    token: 'c-1',
    action: { value, tag: 'button', ...more },
    host: 'im_message',
    context: { open_message_id: 'om_card', open_chat_id: 'oc_1' },
    ...event,
  },
});

export const SESSION = `feishu:${APP}:oc_1` as SessionId;
export const ANN = 'feishu:ou_ann' as PersonId;

export const task = (input: JsonObject, more: Partial<TaskView> = {}): TaskView => ({
  tool: 'data_modify',
  risk: 'HIGH',
  summary: 'Change rows',
  input,
  ...more,
});

export const view = (
  tasks: readonly TaskView[],
  more: Partial<AskView> = {},
  ask: Partial<Ask> = {},
): AskView => ({
  session: SESSION,
  ask: {
    id: 'aQ3r' as AskId,
    kind: 'confirm',
    number: 1,
    nth: 1,
    round: 1,
    step: 1,
    turn: 't' as TurnId,
    state: 'open',
    openedAt: Date.UTC(2026, 10, 18, 2, 0, 0),
    expiresAt: Date.UTC(2026, 10, 18, 2, 5, 7),
    binding: 'bind' as Binding,
    tasks: tasks.map(({ tool, risk }, call) => ({
      call,
      tool,
      risk,
      binding: `b${call}` as Binding,
      may: [ANN],
      not: [],
    })),
    requester: ANN,
    shown: [],
    details: { kind: 'inline', text: '' },
    ...ask,
  },
  tasks,
  card: { state: 'waiting' },
  language: 'zh-CN',
  ...more,
});
