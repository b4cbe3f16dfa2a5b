import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createAnthropic } from '#models/ai-sdk/anthropic.ts';
import { createOpenAiCompatible } from '#models/ai-sdk/openai-compatible.ts';
import type { Model } from '#ports/model.ts';
import { defineTool } from '#ports/tool.ts';
import { startCloud } from '../support/cloud.ts';
import {
  type DynamoEmulator,
  type SqsEmulator,
  startDynalite,
  startFauxqs,
} from '../support/emulators.ts';
import { anthropicDialect } from '../support/model-standins/anthropic.ts';
import { type OpenAiOptions, openAiDialect } from '../support/model-standins/openai.ts';
import { type Dialect, type Reply, startStandIn } from '../support/model-standins/stand-in.ts';
import { asking, describeModel, KEY, result, saved, user } from './model.suite.ts';

describeModel('anthropic', {
  start: (options) => startStandIn(anthropicDialect({ key: KEY, ...options })),
  create: createAnthropic,
  callId: (nth) => `toolu_01A09q90qw90lq917835lq${nth}`,
});
describeModel('openai-compatible', {
  start: (options) => startStandIn(openAiDialect({ key: KEY, ...options })),
  create: createOpenAiCompatible,
  callId: (nth) => `functions.look:${nth}`,
});

const open = async (dialect: Dialect, ...replies: readonly Reply[]) => {
  const standIn = await startStandIn(dialect);
  onTestFinished(standIn.stop);
  standIn.reply(...replies);
  return standIn;
};
const look = (id: string) => ({ id, tool: 'look', input: { orderId: 'o1' } });
const OK: Reply = { text: 'fine' };

describe('anthropic', () => {
  it('goes on without its thinking where that is bound to tools which are no longer offered', async () => {
    const thinking = { reasoning: 'Hm.', calls: [look('toolu_1')] };
    const { url, received, reply } = await open(anthropicDialect({ key: KEY }), thinking);
    const model = createAnthropic('m', { MODEL_BASE_URL: url, MODEL_API_KEY: KEY });
    const step = saved(await model.think(asking([user('o1?')])));
    const messages = [user('o1?'), step, result(step.calls[0], 'paid')];
    reply(OK);
    expect((await model.think(asking(messages, { tools: [] }))).text).toBe('fine');
    expect(received.slice(1).map(({ heard }) => heard[2]?.reasoning)).toEqual(['Hm.', undefined]);
    // The next conversation has its thinking again.
    await model.think(asking(messages));
    expect(received.at(-1)?.heard[2]?.reasoning).toBe('Hm.');
    expect(received).toHaveLength(4);
  });

  it('leaves a signed thinking block of another model of its own family out', async () => {
    const thinking = { reasoning: 'Hm.', calls: [look('toolu_1')] };
    const { url, received } = await open(anthropicDialect({ key: KEY }), thinking, OK);
    const environment = { MODEL_BASE_URL: url, ANTHROPIC_API_KEY: `${KEY},sk-old` };
    const step = saved(await createAnthropic('m-1', environment).think(asking([user('o1?')])));
    const messages = [user('o1?'), step, result(step.calls[0], 'paid')];
    await createAnthropic('m-2', environment).think(asking(messages));
    expect(received).toHaveLength(2);
    expect(received[1]?.heard[2]).not.toHaveProperty('reasoning');
  });
});

describe('openai-compatible', () => {
  const connect = async (options: OpenAiOptions, ...replies: readonly Reply[]) => {
    const standIn = await open(openAiDialect(options), ...replies);
    const environment = { MODEL_BASE_URL: `${standIn.url}/`, OPENAI_API_KEY: 'not for this host' };
    return { ...standIn, model: createOpenAiCompatible('qwen/qwen3:8b', environment) };
  };
  const foreign = (nth: number) => {
    const call = look(`toolu_${nth}`);
    return [
      { role: 'assistant', text: '', calls: [call] } as const,
      result(call, 'paid'),
      { role: 'assistant', text: 'It is paid.', calls: [] } as const,
    ];
  };

  it('needs no key, and sends none of another provider', async () => {
    const { model, received } = await connect({}, OK);
    await model.think(asking([user('hello')]));
    expect(received[0]?.headers).not.toHaveProperty('authorization');
    expect(received[0]?.body['model']).toBe('qwen/qwen3:8b');
  });

  it('fills in the reasoning a server demands of steps that have none, and remembers it', async () => {
    const { model, received } = await connect({ reasoning: 'demanded' }, OK);
    const messages = [user('o1?'), ...foreign(1), user('and o2?')];
    expect((await model.think(asking(messages))).text).toBe('fine');
    expect((await model.think(asking(messages))).text).toBe('fine');
    const reasoning = received.map(({ heard }) => heard[2]?.reasoning);
    expect(reasoning).toEqual([undefined, ' ', ' ']);
  });

  it('keeps its reasoning from a server that gave it and does not take it, and remembers it', async () => {
    const thinking = { reasoning: 'Hm.', calls: [look('1')] };
    const { model, received, reply } = await connect({ reasoning: 'unknown' }, thinking);
    const step = saved(await model.think(asking([user('o1?')])));
    reply(OK);
    const messages = [user('o1?'), step, result(step.calls[0], 'paid')];
    expect((await model.think(asking(messages))).text).toBe('fine');
    expect((await model.think(asking(messages))).text).toBe('fine');
    const reasoning = received.slice(1).map(({ heard }) => heard[2]?.reasoning);
    expect(reasoning).toEqual(['Hm.', undefined, undefined]);
  });

  it('takes reasoning that a server left in the text out of it', async () => {
    const text = '<think>\nThe person says hello.\n</think>\n\nHello! <think> is a tag.';
    const { model } = await connect({}, { text });
    const thought = await model.think(asking([user('hello')]));
    expect(thought.text).toBe('Hello! <think> is a tag.');
  });

  it('passes a refusal in words on, and none of its calls', async () => {
    const refusal = "I'm sorry, I can't help with that.";
    const { model } = await connect({}, { refusal });
    expect(await model.think(asking([user('hello')]))).toMatchObject({ text: refusal, calls: [] });
  });
});

describe('a turn suspended under one model and resumed under another', () => {
  let dynamo: DynamoEmulator;
  let sqs: SqsEmulator;
  beforeAll(async () => {
    [dynamo, sqs] = await Promise.all([startDynalite(), startFauxqs()]);
  });
  afterAll(async () => {
    await Promise.all([dynamo.stop(), sqs.stop()]);
  });

  /** One bot whose model is changed by a deploy while a question waits. */
  const startBot = async (chat: string) => {
    const claude = await open(anthropicDialect({ key: KEY }));
    const kimi = await open(openAiDialect({ key: KEY, reasoning: 'demanded' }));
    const now = (): number => cloud.clock.now();
    const connect = (create: typeof createAnthropic, id: string, { url }: { url: string }) =>
      create(id, { MODEL_BASE_URL: url, MODEL_API_KEY: KEY }, { now });
    const models = {
      claude: connect(createAnthropic, 'claude-1', claude),
      kimi: connect(createOpenAiCompatible, 'kimi-1', kimi),
    };
    let model: Model = models.claude;
    const ran: string[] = [];
    const input = z.object({ orderId: z.string() });
    const tool = (name: string, risk: 'LOW' | 'HIGH') =>
      defineTool({
        description: name,
        input,
        risk,
        run: async ({ orderId }) => {
          ran.push(`${name} ${orderId}`);
          return `${name} ${orderId}: ok`;
        },
      });
    const cloud = await startCloud({
      dynamo,
      sqs,
      chat,
      model: { think: (request) => model.think(request) },
      tools: { look: tool('look', 'LOW'), refund: tool('refund', 'HIGH') },
    });
    onTestFinished(cloud.stop);
    const use = (name: keyof typeof models) => {
      model = models[name];
    };
    return { ...cloud, claude, kimi, ran, use };
  };

  const step = (...ids: readonly [string, string, string]) => ({
    reasoning: 'Look first, then refund. 先看再退。',
    text: '先看一下。',
    calls: [
      { id: ids[0], tool: 'look', input: { orderId: 'o1' } },
      { id: ids[1], tool: 'refund', input: { orderId: 'o1' } },
      { id: ids[2], tool: 'refund', input: '{"orderId": "o' },
    ],
  });
  const CLAUDE = step('toolu_01', 'toolu_02', 'toolu_03');
  const KIMI = step('functions.look:0', 'functions.refund:1', 'functions.refund:2');
  const more = (id: string) => ({ calls: [{ id, tool: 'look', input: { orderId: 'o2' } }] });
  const DONE: Reply = { text: '已退款 o1。' };

  it.each([
    ['claude', 'kimi', CLAUDE, more('functions.look:0')],
    ['kimi', 'claude', KIMI, more('toolu_09')],
    ['claude', 'claude', CLAUDE, more('toolu_09')],
    ['kimi', 'kimi', KIMI, more('functions.look:0')],
  ] as const)('finishes: %s, then %s', async (first, second, asks, goesOn) => {
    const bot = await startBot(`${first}-${second}`);
    bot.use(first);
    bot[first].reply(asks);
    await bot.write('把 o1 退掉');
    await bot.runAgent();
    expect((await bot.session()).phase).toBe('WAITING_CONFIRM');
    expect(bot.ran).toEqual(['look o1']);

    bot.use(second);
    bot[second].reply(goesOn, DONE);
    await bot.click('confirm');
    await bot.runAgent();
    expect(bot.ran).toEqual(['look o1', 'refund o1', 'look o2']);
    expect(bot.platform.texts()).toEqual(['已退款 o1。']);
    expect((await bot.session()).phase).toBe('IDLE');

    const heard = bot[second].received.at(-1)?.heard ?? [];
    const ids = heard.flatMap(({ calls }) => calls?.map(({ id }) => id) ?? []);
    expect(heard.flatMap(({ answers }) => answers ?? [])).toEqual(ids);
    const texts = heard.filter(({ role }) => role === 'tool').map(({ text }) => text);
    expect(texts).toEqual([
      'look o1: ok',
      'refund o1: ok',
      expect.stringContaining('not a JSON object'),
      'look o2: ok',
    ]);
    if (first === second) {
      expect(ids.slice(0, 3)).toEqual(asks.calls.map(({ id }) => id));
      expect(heard.find(({ role }) => role === 'assistant')?.reasoning).toBe(asks.reasoning);
    }

    // And the turn after that, back under the first.
    bot.use(first);
    bot[first].reply({ text: '不客气。' });
    await bot.write('谢谢');
    await bot.runAgent();
    expect(bot.platform.texts().at(-1)).toBe('不客气。');
  });
});
