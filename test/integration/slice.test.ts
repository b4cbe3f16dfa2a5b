import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { readMessage } from '#domain/conversation.ts';
import { keys } from '#domain/keys.ts';
import { textsIn } from '#domain/texts.ts';
import { ChannelError } from '#ports/channel.ts';
import type { Model } from '#ports/model.ts';
import { changed, defineTool } from '#ports/tool.ts';
import { ANN, BOB, type CloudOptions, startCloud, webhookEvent } from '../support/cloud.ts';
import { startAws } from '../support/emulated-aws.ts';
import { callTool, callTools, say, scripted } from '../support/scripted-model.ts';

const texts = textsIn('zh-CN');
const ORDER = { orderId: 'o1', amountFen: 20_000 };
const refundThenSay = scripted([callTool('refund_order', ORDER), say('已退款')]);

const { dynamo, sqs } = await startAws();

let chats = 0;
const refunds = (model: Model = refundThenSay, more: Partial<CloudOptions> = {}) =>
  startWith(model, more, []);

const startWith = async (model: Model, more: Partial<CloudOptions>, ran: string[]) => {
  const refundOrder = defineTool({
    description: 'Refund an order',
    input: z.object({ orderId: z.string(), amountFen: z.int() }),
    risk: 'HIGH',
    run: async ({ orderId }, { idempotencyKey }) => {
      ran.push(idempotencyKey);
      return `refunded ${orderId}`;
    },
  });
  const look = defineTool({
    description: 'Look at an order',
    input: z.object({ orderId: z.string() }),
    risk: 'LOW',
    run: async ({ orderId }) => `${orderId} is paid`,
  });
  chats += 1;
  const tools = { refund_order: refundOrder, look };
  const cloud = await startCloud({ dynamo, sqs, model, tools, chat: `chat-${chats}`, ...more });
  onTestFinished(cloud.stop);
  return { ...cloud, ran };
};

type World = Awaited<ReturnType<typeof refunds>>;
const cardStates = ({ platform }: World) => platform.lastCard().views.map(({ card }) => card.state);

/** How long each text of the conversation is in the store. */
const keptLengths = async ({ ports: { store }, sessionId }: World): Promise<number[]> => {
  const pk = keys.partition(sessionId);
  const rows = await store.list({ pk, from: 'M#', to: 'M#~', limit: 100 });
  const kept = await Promise.all(rows.map((row) => store.fetch(readMessage(row).message.text)));
  return kept.map((text) => text.length);
};

const askFor = async (world: World) => {
  await world.write('把 o1 退掉');
  await world.runAgent();
  expect((await world.session()).phase).toBe('WAITING_CONFIRM');
};

describe('one message through every arrow', () => {
  it('asks, is confirmed by a click, runs the tool once, answers and is idle', async () => {
    const world = await refunds();
    expect(await world.write('把 o1 退掉')).toEqual({ status: 200, text: undefined });
    expect((await world.session()).phase).toBe('IDLE');

    expect(await world.runAgent()).toBe(1);
    expect(world.ran).toEqual([]);
    const card = world.platform.lastCard();
    expect(card.views[0]?.tasks).toMatchObject([{ tool: 'refund_order', input: ORDER }]);
    expect((await world.session()).ask).toMatchObject({ state: 'open', shown: [card.sent] });

    expect(await world.click('confirm')).toEqual({ status: 200, text: texts.taken('confirm') });
    expect((await world.session()).ask).toMatchObject({
      state: 'decided',
      decision: { kind: 'confirm', by: ANN, via: 'click' },
    });

    await world.runAgent();
    expect(world.ran).toHaveLength(1);
    expect(world.platform.texts()).toEqual(['已退款']);
    expect(cardStates(world)).toEqual(['waiting', 'running', 'done']);
    expect(await world.session()).toMatchObject({ phase: 'IDLE', aside: [] });
    expect((await world.session()).turn).toBeUndefined();

    const late = await world.click('cancel');
    expect(late.text).toContain(`已由 ${ANN}`);
    await world.runAgent();
    expect(world.ran).toHaveLength(1);
  });

  it('is confirmed by the text 确认, which never reaches the model as a message', async () => {
    const heard: string[] = [];
    const model: Model = {
      think: (request) => {
        heard.push(...request.messages.flatMap((one) => (one.role === 'user' ? [one.text] : [])));
        return refundThenSay.think(request);
      },
    };
    const world = await refunds(model);
    await askFor(world);
    await world.write('确认');
    await world.runAgent();
    expect(world.ran).toHaveLength(1);
    expect(world.platform.texts()).toEqual(['已退款']);
    expect(new Set(heard)).toEqual(new Set(['把 o1 退掉']));
    expect((await world.session()).phase).toBe('IDLE');
  });

  it('runs nothing after a cancel, and the model finishes with words', async () => {
    const world = await refunds();
    await askFor(world);
    await world.click('cancel');
    await world.runAgent();
    expect(world.ran).toEqual([]);
    expect(cardStates(world)).toEqual(['waiting', 'cancelled']);
    expect(world.platform.texts()).toEqual(['已退款']);
    expect((await world.session()).phase).toBe('IDLE');
  });

  it('runs nothing when its schedule fires first; a click after that hears "expired"', async () => {
    const world = await refunds();
    await askFor(world);
    world.clock.advance(301_000);
    await world.fireTimers();
    expect((await world.session()).ask?.decision).toMatchObject({ kind: 'timeout', via: 'timer' });
    expect((await world.click('confirm')).text).toContain('过期');
    await world.runAgent();
    expect(world.ran).toEqual([]);
    expect(cardStates(world)).toEqual(['waiting', 'expired']);
    expect((await world.session()).phase).toBe('IDLE');
  });

  it('takes a timer from the queue of what could not be delivered, in either wrapping', async () => {
    for (const wrap of [(timer: object) => timer, (timer: object) => ({ requestPayload: timer })]) {
      const world = await refunds();
      await askFor(world);
      const { ask, id: session } = await world.session();
      const timer = { session, ask: ask?.id, expiresAt: ask?.expiresAt };
      const Records = [{ messageId: '1', body: JSON.stringify(wrap(timer)) }];
      expect(await world.timeouts({ Records })).toEqual({ batchItemFailures: [] });
      expect((await world.session()).ask?.decision?.kind).toBe('timeout');
    }
  });

  it('puts messages aside while it waits, and takes them up in order', async () => {
    const world = await refunds(
      scripted((text) =>
        text.includes('退')
          ? [callTool('refund_order', ORDER), say('已退款')]
          : [say(`听到：${text}`)],
      ),
    );
    await askFor(world);
    await world.write('另外一件事', { from: BOB });
    await world.write('再一件事', { from: BOB });
    await world.runAgent();
    expect((await world.session()).aside).toHaveLength(2);
    await world.click('confirm');
    await world.runAgent();
    const answers = world.platform.texts().filter((text) => !text.startsWith('正在等待'));
    expect(answers).toEqual(['已退款', '听到：另外一件事', '听到：再一件事']);
    expect(await world.session()).toMatchObject({ phase: 'IDLE', aside: [] });
  });
});

describe('when things fail', () => {
  it('gives up a job that failed five times: the person is told, and the session is idle', async () => {
    const broken: Model = { think: () => Promise.reject(new Error('the model is down')) };
    const world = await refunds(broken);
    await world.write('把 o1 退掉');
    expect(await world.runAgent()).toBe(5);
    expect(world.postponed).toEqual([5, 15, 45, 45, 45]);
    expect((await world.session()).phase).toBe('EXECUTING');

    expect(await world.runDeadLetters()).toBe(1);
    expect(world.platform.texts()).toEqual([texts.failed([], [], [])]);
    expect((await world.session()).phase).toBe('IDLE');
    expect(world.logged.filter(({ event }) => event === 'job-failed')).toHaveLength(1);
  });

  it('gives up after the yes: the person is told what ran and what did not', async () => {
    const world = await refunds();
    await askFor(world);
    await world.click('confirm');
    const { store } = world.ports;
    const write = store.write.bind(store);
    const failing: typeof store.write = async (one) => {
      if (one.key.sk.startsWith('X#')) throw new Error('the table is throttled');
      return write(one);
    };
    Object.assign(store, { write: failing });
    expect(await world.runAgent()).toBe(5);
    Object.assign(store, { write });
    await world.runDeadLetters();
    expect(world.ran).toEqual([]);
    expect(world.platform.texts()).toEqual([texts.failed([], [], ['refund_order'])]);
    expect(cardStates(world)).toEqual(['waiting', 'running', 'gave-up']);
    expect((await world.session()).phase).toBe('IDLE');
  });

  it('frees the session when the platform will never take the answer, and shows it to the operator', async () => {
    const world = await refunds(scripted([say('好的')]));
    const refusing = async () => {
      throw new ChannelError('the bot is not in this chat', '230002', false);
    };
    Object.assign(world.platform.channel, { say: refusing });
    await world.write('你好');
    expect(await world.runAgent()).toBe(1);
    expect(await world.session()).toMatchObject({ phase: 'IDLE', aside: [] });
    const events = world.logged.map(({ level, event }) => `${level} ${event}`);
    expect(events).toEqual(expect.arrayContaining(['error job-failed', 'error person-not-told']));
  });

  it('runs what was approved although the card cannot be changed', async () => {
    const world = await refunds();
    await askFor(world);
    await world.click('confirm');
    Object.assign(world.platform.channel, {
      update: async () => {
        throw new ChannelError('the card was recalled', '230011', false);
      },
    });
    await world.runAgent();
    expect(world.ran).toHaveLength(1);
    expect(world.platform.texts()).toEqual(['已退款']);
  });

  it('passes the turn on when the function has too little time left for another step', async () => {
    const steps = [
      callTool('look', { orderId: 'o1' }),
      callTools(['look', { orderId: 'o2' }]),
      say('看过了'),
    ];
    const world = await refunds(scripted(steps));
    await world.write('看看 o1');
    expect(await world.runAgent(30_000)).toBeGreaterThan(1);
    expect(world.platform.texts()).toEqual(['看过了']);
    expect((await world.session()).phase).toBe('IDLE');
  });

  it('carries a tool result of 5 MB, cut for the model and whole in the store', async () => {
    const long = 'x'.repeat(5_000_000);
    const read: string[] = [];
    const model: Model = {
      think: (request) => {
        read.push(...request.messages.flatMap((one) => (one.role === 'result' ? [one.text] : [])));
        return scripted([callTool('long'), say('读完了')]).think(request);
      },
    };
    const world = await startWith(
      model,
      {
        tools: {
          long: defineTool({
            description: 'long',
            input: z.object({}),
            risk: 'LOW',
            run: async () => long,
          }),
        },
      },
      [],
    );
    await world.write('读一下');
    await world.runAgent();
    expect(read[0]).toMatch(/\[truncated: 32768 of 5000000 bytes\]$/);
    expect(world.platform.texts()).toEqual(['读完了']);
    expect(await keptLengths(world)).toContain(long.length);
  });
});

describe('what grew', () => {
  it('is asked anew with what the run found, not with the old guess', async () => {
    const grows = defineTool({
      description: 'grows',
      input: z.object({}),
      risk: 'HIGH',
      preview: async (_, { changed: found }) => found ?? 'a guess',
      run: async (_, { shown }) => (shown === 'a guess' ? changed('12 rows') : `did ${shown}`),
    });
    const world = await startWith(
      scripted([callTool('grows'), say('好')]),
      { tools: { grows } },
      [],
    );
    await world.write('做吧');
    await world.runAgent();
    await world.click('confirm');
    await world.runAgent();
    expect(world.platform.cards.size).toBe(2);
    const [first] = world.platform.cards.values();
    expect(first?.views.at(-1)?.card).toMatchObject({
      state: 'changed',
      results: [{ state: 'changed', text: '12 rows' }],
    });
    expect(world.platform.lastCard().views[0]?.tasks).toMatchObject([{ preview: '12 rows' }]);
    await world.click('confirm');
    await world.runAgent();
    expect(world.platform.texts().at(-1)).toBe('好');
  });
});

describe('good manners', () => {
  it('gives a sign of life before the model is asked, and asks the platform once who the bot is', async () => {
    const order: string[] = [];
    const model: Model = {
      think: async () => {
        order.push('think');
        return { text: '好', calls: [] };
      },
    };
    const world = await refunds(model);
    Object.assign(world.platform.channel, {
      acknowledge: async (_: unknown, message: string) => void order.push(`saw ${message}`),
      identify: async () => {
        order.push('identify');
        return { app: 'app', bot: 'the-bot' };
      },
    });
    await world.write('一');
    await world.runAgent();
    await world.write('二');
    await world.runAgent();
    expect(order).toEqual(['identify', 'saw message-1', 'think', 'saw message-2', 'think']);
    const group = { channel: 'test', app: 'app', chat: world.chat, group: true } as const;
    await world.write('谁都行', { to: group, mentionsSomeBot: true, mentions: ['another-bot'] });
    expect(await world.runAgent()).toBe(0);
    await world.write('是你', { to: group, mentions: ['the-bot'] });
    expect(await world.runAgent()).toBe(1);
  });

  it('answers a picture in words, and takes it neither for a decision nor for a message', async () => {
    const world = await refunds();
    await askFor(world);
    await world.write('[image]', { unreadable: true });
    await world.runAgent();
    expect(world.platform.texts()).toEqual([texts.onlyText]);
    expect(await world.session()).toMatchObject({ phase: 'WAITING_CONFIRM', aside: [] });
  });

  it('shows the decided card in the answer to the click', async () => {
    const world = await refunds();
    await askFor(world);
    const views: unknown[] = [];
    const { answer } = world.platform.webhook;
    Object.assign(world.platform.webhook, {
      answer: (outcomes: Parameters<typeof answer>[0]) => {
        views.push(...outcomes.map((one) => one?.kind === 'claimed' && one.view?.card));
        return answer(outcomes);
      },
    });
    onTestFinished(() => void Object.assign(world.platform.webhook, { answer }));
    await world.click('confirm');
    expect(views).toEqual([{ state: 'running', kind: 'confirm', by: ANN, at: expect.any(Number) }]);
  });
});

describe('the webhook', () => {
  it('answers what no channel can use without a 5xx, and queues nothing', async () => {
    const world = await refunds();
    const status = async (event: ReturnType<typeof webhookEvent>) =>
      (await world.webhook(event)).statusCode;
    expect(await status(webhookEvent('', { path: '/healthz' }))).toBe(200);
    expect(await status(webhookEvent('[]', { path: '/webhook/nobody' }))).toBe(404);
    expect(await status(webhookEvent('[]', { path: '/webhook/constructor' }))).toBe(404);
    expect(await status(webhookEvent('[]', { path: '/' }))).toBe(404);
    expect(await status(webhookEvent('[]', { secret: 'wrong' }))).toBe(401);
    expect(await status(webhookEvent('not json'))).toBe(400);
    expect(await status(webhookEvent('{}'))).toBe(400);
    expect(await status(webhookEvent(`"${'x'.repeat(1024 * 1024)}"`))).toBe(413);
    expect(await status(webhookEvent('[]', { base64: true }))).toBe(200);
    expect(await world.runAgent()).toBe(0);
  });
});
