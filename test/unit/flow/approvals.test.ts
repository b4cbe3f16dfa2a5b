import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readMessage } from '#domain/conversation.ts';
import { keys } from '#domain/keys.ts';
import { ChannelError } from '#ports/channel.ts';
import { changed, defineTool } from '#ports/tool.ts';
import { ANN, BOB } from '../../support/cloud.ts';
import { createMemoryBot } from '../../support/memory-bot.ts';
import {
  callTool,
  callTools,
  type ScriptedStep,
  say,
  scripted,
} from '../../support/scripted-model.ts';

const WINDOW_MS = 300_000;

/** A tool whose runs are noted, of the risk given. */
const noting = (ran: string[], risk: 'LOW' | 'MEDIUM' | 'HIGH', act = async () => {}) =>
  defineTool({
    description: 'acts',
    input: z.object({ what: z.string().default('it') }),
    risk,
    run: async ({ what }) => {
      ran.push(what);
      await act();
      return `did ${what}`;
    },
  });
const actThenSay = scripted([callTool('act', {}), say('好了')]);

describe('a remembered approval', () => {
  const remembered = async (act?: () => Promise<void>) => {
    const ran: string[] = [];
    const bot = createMemoryBot({
      model: actThenSay,
      tools: { act: noting(ran, 'MEDIUM', () => act?.() ?? Promise.resolve()) },
    });
    await bot.write('first');
    await bot.runAll();
    await bot.click('confirm');
    await bot.runAll();
    expect(ran).toHaveLength(1);
    return { bot, ran };
  };

  it('lets the same call run once more, and after a crash nobody is asked to run it again', async () => {
    let dies = false;
    const { bot, ran } = await remembered(async () => {
      // The process is gone: nothing of what it would do next happens.
      if (dies) await new Promise(() => {});
    });
    dies = true;
    await bot.write('second');
    const job = bot.take();
    void bot.run(job);
    await expect.poll(() => ran.length).toBe(2);

    // It comes back when the memory is over and the runner surely gone.
    bot.clock.advance(WINDOW_MS + 10_000);
    dies = false;
    await bot.run(job);
    expect(ran).toHaveLength(2);
    expect(bot.platform.cards.size).toBe(1);
    expect(await resultsOf(bot)).toContainEqual(expect.stringMatching(/^unknown: It may have run/));
    expect((await bot.session()).phase).toBe('IDLE');
  });

  it('does not run once another runner of the job has asked', async () => {
    const { bot, ran } = await remembered();
    await bot.write('second');
    const job = bot.take();
    // A zombie: it judged the memory in time, and comes to the tool only after the other has asked.
    const { store } = bot.ports;
    const read = store.read.bind(store);
    let asked: Promise<unknown> | undefined;
    store.read = async (keysToRead) => {
      const found = await read(keysToRead);
      if (asked || !keysToRead[0]?.sk.startsWith('A#')) return found;
      store.read = read;
      bot.clock.advance(WINDOW_MS + 10_000);
      asked = bot.run(job);
      await asked;
      bot.clock.advance(-WINDOW_MS);
      return found;
    };
    await bot.run(job);
    expect(bot.platform.cards.size).toBe(2);
    expect(ran).toHaveLength(1);
    expect((await bot.session()).phase).toBe('WAITING_CONFIRM');
    await bot.click('confirm');
    await bot.runAll();
    expect(ran).toHaveLength(2);
    expect(await resultsOf(bot)).toEqual(['done: did it', 'done: did it']);
  });
});

const resultsOf = async ({ ports: { store }, id }: ReturnType<typeof createMemoryBot>) => {
  const rows = await store.list({ pk: keys.partition(id), from: 'M#', to: 'M#~', limit: 100 });
  const results = rows.flatMap((row) => {
    const { message } = readMessage(row);
    return message.role === 'result' ? [message] : [];
  });
  return Promise.all(results.map(async (one) => `${one.outcome}: ${await store.fetch(one.text)}`));
};

describe('/cancel', () => {
  it('stops an approved call whatever its risk', async () => {
    const ran: string[] = [];
    const bot = createMemoryBot({
      model: actThenSay,
      tools: { act: noting(ran, 'LOW') },
      approval: { toolOverrides: { act: true } },
    });
    await bot.write('go');
    await bot.runAll();
    await bot.click('confirm');
    const resume = bot.take();
    await bot.write('/cancel');
    await bot.runAll();
    await bot.run(resume);
    expect(ran).toEqual([]);
    expect(bot.platform.texts()).toContainEqual(expect.stringContaining('已停止：act'));
    expect((await bot.session()).phase).toBe('IDLE');
  });
});

describe('/reset', () => {
  it('that overtakes a message in its own lane hides what was before, not the message', async () => {
    const heard: string[][] = [];
    const bot = createMemoryBot({
      model: {
        think: async ({ messages }) => {
          heard.push(messages.map((one) => ('text' in one ? one.text : '')));
          return { text: 'ok', calls: [] };
        },
      },
      tools: {},
    });
    await bot.write('before');
    await bot.runAll();
    await bot.write('do it');
    const message = bot.take();
    await bot.write('/reset');
    await bot.runAll();
    await bot.run(message);
    expect(heard).toEqual([['before'], ['do it']]);
  });
});

describe('a call that ran unasked and turned out to be bigger', () => {
  it('is asked of those whom the settings name', async () => {
    const act = defineTool({
      description: 'acts',
      input: z.object({}),
      risk: 'MEDIUM',
      approvers: [BOB],
      run: async (_input, { shown }) => (shown === undefined ? changed('10 rows') : 'done'),
      preview: async () => '10 rows',
    });
    const bot = createMemoryBot({
      model: actThenSay,
      tools: { act },
      approval: { toolOverrides: { act: false } },
    });
    await bot.write('go');
    await bot.runAll();
    expect((await bot.session()).ask?.tasks[0]?.may).toEqual([BOB]);
    await bot.click('confirm', BOB);
    await bot.runAll();
    expect(bot.platform.texts()).toEqual(['好了']);
  });
});

describe('an approval that no longer fits the policy', () => {
  it('is asked anew when what was shown as MEDIUM is HIGH by now', async () => {
    const ran: string[] = [];
    const bot = createMemoryBot({ model: actThenSay, tools: { act: noting(ran, 'MEDIUM') } });
    await bot.write('go');
    await bot.runAll();
    await bot.click('confirm');
    Object.assign(bot.ports.tools, { act: noting(ran, 'HIGH') });
    await bot.runAll();
    expect(ran).toEqual([]);
    expect((await bot.session()).ask).toMatchObject({ state: 'open', tasks: [{ risk: 'HIGH' }] });
  });
});

describe('rounds', () => {
  const roundsOf = async (...steps: readonly ScriptedStep[]) => {
    const bot = createMemoryBot({
      model: scripted(steps),
      tools: {
        act: noting([], 'HIGH'),
        ask: defineTool({
          description: 'asks',
          input: z.object({ prompt: z.string() }),
          question: ({ prompt }) => ({ kind: 'input', prompt }),
        }),
      },
    });
    await bot.write('go');
    await bot.runAll();
    return bot;
  };
  const roundOf = async (bot: Awaited<ReturnType<typeof roundsOf>>) =>
    (await bot.session()).ask?.round;

  it('count on over a question that the model asks in between', async () => {
    const bot = await roundsOf(
      callTool('act', { what: 'a' }),
      callTool('ask', { prompt: 'which?' }),
      callTool('act', { what: 'b' }),
    );
    expect(await roundOf(bot)).toBe(1);
    await bot.click('modify', ANN, { text: 'another' });
    await bot.runAll();
    await bot.click('answer', ANN, { text: 'b', form: true });
    await bot.runAll();
    expect(await roundOf(bot)).toBe(2);
  });

  it('begin anew once something was confirmed', async () => {
    const bot = await roundsOf(
      callTool('act', { what: 'a' }),
      callTool('act', { what: 'b' }),
      callTool('act', { what: 'c' }),
    );
    await bot.click('modify', ANN, { text: 'another' });
    await bot.runAll();
    expect(await roundOf(bot)).toBe(2);
    await bot.click('confirm');
    await bot.runAll();
    expect(await roundOf(bot)).toBe(1);
  });
});

describe('a card that goes to the approvers', () => {
  const ELSE = 'other:carol';
  const delivered = async (
    approvers: readonly string[],
    gone: readonly string[] = [],
    mute = false,
  ) => {
    const ran: string[] = [];
    const bot = createMemoryBot({
      model: actThenSay,
      tools: { act: noting(ran, 'HIGH') },
      approval: { approvers, deliverTo: 'approvers' },
    });
    const { show } = bot.platform.channel;
    bot.platform.channel.show = async (view, receiver, key) => {
      if (receiver.kind === 'person' && gone.includes(receiver.person))
        throw new ChannelError('the person has left', 'operator', false);
      return show(view, receiver, key);
    };
    const muted = () => Promise.reject(new ChannelError('muted in this chat', 'operator', false));
    if (mute) bot.platform.channel.say = muted;
    await bot.write('go');
    await bot.runAll();
    return { bot, ran };
  };
  const DAN = 'test:dan';

  it('tells the chat whom it waits for, and reaches those who can be reached', async () => {
    const { bot, ran } = await delivered([DAN, BOB, ELSE], [DAN]);
    expect([...bot.platform.cards.values()].map(({ sent }) => sent.chat)).toEqual([
      `private:${BOB}`,
    ]);
    expect(bot.platform.texts()).toEqual([expect.stringContaining(BOB)]);
    await bot.click('confirm', BOB);
    await bot.runAll();
    expect(ran).toHaveLength(1);
    expect(bot.platform.lastCard().views.at(-1)?.card.state).toBe('done');
  });

  it('is decided by them although the chat itself cannot be told', async () => {
    const { bot, ran } = await delivered([BOB], [], true);
    expect((await bot.session()).ask?.shown).toHaveLength(1);
    expect(bot.logged).toContainEqual(expect.objectContaining({ event: 'person-not-told' }));
    await bot.click('confirm', BOB);
    await bot.runAll();
    expect(ran).toHaveLength(1);
  });

  it('leaves the requester a line, at once, to what is written meanwhile', async () => {
    const { bot } = await delivered([BOB]);
    expect(await bot.write('how long?')).toEqual({ kind: 'noticed' });
    await bot.runAll();
    expect(bot.platform.texts()).toContainEqual(expect.stringMatching(/正在等待 test:bob 决定/));
    expect((await bot.session()).aside).toHaveLength(1);
  });

  it('gives the turn up, and says so, when nobody can be reached', async () => {
    const { bot, ran } = await delivered([DAN], [DAN]);
    expect(bot.platform.texts()).toEqual([expect.stringContaining('处理失败')]);
    expect((await bot.session()).phase).toBe('IDLE');
    expect(ran).toEqual([]);
  });
});

describe('many calls in one step', () => {
  it('are asked in cards that one write can settle', async () => {
    const calls = Array.from({ length: 41 }, (_, index) => ['act', { what: `w${index}` }] as const);
    const ran: string[] = [];
    const bot = createMemoryBot({
      model: scripted([callTools(...calls), say('好了')]),
      tools: { act: noting(ran, 'HIGH') },
    });
    await bot.write('go');
    await bot.runAll();
    expect((await bot.session()).ask?.tasks).toHaveLength(30);
    await bot.click('confirm');
    await bot.runAll();
    expect((await bot.session()).ask?.tasks).toHaveLength(11);
    await bot.click('confirm');
    await bot.runAll();
    expect(ran).toHaveLength(41);
    expect(bot.platform.texts()).toEqual(['好了']);
  });
});

describe('a click that comes too late', () => {
  it('is answered before the card is updated, or the platform would lose the update', async () => {
    const bot = createMemoryBot({ model: actThenSay, tools: { act: noting([], 'HIGH') } });
    await bot.write('go');
    await bot.runAll();
    bot.clock.advance(400_000);
    expect(await bot.click('confirm')).toMatchObject({ refusal: { reason: 'expired' } });
    const clickedAt = bot.clock.now();
    let updatedAt = 0;
    const { update } = bot.platform.channel;
    bot.platform.channel.update = async (...given) => {
      updatedAt = bot.clock.now();
      await update(...given);
    };
    await bot.runAll();
    expect(bot.platform.lastCard().views.at(-1)?.card.state).toBe('expired');
    expect(updatedAt - clickedAt).toBeGreaterThanOrEqual(1_500);
  });
});

describe('a job whose zombie went ahead and died', () => {
  it('finishes what that left: the question has its timer and its card', async () => {
    const bot = createMemoryBot({ model: actThenSay, tools: { act: noting([], 'HIGH') } });
    await bot.write('go');
    const job = bot.take();
    const { store, scheduler } = bot.ports;
    const read = store.read.bind(store);
    const once = scheduler.once.bind(scheduler);
    let zombie: Promise<unknown> | undefined;
    store.read = async (keysToRead) => {
      if (!zombie) {
        scheduler.once = () => Promise.reject(new Error('killed before the timer'));
        zombie = expect(bot.run(job)).rejects.toThrow('killed');
        await zombie;
        scheduler.once = once;
      }
      return read(keysToRead);
    };
    await bot.run(job);
    expect((await bot.session()).ask?.shown).toHaveLength(1);
    expect(bot.platform.cards.size).toBe(1);
    bot.clock.advance(301_000);
    expect(Object.values(bot.scheduler.snapshot())).toHaveLength(1);
  });
});
