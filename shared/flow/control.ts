import { everyoneWhoMay, mayDecideTask } from '#domain/ask.ts';
import { type PersonId, platformKey, turnId } from '#domain/ids.ts';
import type { ControlJob } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { forgetHistory, requestCancel } from '#domain/moves.ts';
import { currentAsk, openAsk, readSession, type Session } from '#domain/session.ts';
import { textsIn } from '#domain/texts.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';
import { claim } from './claim.ts';
import { fenceCalls } from './fence.ts';
import { channelOf } from './run.ts';

type CommandJob = Extract<ControlJob, { type: 'command' }>;

/** Commands and notices: answered in a lane of their own while a turn runs. */
export const control = async (
  ports: EnginePorts,
  job: ControlJob,
  delivery: Delivery,
): Promise<void> => {
  if (job.type === 'notice')
    return channelOf(ports, job.to.channel).say(
      job.to,
      job.text,
      platformKey(job.session, job.key),
    );
  const { to, id } = job.message;
  await channelOf(ports, to.channel).say(
    to,
    await answerTo(ports, job, delivery),
    platformKey(job.session, id, job.command),
  );
};

const answerTo = async (
  ports: EnginePorts,
  job: CommandJob,
  delivery: Delivery,
): Promise<string> => {
  const texts = textsIn(ports.settings.agent.language);
  switch (job.command) {
    case 'cancel':
      return cancel(ports, job);
    case 'status':
      return status(ports, job);
    case 'reset':
      return reset(ports, job, delivery);
    case 'whoami':
      return texts.whoami(job.message.from);
    case 'help':
    case 'enable':
    case 'disable':
      return texts.help;
    default:
      return job.command satisfies never;
  }
};

const load = async (ports: EnginePorts, job: CommandJob): Promise<Session> => {
  const [item] = await ports.store.read([keys.session(job.session)]);
  return readSession(job.session, item);
};

const isAdmin = (ports: EnginePorts, person: PersonId): boolean =>
  ports.settings.access.admins.includes(person);

const mayCancel = (ports: EnginePorts, session: Session, person: PersonId): boolean =>
  session.turn?.requester === person ||
  isAdmin(ports, person) ||
  (currentAsk(session)?.tasks.some((task) => mayDecideTask(task, person)) ?? false);

/** "Stopped" is said only of calls whose ledger row is ours; for the others: already started. */
const cancel = async (ports: EnginePorts, job: CommandJob): Promise<string> => {
  const texts = textsIn(ports.settings.agent.language);
  const session = await load(ports, job);
  const { turn } = session;
  const { from, id } = job.message;
  if (!turn) return texts.nothingToCancel;
  if (!mayCancel(ports, session, from)) return texts.mayNotCancel;
  const ask = openAsk(session);
  if (ask) {
    const decision = {
      id,
      kind: 'cancel',
      by: from,
      at: ports.clock.now(),
      via: 'command',
    } as const;
    const claimed = await claim(ports, { session: session.id, ask: ask.id, decision });
    if (claimed.kind !== 'refused') return texts.taken('cancel');
    if (claimed.refusal.reason !== 'already-decided') return texts.refusal(claimed.refusal);
  }
  await ports.store.write(requestCancel(session.id, turn.id, ports.clock.now()));
  const fenced = await fenceCalls(ports, await load(ports, job), turn);
  const named = (stopped: boolean) =>
    fenced.filter((one) => one.stopped === stopped).map((one) => one.tool);
  return texts.stopped(named(true), named(false));
};

const status = async (ports: EnginePorts, job: CommandJob): Promise<string> => {
  const session = await load(ports, job);
  const ask = openAsk(session);
  return textsIn(ports.settings.agent.language).status(
    session.phase,
    ask ? ask.tasks.map((task) => task.tool) : [],
    ask ? everyoneWhoMay(ask) : [],
    ask?.expiresAt,
    session.aside.length,
  );
};

const reset = async (ports: EnginePorts, job: CommandJob, delivery: Delivery): Promise<string> => {
  const texts = textsIn(ports.settings.agent.language);
  const written = await ports.store.write(
    forgetHistory(job.session, turnId(delivery.sequence), isAdmin(ports, job.message.from)),
  );
  return written.kind === 'written' ? texts.reset : texts.resetNeedsIdle;
};
