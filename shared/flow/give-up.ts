import { type JobName, jobName, platformKey, turnId } from '#domain/ids.ts';
import { type Job, nameOf, type TurnJob } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { fence, putIfAbsent, seizeAsk, seizeTurn } from '#domain/moves.ts';
import { recordFailure } from '#domain/operator-moves.ts';
import { currentAsk, readSession, type Session, type Turn } from '#domain/session.ts';
import { NewerVersionError } from '#domain/version.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';
import { decidedCard, updateCardsIfPossible } from './cards.ts';
import { contextOf, readLedger } from './carry-out.ts';
import { fenceCalls } from './fence.ts';
import { finish, type InboxRow } from './finish.ts';
import { outliveAside } from './outlive.ts';
import { recordDecision } from './record-decision.ts';
import { finalOf } from './rows.ts';
import { channelOf, ifPossible, isTurnJob, placeOf, type Run, say, textsOf } from './run.ts';

/** A job failed for good: fence what it might still have done, say what ran and what did not, free the session. */
export const giveUp = async (
  ports: EnginePorts,
  job: Job,
  delivery: Delivery,
): Promise<'told' | 'nothing'> => {
  if (!isTurnJob(job)) {
    ports.log.error('control-job-failed', { session: job.session, type: job.type });
    return 'nothing';
  }
  try {
    if (job.type === 'message') {
      const owned = await ownMessage(ports, job, delivery);
      if (owned !== 'seize') return owned;
    }
    const seized = await seize(ports, job);
    return seized
      ? await tellAndFree(ports, seized.session, seized.turn, delivery, job)
      : 'nothing';
  } catch (error) {
    if (!(error instanceof NewerVersionError)) throw error;
    // After a rollback. What a newer release wrote is left as it is; the job is kept, to be put back once rolled forward.
    if (job.type === 'message') return tellFailed(ports, job, delivery);
    ports.log.error('person-not-told', { session: job.session, why: error.message });
    await keepFailedJob(ports, job, delivery);
    return 'nothing';
  }
};

type MessageJob = Extract<TurnJob, { type: 'message' }>;

/** Nobody may begin this message any more; if its turn began, that has to be seized. */
const ownMessage = async (
  ports: EnginePorts,
  job: MessageJob,
  delivery: Delivery,
): Promise<'told' | 'nothing' | 'seize'> => {
  const { session: id, message } = job;
  const { store } = ports;
  const row: InboxRow = {
    message,
    sequence: placeOf(delivery).sequence,
    delivery: delivery.id,
    dead: true,
  };
  const put = await store.write(putIfAbsent(keys.inbox(id, message.id), { ...row }));
  const owner = put.item as unknown as InboxRow;
  if (owner.delivery !== delivery.id || owner.decided !== undefined) return 'nothing';
  if (owner.dead) return tellFailed(ports, job, delivery);
  const fenced = await store.write(fence(id, { queue: delivery.queue, sequence: owner.sequence }));
  const session = readSession(id, fenced.item);
  const turn = turnId(owner.sequence);
  if (session.turn?.id === turn) return 'seize';
  // Put aside it comes to its turn all the same; what its job was still to do for it is done here.
  await outliveAside(ports, session, message.id);
  if (session.aside.includes(message.id) || (await finalOf(store, id, turn))) return 'nothing';
  return tellFailed(ports, job, delivery);
};

const tellFailed = async (
  ports: EnginePorts,
  job: MessageJob,
  delivery: Delivery,
): Promise<'told'> => {
  const { session, message } = job;
  const channel = channelOf(ports, message.to.channel);
  const key = platformKey(session, message.id, 'failed');
  await ifPossible(ports, session, () =>
    channel.say(message.to, textsOf(ports).failed([], [], []), key),
  );
  await keepFailedJob(ports, job, delivery);
  return 'told';
};

const seize = async (
  ports: EnginePorts,
  job: TurnJob,
): Promise<{ session: Session; turn: Turn } | undefined> => {
  const { session: id } = job;
  const name = nameOf(job);
  const dead = jobName.dead(name);
  const [item] = await ports.store.read([keys.session(id)]);
  let session = readSession(id, item);
  for (;;) {
    const { turn } = session;
    if (!turn || ('turn' in job && job.type !== 'next' && turn.id !== job.turn)) return undefined;
    if (turn.job === dead) return { session, turn };
    const ask = currentAsk(session);
    const seized = {
      ask: ask?.id,
      resumes: job.type === 'resume' && job.ask === ask?.id,
      now: ports.clock.now(),
    };
    const written = await ports.store.write(
      seized.ask
        ? seizeAsk(id, turn.id, name, dead, { ...seized, ask: seized.ask })
        : seizeTurn(id, turn.id, name, dead),
    );
    session = readSession(id, written.item);
    // Refused by what was just read means it is not ours; refused by something newer means look again.
    const same = currentAsk(session)?.id === ask?.id && session.turn?.id === turn.id;
    if (written.kind === 'refused' && same && session.turn?.job !== dead) return undefined;
  }
};

const tellAndFree = async (
  ports: EnginePorts,
  session: Session,
  turn: Turn,
  delivery: Delivery,
  job: TurnJob,
): Promise<'told'> => {
  const run: Run = {
    ports,
    job: turn.job as JobName,
    turn,
    attempt: ports.ids.attempt(),
    deadline: delivery.deadline,
    session,
    fresh: false,
  };
  const ran: string[] = [];
  const maybe: string[] = [];
  const not: string[] = [];
  for (const { tool, work, key, stopped, row } of await fenceCalls(ports, session, turn)) {
    const { outcome } = stopped
      ? { outcome: 'stopped' }
      : await readLedger(ports, key, row, work, contextOf(run), true);
    (outcome === 'unknown' ? maybe : outcome === 'done' || outcome === 'failed' ? ran : not).push(
      tool,
    );
  }
  const ask = currentAsk(session);
  if (ask?.decision) {
    await recordDecision(ports, session, ask);
    const state = maybe.length > 0 ? 'unknown' : 'gave-up';
    await updateCardsIfPossible(ports, session, ask, decidedCard(ask.decision, state));
    await ports.store.write(
      putIfAbsent(keys.audit(session.id, ask.decision.at, ask.id, 'outcome'), {
        ask: ask.id,
        outcome: state,
        ran,
        maybe,
        not,
      }),
    );
  }
  await keepFailedJob(ports, job, delivery);
  // If the answer was found, maybe told, `finish` tells that (again) and does not call it a failure.
  await finish(run, textsOf(ports).failed(ran, maybe, not), 'failed', sayIfPossible);
  return 'told';
};

const sayIfPossible: typeof say = (run, text, key) =>
  ifPossible(run.ports, run.session.id, () => say(run, text, key));

const keepFailedJob = async (
  ports: EnginePorts,
  job: TurnJob,
  delivery: Delivery,
): Promise<void> => {
  ports.log.error('job-failed', { session: job.session, job: nameOf(job), delivery: delivery.id });
  await ports.store.write(recordFailure(job, delivery.id, ports.clock.now()));
};
