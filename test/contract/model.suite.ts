import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '#domain/canonical-json.ts';
import type { ToolCall } from '#domain/conversation.ts';
import type { Environment } from '#models/ai-sdk/connection.ts';
import type { ModelParts } from '#models/ai-sdk/create-model.ts';
import type { Model, ModelMessage, Thought } from '#ports/model.ts';
import { ModelError } from '#ports/model-error.ts';
import type { Reply, StandIn } from '../support/model-standins/stand-in.ts';

export const KEY = 'sk-test-5e1f';
export const LOOK = {
  name: 'look',
  description: 'Look at an order',
  input: {
    type: 'object',
    properties: { orderId: { type: 'string' } },
    required: ['orderId'],
    additionalProperties: false,
  },
};

export interface ModelFamily {
  start(options: { readonly contextTokens?: number }): Promise<StandIn>;
  create(id: string, environment: Environment, more?: Partial<ModelParts>): Model;
  /** An id as this family makes them. */
  readonly callId: (nth: number) => string;
}

export const user = (text: string): ModelMessage => ({ role: 'user', text });
/** A thought as the next step finds it: it was saved as JSON in between, by whatever process. */
export const saved = (thought: Thought): ModelMessage & { role: 'assistant' } => {
  const { text, calls, provider } = JSON.parse(JSON.stringify(thought)) as Thought;
  return { role: 'assistant', text, calls, ...(provider !== undefined && { provider }) };
};
export const result = (call: ToolCall | undefined, text: string): ModelMessage => {
  if (!call) throw new Error('there is no such call');
  return { role: 'result', call, outcome: 'done', text };
};

type Request = Parameters<Model['think']>[0];
export const asking = (
  messages: readonly ModelMessage[],
  more: Partial<Request> = {},
): Request => ({
  system: 'You keep the orders.',
  messages,
  tools: [LOOK],
  deadline: Date.now() + 60_000,
  ...more,
});

/** Every promise of the port, on the wire of one family. */
export const describeModel = (name: string, family: ModelFamily): void => {
  const open = async (
    replies: readonly Reply[],
    more: Partial<ModelParts> = {},
    { key = KEY, ...options }: { contextTokens?: number; key?: string } = {},
  ) => {
    const standIn = await family.start(options);
    onTestFinished(standIn.stop);
    standIn.reply(...replies);
    const waits: number[] = [];
    const environment = { MODEL_BASE_URL: standIn.url, MODEL_API_KEY: key };
    const sleep = async (ms: number) => {
      waits.push(ms);
    };
    const model = family.create('model-1', environment, { sleep, ...more });
    return { model, standIn, received: standIn.received, waits };
  };
  const call = (nth: number, orderId = `o${nth}`) => ({
    id: family.callId(nth),
    tool: 'look',
    input: { orderId },
  });
  const failing = (thinking: Promise<Thought>): Promise<ModelError> =>
    thinking.then(
      (thought) => expect.fail(`it answered ${JSON.stringify(thought)}`),
      (error) => {
        expect(error).toBeInstanceOf(ModelError);
        return error;
      },
    );
  const OK: Reply = { text: 'fine' };
  const HELLO = asking([user('hello')]);

  describe(`${name}: one step`, () => {
    it('reads an answer that comes in torn pieces, and its usage', async () => {
      const { model, received } = await open([{ text: '订单 o1 已付款，共 ¥200。\n👍' }]);
      const thought = await model.think(asking([user('看看 o1')]));
      expect(thought).toMatchObject({
        text: '订单 o1 已付款，共 ¥200。\n👍',
        calls: [],
        usage: { inputTokens: 11, outputTokens: 7 },
      });
      expect(received).toHaveLength(1);
      expect(received[0]?.heard).toEqual([
        { role: 'system', text: 'You keep the orders.' },
        { role: 'user', text: '看看 o1' },
      ]);
      expect(received[0]?.tools).toEqual(['look']);
      expect(JSON.stringify(received[0]?.body)).toContain(JSON.stringify(LOOK.input));
    });

    it('hands back a call without running it, and goes on with its result under the same id', async () => {
      const { model, received } = await open([{ text: 'Let me look.', calls: [call(1)] }, OK]);
      const thought = await model.think(asking([user('o1?')]));
      expect(thought).toMatchObject({ text: 'Let me look.', calls: [call(1)] });
      const step = saved(thought);
      await model.think(asking([user('o1?'), step, result(step.calls[0], 'paid')]));
      expect(received[1]?.heard.slice(2)).toEqual([
        { role: 'assistant', text: 'Let me look.', calls: [call(1)] },
        { role: 'tool', text: 'paid', answers: family.callId(1) },
      ]);
    });

    it('keeps parallel calls in their order, each with its own result', async () => {
      const { model, received } = await open([{ calls: [call(1), call(2), call(3)] }, OK]);
      const step = saved(await model.think(HELLO));
      expect(step.calls).toEqual([call(1), call(2), call(3)]);
      const results = [2, 0, 1].map((at) => result(step.calls[at], `o${at + 1} is paid`));
      await model.think(asking([user('hello'), step, ...results]));
      const answers = received[1]?.heard.filter(({ role }) => role === 'tool');
      expect(new Map(answers?.map((one) => [one.answers, one.text]))).toEqual(
        new Map([1, 2, 3].map((nth) => [family.callId(nth), `o${nth} is paid`])),
      );
    });

    it('gives reasoning back as it was, through what is saved', async () => {
      const reasoning = 'First the order…\n\n然后退款 ✓';
      const { model, received } = await open([
        { reasoning, text: 'Looking.', calls: [call(1)] },
        OK,
      ]);
      const thought = await model.think(HELLO);
      expect(thought.text).toBe('Looking.');
      const step = saved(thought);
      await model.think(asking([user('hello'), step, result(step.calls[0], 'paid')]));
      expect(received).toHaveLength(2);
      expect(received[1]?.heard[2]).toEqual({
        role: 'assistant',
        text: 'Looking.',
        calls: [call(1)],
        reasoning,
      });
    });

    it('leaves out what would be an empty message, and a system prompt that says nothing', async () => {
      const { model, received } = await open([OK]);
      const nothing: ModelMessage = { role: 'assistant', text: ' ', calls: [] };
      await model.think(
        asking([user('a'), nothing, user(' '), nothing, user('b')], { system: '' }),
      );
      const heard = received[0]?.heard.map(({ role, text }) => [role, text]);
      expect(heard).toEqual([
        ['user', 'a'],
        ['user', '(empty)'],
        ['user', 'b'],
      ]);
    });

    it('finishes without tools a conversation that used them', async () => {
      const { model, received } = await open([{ calls: [call(1)] }, OK]);
      const step = saved(await model.think(HELLO));
      const messages = [user('hello'), step, result(step.calls[0], '')];
      expect((await model.think(asking(messages, { tools: [] }))).text).toBe('fine');
      expect(received[1]?.tools).toEqual([]);
    });
  });

  describe(`${name}: calls that must not run`, () => {
    const malformed: readonly (readonly [string, string])[] = [
      ['half an object', '{"orderId": "o'],
      ['a list', '["o1"]'],
      ['a string', '"o1"'],
      ['words', 'o1, please'],
    ];
    it.each(malformed)('marks %s as malformed, and can go on from there', async (_, input) => {
      const { model, received } = await open([{ calls: [{ ...call(1), input }] }, OK]);
      const step = saved(await model.think(HELLO));
      expect(step.calls).toEqual([{ ...call(1), input: {}, malformed: input }]);
      await model.think(asking([user('hello'), step, result(step.calls[0], 'no JSON object')]));
      expect(received[1]?.heard[2]?.calls).toEqual([{ ...call(1), input: {} }]);
    });

    it('takes no arguments at all for none', async () => {
      const { model } = await open([{ calls: [{ ...call(1), input: '' }] }]);
      expect((await model.think(HELLO)).calls).toEqual([{ ...call(1), input: {} }]);
    });

    it('hands on a tool nobody offered: who knows the tools says so', async () => {
      const { model } = await open([{ calls: [{ ...call(1), tool: 'drop_table' }] }]);
      expect((await model.think(HELLO)).calls).toEqual([{ ...call(1), tool: 'drop_table' }]);
    });

    it.each(['{"orderId":"o2"}', '', '{"orderId":"o'])(
      'trusts no last call at the output limit, even if it parses: %s',
      async (input) => {
        const calls = [call(1), { ...call(2), input }];
        const { model } = await open([{ calls, finish: 'length' }]);
        const thought = await model.think(HELLO);
        expect(thought.calls[0]).toEqual(call(1));
        expect(thought.calls[1]).toMatchObject({ input: {}, malformed: expect.any(String) });
      },
    );

    it('says so when words were cut at the output limit', async () => {
      const { model } = await open([{ text: 'Once upon', finish: 'length' }]);
      expect((await model.think(HELLO)).text).toMatch(/^Once upon\n\[truncated: /);
    });
  });

  describe(`${name}: trying again`, () => {
    const faults: readonly (readonly [string, Reply])[] = [
      ['429', { status: 429, error: 'rate limited' }],
      ['500', { status: 500, error: 'oops' }],
      ['503', { status: 503, error: 'down' }],
      ['529', { status: 529, error: 'Overloaded' }],
      ['an overload in the middle of an answer', { broken: 'overloaded' }],
      ['a connection cut before the headers', { cut: 'early' }],
      ['a connection cut in the middle', { cut: 'middle' }],
      ['an answer that ends before its end', { cut: 'unfinished' }],
    ];
    it.each(faults)('tries again after %s, later each time', async (_, fault) => {
      const { model, received, waits } = await open([fault, fault, OK]);
      const thought = await model.think(HELLO);
      expect(thought).toMatchObject({ text: 'fine', calls: [] });
      expect(received).toHaveLength(3);
      expect(received[2]?.body).toEqual(received[0]?.body);
      expect(waits).toHaveLength(2);
      expect(waits[0]).toBeGreaterThanOrEqual(500);
      expect(waits[1]).toBeGreaterThan(waits[0] ?? Number.POSITIVE_INFINITY);
    });

    it.each(faults)(
      'gives up at the third fault in a row, for the queue to bring back: %s',
      async (_, fault) => {
        const { model, received } = await open([fault, fault, fault, OK]);
        const error = await failing(model.think(HELLO));
        expect(error).toMatchObject({ code: 'unavailable', retryable: true });
        expect(error.message).toMatch(/model-1: .+ \(it is tried again; /);
        expect(received).toHaveLength(3);
      },
    );

    it('waits as long as the server asks', async () => {
      const seconds = { status: 429, error: 'slow down', headers: { 'retry-after': '7' } };
      const exact = { status: 529, error: 'busy', headers: { 'retry-after-ms': '1500' } };
      const { model, waits } = await open([seconds, exact, OK]);
      await model.think(HELLO);
      expect(waits).toEqual([7000, 1500]);
    });

    it('waits until the date the server names', async () => {
      const now = () => Date.parse('2026-11-18T10:00:00Z');
      const headers = { 'retry-after': 'Wed, 18 Nov 2026 10:00:09 GMT' };
      const { model, waits } = await open([{ status: 429, error: 'later', headers }, OK], { now });
      await model.think(asking([user('hello')], { deadline: now() + 60_000 }));
      expect(waits).toEqual([9000]);
    });

    it('does not wait past its deadline, and says when it would be worth it', async () => {
      const late = { status: 429, error: 'later', headers: { 'retry-after': '300' } };
      const now = () => 1_000_000;
      const { model, received, waits } = await open([late, OK], { now });
      const request = asking([user('hello')], { deadline: now() + 60_000 });
      expect(await failing(model.think(request))).toMatchObject({
        code: 'unavailable',
        retryAt: now() + 300_000,
      });
      expect([received.length, waits.length]).toEqual([1, 0]);
    });

    it('takes a server that fell silent for one that was cut off', async () => {
      const { model, received } = await open([{ hangs: 'middle' }, { hangs: 'early' }, OK], {
        silenceMs: 150,
      });
      expect((await model.think(HELLO)).text).toBe('fine');
      expect(received).toHaveLength(3);
      await received[0]?.hungUp;
      await received[1]?.hungUp;
    });

    it('waits for a server that has nothing to say but that it is alive', async () => {
      const { model, received } = await open(
        [{ text: 'at last', alive: { times: 8, everyMs: 60 } }],
        { silenceMs: 300 },
      );
      expect((await model.think(HELLO)).text).toBe('at last');
      expect(received).toHaveLength(1);
    });

    it.each(['early', 'middle'] as const)('hangs up at its deadline (%s)', async (hangs) => {
      const { model, received } = await open([{ hangs }]);
      const request = asking([user('hello')], { deadline: Date.now() + 200 });
      expect(await failing(model.think(request))).toMatchObject({ code: 'unavailable' });
      expect(received).toHaveLength(1);
      await received[0]?.hungUp;
    });

    it.each(['early', 'middle'] as const)('hangs up when it is told to (%s)', async (hangs) => {
      const { model, standIn, received } = await open([{ hangs }]);
      const cancel = new AbortController();
      const thinking = model.think(asking([user('hello')], { signal: cancel.signal }));
      await expect.poll(() => standIn.received.length).toBe(1);
      const reason = new Error('the turn was cancelled');
      cancel.abort(reason);
      await expect(thinking).rejects.toBe(reason);
      await received[0]?.hungUp;
      expect(received).toHaveLength(1);
    });

    it('stops waiting for its next try when it is told to', async () => {
      const cancel = new AbortController();
      const reason = new Error('cancelled');
      const { model, received } = await open([{ status: 500, error: 'oops' }, OK], {
        sleep: async () => cancel.abort(reason),
      });
      await expect(model.think(asking([user('hello')], { signal: cancel.signal }))).rejects.toBe(
        reason,
      );
      expect(received).toHaveLength(1);
    });
  });

  describe(`${name}: what no second try repairs`, () => {
    it('says what is wrong with a key without showing it, and asks once', async () => {
      const { model, received } = await open([OK], {}, { key: 'sk-wrong-77aa' });
      const error = await failing(model.think(HELLO));
      expect(error).toMatchObject({ code: 'account', retryable: false });
      expect(error.message).toMatch(/model-1: 401 .*\(check MODEL_API_KEY/);
      expect(error.message).not.toContain('sk-wrong-77aa');
      expect(received).toHaveLength(1);
    });

    const once: readonly (readonly [Reply, string])[] = [
      [{ status: 403, error: 'not for you' }, 'account'],
      [{ status: 402, error: 'Insufficient Balance' }, 'account'],
      [{ status: 429, error: 'You exceeded your quota: insufficient_quota' }, 'account'],
      [{ status: 404, error: 'no such model: model-1' }, 'rejected'],
      [{ status: 422, error: 'tools: unknown field' }, 'rejected'],
      [{ finish: 'refused' }, 'refused'],
      [{ text: 'To make a', finish: 'refused', calls: [call(1)] }, 'refused'],
      [{}, 'empty'],
      [{ reasoning: 'Hm.', finish: 'length' }, 'empty'],
      [{ text: '\n' }, 'empty'],
    ];
    it.each(once)('%j is `%s`, after one try', async (reply, code) => {
      const { model, received } = await open([reply, OK]);
      const error = await failing(model.think(HELLO));
      expect(error).toMatchObject({ code, retryable: false });
      if ('status' in reply) expect(error.message).toContain(`${reply.status} ${reply.error}`);
      expect(received).toHaveLength(1);
    });
  });

  describe(`${name}: a context that is too small`, () => {
    const turn = (nth: number, long: string): ModelMessage[] => {
      const asked = { ...call(nth), input: { orderId: `${nth}` } };
      return [
        user(`question ${nth}`),
        { role: 'assistant', text: '', calls: [asked] },
        result(asked, long),
        { role: 'assistant', text: `answer ${nth}`, calls: [] },
      ];
    };
    const history = [1, 2, 3, 4, 5, 6].flatMap((nth) => turn(nth, 'x'.repeat(4_000)));

    it('drops whole old turns until the rest fits its budget', async () => {
      const { model, received } = await open([OK], {}, { contextTokens: 3_000 });
      await model.think(asking([...history, user('now')], { contextTokens: 3_000 }));
      const questions = received[0]?.heard.filter(({ role }) => role === 'user');
      expect(questions?.map(({ text }) => text)).toEqual(['question 5', 'question 6', 'now']);
    });

    it('tries once more with half of it when the server says it is too long', async () => {
      const { model, received } = await open([OK], {}, { contextTokens: 4_000 });
      expect((await model.think(asking([...history, user('now')]))).text).toBe('fine');
      expect(received).toHaveLength(2);
      expect(received[1]?.heard.at(-1)?.text).toBe('now');
    });

    it('shortens results of the running turn before it gives up, and says so to the model', async () => {
      const { model, received } = await open([OK], {}, { contextTokens: 2_000 });
      await model.think(asking(turn(1, '长'.repeat(12_000)).slice(0, 3)));
      expect(received).toHaveLength(2);
      expect(received[1]?.heard.at(-1)?.text).toMatch(
        /^长+\n\[shortened to fit the model's context: 2000 of 12000 characters\]$/,
      );
    });

    it('is an overflow when the question alone is too long', async () => {
      const { model, received } = await open([OK], {}, { contextTokens: 1_000 });
      const error = await failing(model.think(asking([user('x'.repeat(9_000))])));
      expect(error).toMatchObject({ code: 'overflow', retryable: false });
      expect(received).toHaveLength(2);
    });
  });

  describe(`${name}: what another model left`, () => {
    const foreign = (calls: readonly ToolCall[], provider?: Json): ModelMessage[] => [
      user('hello'),
      { role: 'assistant', text: 'Looking.', calls, ...(provider && { provider }) },
      ...calls.map((one, at) => result(one, `result ${at}`)),
    ];

    it('goes on with calls whose ids and names are of other kinds', async () => {
      const { model, received } = await open([OK]);
      const calls = [
        { id: 'functions.look:0', tool: 'look', input: { orderId: 'o1' } },
        { id: 'functions.look:0', tool: '数据.query', input: {} },
        { id: 'x'.repeat(64), tool: 'look', input: {} },
      ];
      const provider = {
        family: 'other',
        model: 'model-1',
        parts: [{ reasoning: 'a secret', metadata: { anthropic: { signature: 'AAAA' } } }],
      };
      await model.think(asking(foreign(calls, provider)));
      const heard = received[0]?.heard ?? [];
      const ids = heard.flatMap((one) => one.calls?.map(({ id }) => id) ?? []);
      expect(new Set(ids).size).toBe(3);
      expect(heard.flatMap(({ answers }) => answers ?? [])).toEqual(ids);
      expect(heard.filter(({ role }) => role === 'tool').map(({ text }) => text)).toEqual([
        'result 0',
        'result 1',
        'result 2',
      ]);
      expect(JSON.stringify(received[0]?.body)).not.toContain('a secret');
    });

    it('takes metadata it cannot read for none', async () => {
      const { model, received } = await open([OK]);
      for (const provider of ['text', 7, null, [{ type: 'thinking' }], { family: 'anthropic' }])
        await model.think(asking(foreign([call(1)], provider as Json)));
      for (const { heard } of received) expect(heard[2]?.calls).toEqual([call(1)]);
    });
  });
};
