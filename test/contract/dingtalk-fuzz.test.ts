import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dingtalk } from '#channels/dingtalk/index.ts';
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
  type World,
  worldsOf,
} from '../support/fuzz.ts';
import {
  cardEnvironment,
  cardHeaders,
  click,
  environment,
  message,
  PATH,
  pointer,
  requestOf,
  robotHeaders,
} from '../unit/channels/dingtalk/given.ts';

const saying = (content: string, more: object = {}) => message({ text: { content }, ...more });
const rich = { richText: [{ text: 'a' }, { type: 'picture', downloadCode: 'c' }] };

const clickOn = ({ session, ask }: Open, action: string) =>
  click(
    {
      action,
      feedback: 'shorter',
      pointer: pointer({ s: session, a: ask.id, b: ask.binding, n: ask.tasks.length || 1 }),
    },
    { outTrackId: `${ask.id}-1` },
  );

const subject: Fuzzed = {
  definition: dingtalk,
  environment: { ...environment, ...cardEnvironment },
  say: (said, id, now) => [requestOf(PATH, robotHeaders(now), saying(said, { msgId: id }))],
  samples: (asks) => [
    message(),
    message({ msgtype: 'richText', text: undefined, content: rich }),
    message({ msgtype: 'file', text: undefined, content: { fileName: 'a', downloadCode: 'c' } }),
    message({ text: undefined, errorCode: 20001 }),
    ...['确认', 'confirm 1', '修改 短一点', 'cancel', '12', '1, Beijing', '/status'].flatMap(
      (said) => [saying(said), saying(said, { conversationType: '1' })],
    ),
    click({ action: 'confirm', pointer: pointer() }),
    ...asks.flatMap((open) => [
      saying(`确认${askCode(open.ask.id)}`),
      ...['confirm', 'cancel', 'modify'].map((action) => clickOn(open, action)),
    ]),
  ],
  contentOf: ({ body }) => Buffer.from(body).toString(),
};
const worlds = await worldsOf(subject);

const HOUR = 3_600_000;
const isSigned = ({ path, headers }: WebhookRequest, now: number): boolean => {
  const card = path === `${PATH}/card`;
  if (path !== PATH && !card) return false;
  const at = Number(card ? headers['x-ddpaas-signature-timestamp'] : headers['timestamp']);
  const right: object = card ? cardHeaders(at) : robotHeaders(at);
  const fresh = Math.abs(now - at) <= (card ? HOUR / 12 : HOUR);
  return fresh && Object.entries(right).every(([name, value]) => headers[name] === value);
};

/** Each sample to its own address; `made` makes bytes of it. */
const sentTo = (
  { samples, now }: World,
  made: (sample: fc.Arbitrary<object>) => fc.Arbitrary<Buffer>,
  late = 0,
): fc.Arbitrary<WebhookRequest> => {
  const [clicks, messages] = [true, false].map((card) =>
    made(fc.constantFrom(...samples.filter((one) => 'outTrackId' in one === card))),
  ) as [fc.Arbitrary<Buffer>, fc.Arbitrary<Buffer>];
  return fc.oneof(
    messages.map((body) => requestOf(PATH, robotHeaders(now + late), body)),
    clicks.map((body) => requestOf(`${PATH}/card`, cardHeaders(now + late), body)),
  );
};
const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value));

it('reaches a decision with some of the samples, and answers all', async () => {
  const done = new Set<string>();
  for (const { samples, post, now } of worlds)
    for (const sample of samples) {
      const request =
        'outTrackId' in sample
          ? requestOf(`${PATH}/card`, cardHeaders(now), sample)
          : requestOf(PATH, robotHeaders(now), sample);
      const { status, did } = await post(request);
      done.add(`${status} ${did}`);
    }
  expect([...done].sort()).toEqual(['200 decided', '200 nothing', '200 queued']);
});

it('survives whatever is signed', { timeout: 240_000 }, async () => {
  const attack = attacks(subject, worlds, (world) =>
    fc.oneof(
      { weight: 5, arbitrary: sentTo(world, damaged) },
      { weight: 1, arbitrary: sentTo(world, (sample) => bent(sample.map(jsonOf))) },
    ),
  );
  const outcomes = await fuzz(13_000, attack, ({ status }) =>
    expect([200, 400, 413]).toContain(status),
  );
  expect(outcomes).toEqual(
    expect.arrayContaining(['200 decided', '200 nothing', '200 queued', '400 nothing']),
  );
});

it('does nothing for what is not signed, or was long ago', { timeout: 240_000 }, async () => {
  const attack = attacks(subject, worlds, (world) => {
    const genuine = sentTo(world, (sample) => sample.map(jsonOf));
    return fc.oneof(
      { weight: 6, arbitrary: misdirected(genuine) },
      { weight: 1, arbitrary: misdirected(sentTo(world, damaged)) },
      ...[-HOUR - 1, HOUR + 1, -HOUR * 24 * 365].map((late) => ({
        weight: 1,
        arbitrary: sentTo(world, (sample) => sample.map(jsonOf), late),
      })),
    );
  });
  const outcomes = await fuzz(7_000, attack, ({ status, did }, request, now) => {
    fc.pre(!isSigned(request, now));
    expect(did).toBe('nothing');
    expect([401, 404, 413]).toContain(status);
  });
  expect(outcomes).toEqual(expect.arrayContaining(['401 nothing', '404 nothing']));
});
