import type { SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';
import { expect } from 'vitest';
import * as z from 'zod';
import { createSqsQueue } from '#adapters/aws/sqs.ts';
import type { Ask } from '#domain/ask.ts';
import type { SessionId } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { openAsk, readSession } from '#domain/session.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { readJob } from '#hosts/lambda/read-job.ts';
import { createWebhookHandler } from '#hosts/lambda/webhook-handler.ts';
import type { Channel, ChannelDefinition, WebhookRequest } from '#ports/channel.ts';
import type { Queue } from '#ports/queue.ts';
import type { Store } from '#ports/store.ts';
import { defineTool } from '#ports/tool.ts';
import { askUser } from '#tools/ask-user.ts';
import { lambdaContext } from './cloud.ts';
import { createMemoryPorts, recordFor } from './memory-ports.ts';
import { callTool, callTools, scripted } from './scripted-model.ts';

/* What may come. */

type Tree = { readonly [name: string]: unknown };
type Change = (value: unknown) => unknown;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** What a text holds, if that is JSON itself: platforms put payloads into payloads. */
const inside = (value: unknown): Tree | undefined => {
  if (isTree(value)) return value;
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};

const placesIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] => [
  path,
  ...Object.entries(inside(value) ?? {}).flatMap(([name, one]) => placesIn(one, [...path, name])),
];

/** Entries and not assignments: a name may be `__proto__`. What becomes `undefined` is not there any more. */
const changeAt = (value: unknown, [name, ...rest]: readonly string[], change: Change): unknown => {
  const tree = inside(value);
  if (name === undefined || tree === undefined) return change(value);
  const entries = Object.entries(tree).map(([key, one]) => [
    key,
    key === name ? changeAt(one, rest, change) : one,
  ]);
  const changed = Array.isArray(tree)
    ? entries.map(([, one]) => one)
    : Object.fromEntries(entries as [string, unknown][]);
  return typeof value === 'string' ? JSON.stringify(changed) : changed;
};

/** Any sequence of UTF-16 units, halves of pairs too. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
/** Mostly short, at times of a megabyte. */
const longText = fc
  .tuple(
    fc.constantFrom(
      'x',
      '!',
      ' ',
      '1,',
      '中',
      '😀',
      '\u0001',
      '\ud800',
      '@_user_1',
      'a\n',
      '{',
      '"',
    ),
    fc.oneof(
      { weight: 60, arbitrary: fc.noBias(fc.nat(12)) },
      { weight: 1, arbitrary: fc.constant(20) },
    ),
    fc.constantFrom('', 'x', '1'),
  )
  .map(([unit, power, end]) => unit.repeat(2 ** power / unit.length) + end);
const nested = fc
  .tuple(fc.constantFrom('[]', '{}'), fc.nat(100))
  .map(([kind, depth]) =>
    Array.from({ length: depth }).reduce<unknown>(
      (one) => (kind === '[]' ? [one] : { a: one }),
      null,
    ),
  );
const NAMES = ['__proto__', 'constructor', 'toString', 'length', 'then', 'toJSON', '', '0'];
const numbers = fc.oneof(
  fc.constantFrom(0, -1, 0.5, 1e10, 1e14, 1e21, 2 ** 53, 1e308, -1e308, 5e-324, 1001),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const odd: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(null, undefined, true, false, '', ' ', [], {}, [null]) },
  { weight: 2, arbitrary: numbers },
  { weight: 1, arbitrary: numbers.map(String) },
  { weight: 3, arbitrary: anyText },
  { weight: 2, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: nested.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: longText },
  { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
);
const change = fc.oneof<fc.WeightedArbitrary<Change>[]>(
  { weight: 6, arbitrary: odd.map((value) => () => value) },
  // Still of its kind, so that what is checked later is reached.
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.oneof({ weight: 9, arbitrary: anyText }, { weight: 1, arbitrary: longText }),
        numbers,
      )
      .map(([more, number]) => (value) => {
        if (typeof value === 'number') return number;
        return typeof value === 'string' ? value + more : more;
      }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...NAMES), odd).map(
      ([name, value]) =>
        (tree) =>
          isTree(tree)
            ? Object.fromEntries([...Object.entries(tree), [name, value]])
            : { [name]: value },
    ),
  },
  { weight: 1, arbitrary: fc.constant((value: unknown) => [value, value]) },
);

/** A payload, one to three places of it changed, as JSON. */
export const damaged = (payload: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> => {
  const place = fc.noBias(fc.nat(9_999));
  const changes = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.tuple(place, change)) },
    { weight: 1, arbitrary: fc.array(fc.tuple(place, change), { minLength: 2, maxLength: 3 }) },
  );
  return fc.tuple(payload, changes).map(([whole, made]) => {
    const tree = made.reduce<unknown>((value, [at, one]) => {
      const places = placesIn(value);
      return changeAt(value, places[at % places.length] ?? [], one);
    }, whole);
    return Buffer.from(JSON.stringify(tree) ?? '');
  });
};

type Bend = (whole: Buffer, at: number) => Buffer;
const bend: fc.Arbitrary<Bend> = fc.oneof(
  fc.constant<Bend>((whole, at) => whole.subarray(0, at)),
  fc.uint8Array({ minLength: 1, maxLength: 8 }).map(
    (more): Bend =>
      (whole, at) =>
        Buffer.concat([whole.subarray(0, at), more, whole.subarray(at)]),
  ),
  fc.nat(7).map(
    (bit): Bend =>
      (whole, at) => {
        const bent = Buffer.from(whole);
        bent[at] = (bent[at] ?? 0) ^ (1 << bit);
        return bent;
      },
  ),
);
/** Cut short, with a few bytes put in, or with a bit turned over. */
export const bent = (bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(bytes, bend, fc.noBias(fc.nat(9_999)))
    .map(([whole, one, at]) => one(whole, Math.floor((at * whole.length) / 10_000)));

/** With one header missing or another, or the path. */
export const misdirected = (requests: fc.Arbitrary<WebhookRequest>): fc.Arbitrary<WebhookRequest> =>
  requests.chain((request) => {
    const { path, headers } = request;
    const other = (text: string) =>
      fc.oneof(
        bent(fc.constant(Buffer.from(text))).map((bytes) => bytes.toString('latin1')),
        anyText,
      );
    return fc.oneof(
      other(path).map((to) => ({ ...request, path: to })),
      ...Object.entries(headers).map(([name, value]) =>
        fc
          .option(other(String(value)), { nil: undefined })
          .map((to) => ({ ...request, headers: { ...headers, [name]: to } })),
      ),
    );
  });

/* Whom it may meet. */

/** What a channel has to bring. */
export interface Fuzzed {
  readonly definition: ChannelDefinition;
  readonly environment: Readonly<Record<string, string>>;
  /** A genuine message with this text, in each of the chats that the samples come from. */
  say(text: string, id: string, now: number): readonly WebhookRequest[];
  /** Every payload that a platform may send, with clicks on these asks. */
  samples(asks: readonly Open[]): readonly object[];
  /** What is in a request, for the report of a failure. */
  contentOf(request: WebhookRequest): string;
}
export interface Open {
  readonly session: SessionId;
  readonly ask: Ask;
}

/** How a request was answered, and what it did. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly did: 'nothing' | 'queued' | 'decided';
}
export interface World {
  readonly name: string;
  readonly samples: readonly object[];
  readonly now: number;
  post(request: WebhookRequest): Promise<Answered>;
}

/** The message whose reply names a card, in the samples that are replies. */
export const CARD = 'om_parent_00000000000000000000001';

const STATES = {
  idle: {},
  'a confirm is open': { opened: 'confirm' },
  'an input is open': { opened: 'input' },
  'a choice is open': { opened: 'choice' },
  'it is decided': { opened: 'confirm', said: '确认' },
  'it is too late': { opened: 'confirm', later: 600_000 },
} as const;

/** A bot for each state that a session may be in. Whatever a request did to it is undone before the next. */
export const worldsOf = (subject: Fuzzed): Promise<readonly World[]> =>
  Promise.all(Object.entries(STATES).map(([name, state]) => worldOf(subject, name, state)));

const worldOf = async (
  { definition, environment, say, samples }: Fuzzed,
  name: string,
  { opened, said, later = 0 }: { opened?: string; said?: string; later?: number },
): Promise<World> => {
  const { ports, clock, store, queue, logged } = createMemoryPorts(asking, {
    change: harmless,
    ask_user: askUser,
  });
  const setup = { environment, language: 'zh-CN', clock, log: ports.log, fetch } as const;
  const webhook = definition.createWebhook(setup);
  const handle = createWebhookHandler(async () => ({
    ...ports,
    store: asTight(store),
    queue: asPicky(queue),
    webhooks: { [webhook.name]: webhook },
  }));
  const agent = createAgentHandler(async () => ({
    ...ports,
    channels: { [definition.name]: silent(definition.name) },
  }));
  const send = async (request: WebhookRequest) => {
    logged.length = 0;
    const { statusCode, body } = await handle(eventOf(request));
    const trouble = logged.find(({ event }) => /^webhook-(failed|unreadable)$/.test(event));
    const why = String(trouble?.facts['why']);
    if (trouble) throw new Error(`${trouble.event}: ${why}`);
    return { status: Number(statusCode), body: JSON.parse(String(body)) };
  };
  const tell = async (text: string, id: string) => {
    for (const request of say(text, id, clock.now()))
      expect(await send(request)).toMatchObject({ status: 200 });
  };

  const asks: Open[] = [];
  if (opened) {
    await tell(opened, 'opening');
    for (let next = queue.ready(clock.now())[0]; next; next = queue.ready(clock.now())[0]) {
      const record = { ...recordFor(next.body), messageId: next.id };
      const attributes = { ...record.attributes, SequenceNumber: next.sequence };
      const result = await agent({ Records: [{ ...record, attributes }] }, lambdaContext(240_000));
      expect(result.batchItemFailures, JSON.stringify(logged)).toEqual([]);
      queue.remove(next.id);
      const { session } = readJob(next.body);
      const ask = openAsk(readSession(session, (await store.read([keys.session(session)]))[0]));
      if (ask) asks.push({ session, ask });
    }
    expect(asks.length).toBeGreaterThan(0);
  }
  if (said) await tell(said, 'deciding');
  clock.advance(later);

  const [rows, jobs] = [store.snapshot(), queue.snapshot()];
  return {
    name,
    samples: samples(asks),
    now: clock.now(),
    post: async (request) => {
      store.restore(rows);
      queue.restore(jobs);
      const answer = await send(request);
      const queued = queue.snapshot() !== jobs ? 'queued' : 'nothing';
      return { ...answer, did: store.snapshot() !== rows ? 'decided' : queued };
    },
  };
};

const harmless = defineTool({
  description: 'changes something',
  input: z.object({ what: z.string() }),
  risk: 'HIGH',
  run: async () => 'changed',
});
const asking = scripted((text) => {
  if (text.includes('input'))
    return [callTool('ask_user', { kind: 'input', prompt: 'How many?', pattern: '\\d{1,3}' })];
  const options = ['Shanghai', 'Beijing', 'ten, or more'];
  if (text.includes('choice'))
    return [callTool('ask_user', { kind: 'choice', prompt: 'Where?', options, multiple: true })];
  return [callTools(['change', { what: 'one' }], ['change', { what: 'two' }])];
});

/** Its cards were out before any sample was written. */
const silent = (name: string): Channel => ({
  name,
  say: async () => {},
  show: async (_, receiver) => ({
    chat: receiver.kind === 'chat' ? receiver.to.chat : receiver.person,
    message: CARD,
    time: 1,
  }),
  update: async () => {},
});

/** The queue behind the real adapter, which refuses what SQS refuses. */
const asPicky = (queue: Queue): Queue => {
  const client = {
    send: ({ input }: { readonly input: Readonly<Record<string, string>> }) =>
      queue.send({
        group: String(input['MessageGroupId']),
        deduplication: String(input['MessageDeduplicationId']),
        body: String(input['MessageBody']),
      }),
  };
  return createSqsQueue(client as unknown as SQSClient, 'https://queue.test/');
};

/** The table takes no longer keys than these (in bytes), and no larger rows. */
const asTight = (store: Store): Store => {
  const check = (what: string, text: string, most: number) => {
    const size = Buffer.byteLength(text);
    if (size === 0 || size > most) throw new Error(`${what} of ${size} bytes`);
  };
  const checkKey = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => {
    check('partition key', pk, 2_048);
    check('sort key', sk, 1_024);
  };
  return {
    ...store,
    read: (wanted) => {
      wanted.forEach(checkKey);
      return store.read(wanted);
    },
    write: async (write) => {
      checkKey(write.key);
      const written = await store.write(write);
      check('row', JSON.stringify(written.item ?? 'none'), 400 * 1024);
      return written;
    },
  };
};

/** As the gateway sends it: text as it is, anything else in base64. */
const eventOf = ({ path, headers, body }: WebhookRequest): APIGatewayProxyEventV2 => {
  const text = Buffer.from(body).toString();
  const isText = Buffer.from(text).equals(body);
  return {
    rawPath: path,
    headers: Object.fromEntries(Object.entries(headers).filter(([, one]) => one !== undefined)),
    body: isText ? text : Buffer.from(body).toString('base64'),
    isBase64Encoded: !isText,
  } as unknown as APIGatewayProxyEventV2;
};

/* What is held against it. */

export interface Attack {
  readonly world: World;
  readonly request: WebhookRequest;
}

/** One of the worlds, and a request made of its samples. */
export const attacks = (
  { contentOf }: Fuzzed,
  worlds: readonly World[],
  requestsTo: (world: World) => fc.Arbitrary<WebhookRequest>,
): fc.Arbitrary<Attack> =>
  fc.oneof(
    ...worlds.map((world) =>
      requestsTo(world).map((request) => {
        const told = () =>
          `${world.name}: ${request.path} ${JSON.stringify(request.headers)} ${contentOf(request)}`;
        return { world, request, [fc.toStringMethod]: () => told().slice(0, 3_000) };
      }),
    ),
  );

/**
 * Runs the attacks and gives what came of them, each outcome once. A failure is shrunk and comes with its seed:
 * `FUZZ_SEED=<seed> npx vitest run <file>` runs the same again.
 */
export const fuzz = async (
  runs: number,
  attack: fc.Arbitrary<Attack>,
  judge: (answered: Answered, request: WebhookRequest, now: number) => void,
): Promise<readonly string[]> => {
  const outcomes = new Set<string>();
  const seed = process.env['FUZZ_SEED'];
  await fc.assert(
    fc.asyncProperty(attack, async ({ world, request }) => {
      const answered = await world.post(request);
      judge(answered, request, world.now);
      if (answered.did !== 'nothing') expect(answered.status).toBe(200);
      outcomes.add(`${answered.status} ${answered.did}`);
    }),
    { numRuns: runs, ...(seed && { seed: Number(seed) }) },
  );
  return [...outcomes].sort();
};
