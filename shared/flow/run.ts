import type { AttemptId, JobName } from '#domain/ids.ts';
import { paddedSequence } from '#domain/ids.ts';
import { type Job, nameOf, type TurnJob } from '#domain/job.ts';
import type { QueuePlace } from '#domain/moves.ts';
import type { Session, Turn } from '#domain/session.ts';
import { type Texts, textsIn } from '#domain/texts.ts';
import type { Channel } from '#ports/channel.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';
import type { Tool } from '#ports/tool.ts';
import { isRetryable } from './errors.ts';

/** One invocation's hold on a turn. */
export interface Run {
  readonly ports: EnginePorts;
  readonly job: JobName;
  readonly turn: Turn;
  readonly attempt: AttemptId;
  readonly deadline: number;
  /** The session as this run last saw it. */
  session: Session;
  /** Nothing slow was done yet: handing the turn on now would only go round in circles. */
  fresh: boolean;
}

export const startRun = (
  ports: EnginePorts,
  job: TurnJob,
  session: Session,
  turn: Turn,
  delivery: Delivery,
): Run => ({
  ports,
  job: nameOf(job),
  turn,
  attempt: ports.ids.attempt(),
  deadline: delivery.deadline,
  session,
  fresh: true,
});

export const placeOf = (delivery: Delivery): QueuePlace => ({
  queue: delivery.queue,
  sequence: paddedSequence(delivery.sequence),
});

export const isTurnJob = (job: Job): job is TurnJob =>
  job.type !== 'command' && job.type !== 'notice';

/** Does this job hold the session's running turn? */
export const holds = (session: Session, job: JobName): boolean =>
  session.phase === 'EXECUTING' && session.turn?.job === job;

export const channelOf = (ports: EnginePorts, name: string): Channel => {
  const channel = ports.channels[name];
  if (!channel)
    throw new Error(
      `no channel is called ${name}; known are ${Object.keys(ports.channels).join(', ')}`,
    );
  return channel;
};

/** By a name that a model made up: `constructor` is no tool. */
export const toolNamed = ({ tools }: EnginePorts, name: string): Tool | undefined =>
  Object.hasOwn(tools, name) ? tools[name] : undefined;

export const textsOf = (ports: EnginePorts): Texts => textsIn(ports.settings.agent.language);

export const say = (run: Run, text: string, key: string): Promise<void> =>
  channelOf(run.ports, run.turn.to.channel).say(run.turn.to, text, key);

/** A platform that will never take it must not keep the session: the operator reads of it instead. */
export const ifPossible = async (
  { log }: EnginePorts,
  session: Session['id'],
  tell: () => Promise<void>,
): Promise<void> => {
  try {
    await tell();
  } catch (error) {
    if (isRetryable(error)) throw error;
    log.error('person-not-told', { session, why: String(error) });
  }
};
