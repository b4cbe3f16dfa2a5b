import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { accept } from '#flow/accept.ts';
import { giveUp } from '#flow/give-up.ts';
import { handle } from '#flow/handle.ts';
import { defineTool } from '#ports/tool.ts';
import { ANN, messageOf } from '../../support/cloud.ts';
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
