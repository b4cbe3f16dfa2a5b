import { type Ask, everyoneWhoMay, type Question, type Shown, type Task } from '#domain/ask.ts';
import { bindingOfAsk } from '#domain/binding.ts';
import type { ToolCall } from '#domain/conversation.ts';
import { askId, platformKey } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import {
  expire as expireMove,
  markShown,
  openAsk as openAskMove,
  putIfAbsent,
} from '#domain/moves.ts';
import { longerFor } from '#domain/retention.ts';
import { currentAsk, readSession, recentWith, type Session, unshownAsk } from '#domain/session.ts';
import type { Receiver, TaskView } from '#ports/channel.ts';
import type { EnginePorts } from '#ports/engine.ts';
import { viewOf } from './cards.ts';
import { sendResume } from './claim.ts';
import { isRetryable } from './errors.ts';
import { tickName } from './expire.ts';
import { outlive } from './outlive.ts';
import { channelOf, holds, ifPossible, type Run, textsOf } from './run.ts';

export interface Asked {
  readonly step: number;
  readonly kind: Ask['kind'];
  readonly tasks: readonly Task[];
  readonly calls: readonly ToolCall[];
  readonly views: readonly TaskView[];
  readonly question?: Question;
  readonly timeoutSeconds: number;
}

const TICK_MINUTES = 15;

/** Save the ask, set its timer, show it, in that order and each repeatable; then nobody waits for the person. */
export const suspend = async (
  run: Run,
  asked: Asked,
): Promise<'suspended' | 'cancelled' | 'lost'> => {
  const { store, clock, settings } = run.ports;
  const previous = currentAsk(run.session);
  const nth = (previous?.nth ?? 0) + 1;
  const id = askId(run.session.id, run.turn.id, nth);
  const now = clock.now();
  const expiresAt = now + asked.timeoutSeconds * 1000;
  const ask: Ask = {
    id,
    kind: asked.kind,
    number: run.session.asked + 1,
    nth,
    round: roundAfter(previous, asked.step),
    step: asked.step,
    turn: run.turn.id,
    state: 'open',
    openedAt: now,
    expiresAt,
    binding: bindingOfAsk(asked.calls, asked.question),
    tasks: asked.tasks,
    ...(asked.question && { question: asked.question }),
    requester: run.turn.requester,
    shown: [],
    details: await store.keep(
      keys.message(run.session.id, run.turn.id, asked.step, `ask-${nth}`),
      JSON.stringify(asked.views),
      longerFor(expiresAt, now, settings.retention),
    ),
  };
  const written = await store.write(
    openAskMove(run.session.id, run.job, ask, recentWith(run.session)),
  );
  run.session = readSession(run.session.id, written.item);
  if (currentAsk(run.session)?.id !== id)
    return holds(run.session, run.job) && run.session.turn?.cancelAt !== undefined
      ? 'cancelled'
      : 'lost';
  run.ports.log.info('ask-opened', {
    session: run.session.id,
    turn: run.turn.id,
    ask: id,
    kind: ask.kind,
    tools: ask.tasks.map((task) => task.tool),
    round: ask.round,
    expiresAt: ask.expiresAt,
  });
  await showAsk(run.ports, run.session);
  return 'suspended';
};

/**
 * Cards linked by `modify` count up, over questions that the model asks in between; what is asked anew in the same step,
 * because something changed or lapsed, keeps its round.
 */
const roundAfter = (previous: Ask | undefined, step: number): number => {
  if (!previous) return 1;
  if (previous.decision?.kind === 'modify') return previous.round + 1;
  return previous.kind !== 'confirm' || previous.step === step ? previous.round : 1;
};

/** What is left of a suspension: timer, card, and what was shown. Any job that finds an ask nobody saw does this. */
export const showAsk = async (ports: EnginePorts, session: Session): Promise<void> => {
  const ask = unshownAsk(session);
  const { turn } = session;
  if (!ask || !turn) return;
  const { to } = turn;
  // First of all the timer: whatever happens to this process, it comes back for the ask.
  await setTimers(ports, session, ask);
  await outlive(ports, session, turn, ask);
  const now = ports.clock.now();
  if (now > ask.expiresAt - shortestLife(ask)) {
    // Too late to be read in time: nobody saw it, so it times out and is asked anew.
    const written = await ports.store.write(expireMove(session.id, ask.id, ask.expiresAt, now));
    const found = currentAsk(readSession(session.id, written.item));
    if (found?.id === ask.id && found.state === 'decided')
      await sendResume(ports, session.id, ask, 'unshown');
    return;
  }
  const channel = channelOf(ports, to.channel);
  const view = await viewOf(ports, session, ask, { state: 'waiting' });
  const shown: Shown[] = [];
  const receivers = receiversOf(ports, session, ask);
  let refused: unknown;
  for (const receiver of receivers) {
    const key = platformKey(session.id, ask.id, receiverName(receiver));
    try {
      shown.push(await channel.show(view, receiver, key));
    } catch (error) {
      if (isRetryable(error)) throw error;
      // One approver who left must not keep the others from deciding.
      refused = error;
      ports.log.warn('card-not-shown', { session: session.id, ask: ask.id, why: String(error) });
    }
  }
  if (shown.length === 0) throw refused;
  for (const { message } of shown)
    await ports.store.write(
      putIfAbsent(keys.reference(to.channel, to.app, message), {
        session: session.id,
        ask: ask.id,
      }),
    );
  if (!receivers.some((one) => one.kind === 'chat' && one.to.chat === to.chat))
    await ifPossible(ports, session.id, () =>
      channel.say(
        to,
        textsOf(ports).askedElsewhere(everyoneWhoMay(ask), ask.expiresAt),
        platformKey(session.id, ask.id, 'elsewhere'),
      ),
    );
  await ports.store.write(markShown(session.id, ask.id, shown));
  ports.log.info('ask-shown', { session: session.id, ask: ask.id, copies: shown.length });
};

const shortestLife = (ask: Ask): number => Math.min(30_000, (ask.expiresAt - ask.openedAt) / 2);

const setTimers = async (
  { scheduler }: EnginePorts,
  { id: session }: Session,
  ask: Ask,
): Promise<void> => {
  const timer = { session, ask: ask.id, expiresAt: ask.expiresAt };
  await scheduler.once(ask.id, ask.expiresAt, timer);
  const first = ask.openedAt + TICK_MINUTES * 60_000;
  if (first >= ask.expiresAt) return;
  await scheduler.every(
    tickName(ask.id),
    { minutes: TICK_MINUTES, from: first, until: ask.expiresAt },
    { ...timer, tick: true },
  );
};

const receiversOf = (
  { settings }: EnginePorts,
  { turn }: Session,
  ask: Ask,
): readonly Receiver[] => {
  const to = turn?.to;
  if (!to) return [];
  const { deliverTo } = settings.approval;
  if (deliverTo === 'chat' || ask.kind !== 'confirm') return [{ kind: 'chat', to }];
  if (deliverTo !== 'approvers')
    return [
      { kind: 'chat', to: { channel: to.channel, app: to.app, chat: deliverTo, group: true } },
    ];
  const people = [
    ...new Set(
      ask.tasks.flatMap((task) => task.may.filter((person) => !task.not.includes(person))),
    ),
  ];
  // A list may name people of several platforms; each hears of what is asked on theirs.
  const here = people.filter((person) => person.startsWith(`${to.channel}:`));
  if (people.includes('*') || here.length === 0) return [{ kind: 'chat', to }];
  return here.map((person) => ({ kind: 'person', person }) as Receiver);
};

const receiverName = (receiver: Receiver): string =>
  receiver.kind === 'chat' ? receiver.to.chat : receiver.person;
