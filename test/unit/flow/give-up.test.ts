import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Ask } from '#domain/ask.ts';
import { type Item, set } from '#domain/expression.ts';
import type { Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { accept } from '#flow/accept.ts';
import { giveUp } from '#flow/give-up.ts';
import { handle } from '#flow/handle.ts';
import { defineTool, type Work } from '#ports/tool.ts';
import { ANN, messageOf } from '../../support/cloud.ts';
import { createMemoryBot } from '../../support/memory-bot.ts';
import { createMemoryPorts, MAIN_QUEUE } from '../../support/memory-ports.ts';
import { callTool, say, scripted } from '../../support/scripted-model.ts';

const CHAT = 'chat';
const act = defineTool({
  description: 'acts',
  input: z.object({}),
  risk: 'HIGH',
  run: async () => 'acted',
});

const start = () => {
  const { ports, clock, queue } = createMemoryPorts(scripted([callTool('act'), say('done')]), {
    act,
  });
  const takeJob = () => {
    const next = queue.ready(clock.now())[0];
    if (!next) throw new Error('nothing is queued');
    queue.remove(next.id);
    const { id, sequence, body } = next;
    const delivery = { id, sequence, queue: MAIN_QUEUE, deadline: clock.now() + 240_000 };
    return { job: JSON.parse(body) as Job, delivery };
  };
  const write = (id: string, text: string, sentAt = clock.now()) =>
    accept(ports, messageOf(id, CHAT, text, sentAt));
  return { ports, clock, takeJob, write };
};

it('records the decision of a text that it gives up, so that its redelivery is a repeat', async () => {
  const { ports, clock, takeJob, write } = start();
  await write('first', 'do it');
  const message = takeJob();
  await handle(ports, message.job, message.delivery);
  clock.advance(2_000);
  const writtenAt = clock.now();
  expect(await write('yes', '确认')).toMatchObject({ kind: 'claimed' });

  // Its resume fails for good before it did anything at all.
  const resume = takeJob();
  expect(await giveUp(ports, resume.job, resume.delivery)).toBe('told');
  const { session } = resume.job;
  const pk = `AUDIT#${session}`;
  const audit = await ports.store.list({ pk, from: ' ', to: '~', limit: 10 });
  expect(audit).toMatchObject([{ kind: 'confirm', decided_by: ANN }, { outcome: 'gave-up' }]);

  // By now another question is open, which the text was written before.
  await write('second', 'do it again');
  const next = takeJob();
  await handle(ports, next.job, next.delivery);
  clock.advance(15_000);
  expect(await write('yes', '确认', writtenAt)).toEqual({ kind: 'enqueued' });
  const again = takeJob();
  expect(await handle(ports, again.job, again.delivery)).toBe('dropped');
  const [item] = await ports.store.read([keys.session(session)]);
  expect(item).toMatchObject({ phase: 'WAITING_CONFIRM' });
  expect(item).not.toHaveProperty('aside');
});

const REPORT = { sent: 1 };
const giveUpHalfWay = async (recover: Work['recover']) => {
  const hangs = defineTool({
    description: 'acts',
    input: z.object({}),
    risk: 'HIGH',
    run: async (_, { checkpoint }) => {
      await checkpoint(REPORT);
      // The process is gone: nothing of what it would do next happens.
      return new Promise<never>(() => {});
    },
    ...(recover && { recover }),
  });
  const model = scripted([callTool('act', {}), say('done')]);
  const bot = createMemoryBot({ model, tools: { act: hangs } });
  await bot.write('do it');
  await bot.runAll();
  await bot.click('confirm');
  const resume = bot.take();
  void bot.run(resume);
  await expect.poll(async () => (await bot.session()).phase).toBe('EXECUTING');
  await expect.poll(() => bot.platform.lastCard().views.at(-1)?.card.state).toBe('running');
  bot.clock.advance(300_000);
  return { bot, told: await bot.giveUp(resume) };
};

it('frees the session although the tool cannot even be asked what happened, and says that it may have run', async () => {
  const { bot, told } = await giveUpHalfWay(() => Promise.reject(new Error('no database')));
  expect(told).toBe('told');
  expect(bot.platform.texts()).toEqual([expect.stringContaining('可能已执行，请核实：act')]);
  const card = bot.platform.lastCard().views.at(-1)?.card;
  expect(card).toMatchObject({ state: 'unknown', by: ANN, kind: 'confirm' });
  expect((await bot.session()).phase).toBe('IDLE');
});

it('says what a tool knows to have happened', async () => {
  const { bot } = await giveUpHalfWay(async () => ({ happened: true, result: 'acted' }));
  expect(bot.platform.texts()).toEqual([expect.stringContaining('已执行：act')]);
});

const readAsk = (item: Item | undefined) => item?.['ask'] as unknown as Ask;

it('keeps the jobs of a session that a newer release wrote, and carries out nothing', async () => {
  const { ports, takeJob, write, clock } = start();
  await write('first', 'do it');
  const message = takeJob();
  await handle(ports, message.job, message.delivery);
  clock.advance(2_000);
  await write('yes', '确认');
  const resume = takeJob();
  await write('second', 'and that');
  const next = takeJob();
  const { session } = next.job;
  await ports.store.write({ key: keys.session(session), change: [set('version', 99)] });
  const asked = async () => readAsk((await ports.store.read([keys.session(session)]))[0]);
  const { decision } = await asked();

  for (const { job, delivery } of [resume, next])
    await expect(handle(ports, job, delivery)).rejects.toThrow('written by a newer release');
  expect(await giveUp(ports, resume.job, resume.delivery)).toBe('nothing');
  expect(await giveUp(ports, next.job, next.delivery)).toBe('told');
  // Taken, so that the job put back after rolling forward goes on with it.
  expect(await asked()).toMatchObject({ state: 'taken', decision });
  const pk = keys.partition(session);
  expect(await ports.store.list({ pk, from: 'F#', to: 'F#~', limit: 10 })).toHaveLength(2);
});
