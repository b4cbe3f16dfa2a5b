import { set } from '#domain/expression.ts';
import { jobName } from '#domain/ids.ts';
import type { InboundMessage } from '#domain/inbound.ts';
import { nameOf, type TurnJob } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { handOver, passOn, putAside, putIfAbsent, startTurn } from '#domain/moves.ts';
import { currentAsk, leftLying, readSession, type Session, type Turn } from '#domain/session.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';
import { sendResume } from './claim.ts';
import { type InboxRow, turnOf } from './finish.ts';
import { giveUp } from './give-up.ts';
import { goOn, type Went } from './go-on.ts';
import { outliveAside } from './outlive.ts';
import { saveMessage } from './rows.ts';
import { channelOf, holds, placeOf, type Run, startRun } from './run.ts';
import { showAsk } from './suspend.ts';

export type Ran = Went | 'put-aside' | 'dropped' | 'given-up';

type MessageJob = Extract<TurnJob, { type: 'message' }>;
type NextJob = Extract<TurnJob, { type: 'next' }>;
type MoreJob = Extract<TurnJob, { type: 'more' }>;

/** A new message: it owns its inbox row, then it is started, or put aside while the session is busy. */
export const runTurn = async (
  ports: EnginePorts,
  job: MessageJob,
  delivery: Delivery,
): Promise<Ran> => {
  const { session: id, message } = job;
  const place = placeOf(delivery);
  const row: InboxRow = { message, sequence: place.sequence, delivery: delivery.id };
  const put = await ports.store.write(putIfAbsent(keys.inbox(id, message.id), { ...row }));
  const owner = put.item as unknown as InboxRow;
  if (owner.delivery !== delivery.id || owner.decided !== undefined || owner.dead) return 'dropped';
  const turn = turnOf(owner, nameOf(job));
  // A redriven job has a new number; the row's own says whether it was started.
  const own = { ...place, sequence: owner.sequence };
  if (job.introduce) await introduce(ports, message);
  for (;;) {
    const started = await ports.store.write(startTurn(id, turn, own));
    let session = readSession(id, started.item);
    if (started.kind === 'written') {
      const { from: requester, id: of } = message;
      ports.log.info('turn-started', { session: id, turn: turn.id, message: of, requester });
      await acknowledge(ports, message);
    }
    if (started.kind === 'written' || isAccepted(session, own))
      return begin(ports, job, session, turn, message, delivery);
    const lying = leftLying(session, ports.clock.now());
    if (lying) await sendResume(ports, id, lying, `again:${message.id}`);
    const aside = await ports.store.write(putAside(id, message.id, own));
    session = readSession(id, aside.item);
    if (aside.kind === 'written') {
      ports.log.info('message-put-aside', { session: id, message: message.id });
      await outliveAside(ports, session, message.id);
      await acknowledge(ports, message);
      return 'put-aside';
    }
    if (isAccepted(session, own)) return begin(ports, job, session, turn, message, delivery);
  }
};

/** A sign of life before anything slow. */
const acknowledge = (ports: EnginePorts, { to, id }: InboundMessage): Promise<void> =>
  asCourtesy(ports, 'acknowledge', () => channelOf(ports, to.channel).acknowledge?.(to, id));

/** From the next message on the webhook knows by which mention a group means this bot. */
const introduce = (ports: EnginePorts, { to }: InboundMessage): Promise<void> =>
  asCourtesy(ports, 'introduce', async () => {
    const self = await channelOf(ports, to.channel).identify?.();
    if (self)
      await ports.store.write({
        key: keys.app(to.channel, self.app),
        change: [set('bot', self.bot)],
      });
  });

/** The turn goes on without it. */
const asCourtesy = async (
  { log }: EnginePorts,
  what: string,
  act: () => Promise<void> | undefined,
): Promise<void> => {
  try {
    await act();
  } catch (error) {
    log.info('courtesy-failed', { what, why: String(error) });
  }
};

const isAccepted = (session: Session, place: { queue: string; sequence: string }): boolean =>
  session.accepted !== undefined &&
  session.accepted.queue === place.queue &&
  session.accepted.sequence >= place.sequence;

/** The next of the messages put aside. The finisher and this job make the same write; the first wins. */
export const runNext = async (
  ports: EnginePorts,
  job: NextJob,
  delivery: Delivery,
): Promise<Ran> => {
  const { session: id } = job;
  const [item] = await ports.store.read([keys.inbox(id, job.message)]);
  const row = item as unknown as InboxRow | undefined;
  // An operator may have forgotten the session since: then only the bare id is left.
  if (!row?.message) return 'dropped';
  const turn = turnOf(row, nameOf(job));
  const handed = await ports.store.write(handOver(id, job.turn, job.after, turn));
  return begin(ports, job, readSession(id, handed.item), turn, row.message, delivery);
};

/** The same turn, in a new function's time. */
export const runMore = async (
  ports: EnginePorts,
  job: MoreJob,
  delivery: Delivery,
): Promise<Ran> => {
  const { session: id, turn, after, part } = job;
  const passed = await ports.store.write(passOn(id, turn, after, nameOf(job), part));
  const session = readSession(id, passed.item);
  if (!session.turn || session.turn.id !== turn || !holds(session, nameOf(job)))
    return stepAside(ports, session, job, delivery);
  return drive(startRun(ports, job, session, session.turn, delivery), job, delivery);
};

const begin = async (
  ports: EnginePorts,
  job: TurnJob,
  session: Session,
  turn: Turn,
  message: InboundMessage,
  delivery: Delivery,
): Promise<Ran> => {
  if (!session.turn || session.turn.id !== turn.id || !holds(session, nameOf(job)))
    return stepAside(ports, session, job, delivery);
  const run = startRun(ports, job, session, session.turn, delivery);
  const key = keys.message(session.id, turn.id, 0, 'user');
  const text = await ports.store.keep(key, message.text);
  await saveMessage(ports.store, key, turn.id, {
    role: 'user',
    text,
    from: message.from,
    message: message.id,
  });
  return drive(run, job, delivery);
};

/** A zombie of the same name may have gone ahead and died: what it left is for us to finish before this job is done. */
export const drive = async (run: Run, job: TurnJob, delivery: Delivery): Promise<Ran> => {
  const went = await goOn(run);
  return went === 'lost' ? stepAside(run.ports, run.session, job, delivery) : went;
};

/** Not ours to run. But an ask that nobody saw is everybody's to show, and giving up what is dead is for its own job to end. */
export const stepAside = async (
  ports: EnginePorts,
  session: Session,
  job: TurnJob,
  delivery: Delivery,
): Promise<Ran> => {
  // Put back by an operator while the dead-letter function was half way through it.
  if (session.turn?.job === jobName.dead(nameOf(job))) {
    await giveUp(ports, job, delivery);
    return 'given-up';
  }
  if (job.type === 'message') await outliveAside(ports, session, job.message.id);
  await showAsk(ports, session);
  // Claimed by somebody who died before queueing it. A resume too many is dropped by the queue or loses at the take.
  const ask = currentAsk(session);
  if (ask?.state === 'decided') await sendResume(ports, session.id, ask, `again:${delivery.id}`);
  return 'dropped';
};
