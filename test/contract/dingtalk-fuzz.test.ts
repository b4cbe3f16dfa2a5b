import { expect, it } from 'vitest';
import { createDingtalkWebhook } from '#channels/dingtalk/webhook.ts';
import type { WebhookRequest } from '#ports/channel.ts';
import { bend, fuzz, pathsIn, swap } from '../support/fuzz.ts';
import {
  cardEnvironment,
  cardHeaders,
  cardRequest,
  click,
  environment,
  message,
  NOW,
  PATH,
  pointer,
  recordingLog,
  requestOf,
  robotHeaders,
  robotRequest,
} from '../unit/channels/dingtalk/given.ts';

const params = { action: 'confirm', pointer: pointer() };
const rich = { richText: [{ text: 'a' }, { type: 'picture', downloadCode: 'c' }] };
const MESSAGES = [
  message(),
  message({ conversationType: '1' }),
  message({ msgtype: 'richText', text: undefined, content: rich }),
  message({ msgtype: 'file', text: undefined, content: { fileName: 'a', downloadCode: 'c' } }),
  message({ text: undefined, errorCode: 20001 }),
];
const CLICKS = [click(params), click({ ...params, action: 'modify', feedback: 'x' })];

/** Status, or 0 for what was received. Anything thrown fails the test, with the case that did it. */
const statusOf = async (request: WebhookRequest): Promise<number> => {
  const { log, lines } = recordingLog();
  const webhook = createDingtalkWebhook({
    environment: { ...environment, ...cardEnvironment },
    language: 'zh-CN',
    log,
  });
  const received = await webhook.receive(request, NOW);
  if (lines.length > 1) throw new Error(`more than one line: ${JSON.stringify(lines)}`);
  return received.kind === 'received' ? 0 : received.answer.status;
};

const RUNS = 8_000;

it('accepts nothing whose path or signature was changed', { timeout: 60_000 }, async () => {
  const counts = await fuzz(RUNS, (random) => {
    const card = random.chance(0.5);
    const path = card ? `${PATH}/card` : PATH;
    const headers: Record<string, string> = card ? cardHeaders() : robotHeaders();
    const body = card ? random.pick(CLICKS) : random.pick(MESSAGES);
    const change = (text: string) => bend(Buffer.from(text), random).toString('latin1');
    const name = random.pick(['path', ...Object.keys(headers)]);
    return name === 'path'
      ? statusOf(requestOf(change(path), headers, body))
      : statusOf(requestOf(path, { ...headers, [name]: change(headers[name] ?? '') }, body));
  });
  expect([...counts.keys()]).toEqual([401]);
});

it('survives damaged bodies under a valid signature', { timeout: 60_000 }, async () => {
  const counts = await fuzz(RUNS, (random) => {
    const card = random.chance(0.3);
    const body = JSON.stringify(card ? random.pick(CLICKS) : random.pick(MESSAGES));
    const bent = bend(Buffer.from(body), random);
    return statusOf(card ? cardRequest(bent) : robotRequest(bent));
  });
  expect([...counts.keys()].sort()).toEqual([0, 200, 400]);
});

const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, '', ' ', '{}', '[[]]', '1', '__proto__', 'x'.repeat(5000)],
  ...[[], {}, [null], [[[[]]]], { content: '' }, { richText: [{}] }, '\ud800', '\u0000'],
];

it('survives any type in any place under a valid signature', { timeout: 60_000 }, async () => {
  const counts = await fuzz(RUNS, (random) => {
    const odd = random.pick(ODD);
    const where = random.below(3);
    if (where === 0) {
      const tree = random.pick(MESSAGES);
      return statusOf(robotRequest(swap(tree, random.pick(pathsIn(tree)), odd)));
    }
    const tree = random.pick(CLICKS);
    if (where === 1) return statusOf(cardRequest(swap(tree, random.pick(pathsIn(tree)), odd)));
    const content = JSON.parse(tree.content);
    const inner = swap(content, random.pick(pathsIn(content)), odd);
    return statusOf(cardRequest({ ...tree, content: JSON.stringify(inner) }));
  });
  expect([...counts.keys()].sort()).toEqual([0, 200, 400]);
});
