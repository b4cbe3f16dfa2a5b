import type { AttemptId, PersonId } from '#domain/ids.ts';
import { sessionId } from '#domain/ids.ts';
import type { InboundDecision, InboundMessage } from '#domain/inbound.ts';
import type { Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { readSession, type Session } from '#domain/session.ts';
import { type Accepted, accept } from '#flow/accept.ts';
import { giveUp } from '#flow/give-up.ts';
import { handle } from '#flow/handle.ts';
import type { Model } from '#ports/model.ts';
import type { Tool } from '#ports/tool.ts';
import { decisionOf, messageOf, settingsWith } from './cloud.ts';
import { createMemoryPorts, MAIN_QUEUE } from './memory-ports.ts';

interface TakenJob {
  readonly job: Job;
  readonly delivery: {
    readonly id: string;
    readonly sequence: string;
    readonly queue: string;
    readonly deadline: number;
  };
}

interface Given {
  readonly model: Model;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly approval?: object;
}

const CHAT = 'chat';
const AGENT_MS = 240_000;

/** The engine on memory ports: people write and click, and its jobs are run, kept back or given up by the test. */
export const createMemoryBot = ({ model, tools, approval }: Given) => {
  const memory = createMemoryPorts(model, tools);
  const { clock, queue, platform, store } = memory;
  let attempts = 0;
  const ports = {
    ...memory.ports,
    settings: settingsWith(approval),
    ids: { attempt: () => `attempt-${++attempts}` as AttemptId },
  };
  const session = sessionId({ ...messageOf('m', CHAT, '', 0).to });
  let sent = 0;

  /** The next job of any lane, given back by `run` as often as the test likes. */
  const take = (): TakenJob | undefined => {
    const next = queue.ready(clock.now())[0];
    if (!next) return undefined;
    queue.remove(next.id);
    const { id, sequence, body } = next;
    const delivery = { id, sequence, queue: MAIN_QUEUE, deadline: clock.now() + AGENT_MS };
    return { job: JSON.parse(body) as Job, delivery };
  };
  const run = (taken: TakenJob) =>
    handle(ports, taken.job, { ...taken.delivery, deadline: clock.now() + AGENT_MS });

  return {
    ...memory,
    ports,
    id: session,
    write: (text: string, more: Partial<InboundMessage> = {}): Promise<Accepted> => {
      clock.advance(1000);
      sent += 1;
      return accept(ports, { ...messageOf(`m-${sent}`, CHAT, text, clock.now()), ...more });
    },
    click: (
      kind: InboundDecision['kind'],
      by?: PersonId,
      more: Partial<InboundDecision> = {},
    ): Promise<Accepted> => {
      clock.advance(1000);
      sent += 1;
      const { ask } = platform.lastCard().views[0] ?? {};
      const decision = decisionOf(`click-${sent}`, session, ask, kind);
      return accept(ports, { ...decision, ...(by && { by }), ...more });
    },
    take: (): TakenJob => {
      const taken = take();
      if (!taken) throw new Error('nothing is queued');
      return taken;
    },
    run,
    runAll: async () => {
      for (let taken = take(); taken; taken = take()) await run(taken);
    },
    giveUp: ({ job, delivery }: TakenJob) => giveUp(ports, job, delivery),
    session: async (): Promise<Session> =>
      readSession(session, (await store.read([keys.session(session)]))[0]),
  };
};
