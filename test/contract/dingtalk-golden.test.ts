import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDingtalkWebhook } from '#channels/dingtalk/webhook.ts';

/** Signatures made with the documentation's own samples and checked with openssl; the first is printed in it. */
// `event_callback_crypto` is not run: event subscriptions are encrypted so, robot messages and card callbacks are not.
const golden = JSON.parse(
  readFileSync(new URL('../fixtures/golden/dingtalk.json', import.meta.url), 'utf8'),
);
interface Vector {
  readonly timestamp: string;
  readonly appSecret: string;
  readonly apiSecret: string;
  readonly sign: string;
  readonly signature: string;
}
const robot = golden.robot_http_sign;
const card = golden.card_callback_sign;
const app = 'dinggoldenappkey0001';

const receive = (
  at: number,
  headers: Record<string, string>,
  body: object,
  secrets: { readonly app?: string; readonly card?: string },
  end = '',
) =>
  createDingtalkWebhook({
    environment: {
      DINGTALK_APP_KEY: app,
      DINGTALK_APP_SECRET: secrets.app ?? 'another',
      DINGTALK_ROBOT_CODE: robot.sample_request.body.robotCode,
      DINGTALK_CORP_ID: robot.sample_request.body.chatbotCorpId,
      DINGTALK_PATH_SECRET: 'path',
      DINGTALK_CARD_API_SECRET: secrets.card ?? 'another',
    },
    language: 'zh-CN',
    log: { info: () => {}, warn: () => {}, error: () => {} },
  }).receive(
    {
      path: `/webhook/dingtalk/path${end}`,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: Buffer.from(JSON.stringify(body)),
    },
    at,
  );

const tampered = (signature: string) =>
  signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));

describe('the official vectors of robot messages', () => {
  it.each(robot.cases as Vector[])('$timestamp is verified', async (vector) => {
    const { timestamp, appSecret, sign } = vector;
    const at = Number(timestamp);
    const secrets = { app: appSecret };
    const { body } = robot.sample_request;
    const send = (headers: Record<string, string>, now = at) =>
      receive(now, headers, body, secrets);
    expect(await send({ timestamp, sign })).toMatchObject({ kind: 'received' });
    expect(await send({ timestamp, sign: tampered(sign) })).toMatchObject({
      answer: { status: 401 },
    });
    expect(await send({ timestamp, sign }, at + 3_600_001)).toMatchObject({
      answer: { status: 401 },
    });
  });

  it('are read as the person wrote', async () => {
    const { headers, body } = robot.sample_request;
    const received = await receive(1_760_000_000_000, headers, body, {
      app: robot.cases[1].appSecret,
    });
    expect(received).toMatchObject({
      inbound: [
        {
          id: body.msgId,
          from: `dingtalk:${body.senderStaffId}`,
          text: '你好',
          sentAt: body.createAt,
          to: { channel: 'dingtalk', app, chat: body.conversationId, group: true },
        },
      ],
    });
  });
});

describe('the official vector of card callbacks', () => {
  const [{ timestamp, apiSecret, signature }] = card.cases as [Vector];
  const { headers, body, sample_response } = card.sample_request;
  const send = (given: Record<string, string>, now: number) =>
    receive(now, { ...headers, ...given }, body, { card: apiSecret }, '/card');

  it('is verified as it stands, and is not ours', async () => {
    expect(headers).toEqual({
      'x-ddpaas-signature-timestamp': timestamp,
      'x-ddpaas-signature': signature,
    });
    expect(await send({}, Number(timestamp))).toEqual({
      kind: 'answered',
      answer: { status: 200, body: {} },
    });
  });

  it('is refused when tampered with, signed for another time, or late', async () => {
    const refused = { answer: { status: 401 } };
    const at = Number(timestamp);
    const forged = { 'x-ddpaas-signature': tampered(signature) };
    expect(await send(forged, at)).toMatchObject(refused);
    expect(await send({ 'x-ddpaas-signature-timestamp': String(at + 1) }, at)).toMatchObject(
      refused,
    );
    expect(await send({}, at + 300_001)).toMatchObject(refused);
  });

  it('is answered in the shape of the sample, where the button is ours', async () => {
    const pointer = { v: 1, s: `dingtalk:${app}:cid`, a: body.outTrackId, b: 'b', n: 1 };
    const params = { action: 'modify', pointer: JSON.stringify(pointer), feedback: '' };
    const content = JSON.stringify({ cardPrivateData: { actionIds: ['modify'], params } });
    const ours = { ...body, content };
    const received = await receive(Number(timestamp), headers, ours, { card: apiSecret }, '/card');
    const { cardUpdateOptions, userPrivateData } = sample_response;
    expect(received).toEqual({
      kind: 'answered',
      answer: {
        status: 200,
        body: {
          cardUpdateOptions,
          userPrivateData: { ...userPrivateData, cardParamMap: { notice: expect.any(String) } },
        },
      },
    });
  });
});
