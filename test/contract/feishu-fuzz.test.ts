import { expect, it } from 'vitest';
import { createFeishuWebhook } from '#channels/feishu/webhook.ts';
import type { WebhookRequest } from '#ports/channel.ts';
import { bend, fuzz, pathsIn, swap } from '../support/fuzz.ts';
import {
  encrypt,
  environment,
  golden,
  recordingLog,
  sealed,
  signed,
} from '../unit/channels/feishu/given.ts';

interface Vector {
  readonly headers: Record<string, string>;
  readonly raw_body: string;
  readonly decrypted: string;
}
const vectors: Vector[] = [
  ...(Object.values(golden.events) as Vector[]),
  ...(Object.values(golden.card_action_trigger_v2) as Vector[]),
];
const requestOf = ({ headers, raw_body }: Vector): WebhookRequest => ({
  path: '/webhook/feishu',
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  body: Buffer.from(raw_body),
});

/** Status, or 0 for what was received. Anything thrown fails the test, with the case that did it. */
const statusOf = async ({ decrypted }: Vector, request: WebhookRequest): Promise<number> => {
  const { log, lines } = recordingLog();
  const app = JSON.parse(decrypted).header.app_id;
  const webhook = createFeishuWebhook({
    environment: { ...environment, FEISHU_APP_ID: app },
    language: 'zh-CN',
    log,
  });
  const received = await webhook.receive(request, 0);
  if (lines.length > 1) throw new Error(`more than one line: ${JSON.stringify(lines)}`);
  return received.kind === 'received' ? 0 : received.answer.status;
};

const RUNS = 7_000;

it('accepts no body that was changed after it was signed', { timeout: 60_000 }, async () => {
  const counts = await fuzz(RUNS, (random) => {
    const vector = random.pick(vectors);
    const request = requestOf(vector);
    return statusOf(vector, { ...request, body: bend(Buffer.from(request.body), random) });
  });
  expect([...counts.keys()].sort()).toEqual([400, 401]);
});

it('survives damaged content under a valid signature', { timeout: 60_000 }, async () => {
  const counts = await fuzz(RUNS, (random) => {
    const vector = random.pick(vectors);
    const body = random.chance(0.7)
      ? JSON.stringify({ encrypt: encrypt(bend(Buffer.from(vector.decrypted), random)) })
      : bend(Buffer.from(vector.raw_body), random);
    return statusOf(vector, signed(body));
  });
  expect([...counts.keys()].sort()).toEqual([0, 200, 400, 401]);
});

const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, '', ' ', '{}', '[[]]', '@_user_1', '__proto__', 'x'.repeat(5000)],
  ...[[], {}, [null], [[[[]]]], { key: '' }, [{ key: '(' }], { length: 3 }, '\ud800', '\u0000'],
];

it('survives any type in any place under a valid signature', { timeout: 60_000 }, async () => {
  const counts = await fuzz(RUNS, (random) => {
    const vector = random.pick(vectors);
    const tree = JSON.parse(vector.decrypted);
    return statusOf(vector, sealed(swap(tree, random.pick(pathsIn(tree)), random.pick(ODD))));
  });
  expect([...counts.keys()].sort()).toEqual([0, 200, 400, 401]);
});
