import { describe, expect, it } from 'vitest';
import { sessionId } from '#domain/ids.ts';
import type { Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { requestCancel } from '#domain/moves.ts';
import { readSession } from '#domain/session.ts';
import { textsIn } from '#domain/texts.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { createRunner } from '#hosts/runner.ts';
import type { Model } from '#ports/model.ts';
import { ModelError, type ModelTrouble } from '#ports/model-error.ts';
import { lambdaContext, messageOf } from '../../support/cloud.ts';
import { createMemoryPorts, recordFor } from '../../support/memory-ports.ts';

const session = sessionId({ ...messageOf('m', 'c', '', 0).to });
const run = async (model: Model, lookMs?: number) => {
  const { ports, platform, logged, postponed, store, clock } = createMemoryPorts(model);
  const message = messageOf('m-1', 'c', '你好', 0);
  const job: Job = { type: 'message', session, message };
  const handler = createAgentHandler(async () => ({ ...ports, runner: createRunner(lookMs) }));
  const handled = handler({ Records: [recordFor(job)] }, lambdaContext(240_000));
  return { handled, texts: platform.texts, logged, postponed, store, clock };
};
const failing = (...error: ConstructorParameters<typeof ModelError>): Model => ({
  think: () => Promise.reject(new ModelError(...error)),
});

describe('a model that will never answer', () => {
  it.each(['account', 'rejected', 'overflow', 'refused', 'empty'] as const)(
    'ends the turn in words, with a line for the operator: %s',
    async (code) => {
      const { handled, texts, logged, postponed, store } = await run(failing(code, 'what to do'));
      expect(await handled).toEqual({ batchItemFailures: [] });
      expect(texts()).toEqual([textsIn('zh-CN').modelFailed(code)]);
      expect(textsIn('en').modelFailed(code)).toMatch(/^The model|^This is more/);
      expect(logged).toContainEqual({
        event: 'model-failed',
        facts: expect.objectContaining({ code, why: 'what to do' }),
      });
      expect(postponed).toEqual([]);
      const [item] = await store.read([keys.session(session)]);
      expect(readSession(session, item).phase).toBe('IDLE');
    },
  );
});

describe('a model that may answer later', () => {
  const unavailable: ModelTrouble = 'unavailable';
  it('goes back to the queue, and comes when the provider said', async () => {
    const soon = await run(failing(unavailable, 'overloaded'));
    expect((await soon.handled).batchItemFailures).toHaveLength(1);
    expect(soon.postponed[0]?.seconds).toBe(5);
    const later = await run(failing(unavailable, 'limited', soon.clock.now() + 300_000));
    await later.handled;
    expect(later.postponed[0]?.seconds).toBe(300);
    expect([...soon.texts(), ...later.texts()]).toEqual([]);
  });
});

describe('a turn cancelled while the model thinks', () => {
  it('stops the model, and says so', async () => {
    const thinking = Promise.withResolvers<AbortSignal | undefined>();
    const model: Model = {
      think: ({ signal }) => {
        thinking.resolve(signal);
        return new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    };
    const { handled, store, texts } = await run(model, 5);
    const signal = await thinking.promise;
    const [item] = await store.read([keys.session(session)]);
    const { turn } = readSession(session, item);
    if (!turn) throw new Error('no turn is under way');
    await store.write(requestCancel(session, turn.id, 1));
    expect(await handled).toEqual({ batchItemFailures: [] });
    expect(signal?.aborted).toBe(true);
    expect(texts()).toEqual([textsIn('zh-CN').cancelled]);
  });
});
