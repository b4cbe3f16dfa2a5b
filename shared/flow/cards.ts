import type { Ask, Decision, DecisionKind, SettledState } from '#domain/ask.ts';
import { platformKey, type SessionId } from '#domain/ids.ts';
import type { Session } from '#domain/session.ts';
import type { Language } from '#domain/settings.ts';
import type { AskView, CardState, TaskResult, TaskView } from '#ports/channel.ts';
import type { EnginePorts } from '#ports/engine.ts';
import { isRetryable } from './errors.ts';
import { channelOf } from './run.ts';

const DECIDED: Record<DecisionKind, SettledState> = {
  confirm: 'running',
  modify: 'replaced',
  cancel: 'cancelled',
  answer: 'answered',
  timeout: 'expired',
  'gave-up': 'gave-up',
};

/** The card of a decided ask: before anything came of it, or with what did. */
export const decidedCard = (
  { kind, at, by }: Decision,
  state = DECIDED[kind],
  results?: readonly TaskResult[],
): CardState => ({ state, kind, at, ...(by && { by }), ...(results && { results }) });

const viewWith = (
  session: SessionId,
  ask: Ask,
  details: string,
  card: CardState,
  language: Language,
): AskView => ({
  session,
  ask,
  tasks: JSON.parse(details) as TaskView[],
  ...(ask.question && { question: ask.question }),
  card,
  language,
});

export const viewOf = async (
  { store, settings }: EnginePorts,
  session: Session,
  ask: Ask,
  card: CardState,
): Promise<AskView> => ({
  ...viewWith(session.id, ask, await store.fetch(ask.details), card, settings.agent.language),
  ...(session.turn && { to: session.turn.to }),
});

/** For the answer to a click, which has no time to read more; what lies elsewhere is shown by the update that follows. */
export const decidedView = (
  session: SessionId,
  ask: Ask,
  language: Language,
): AskView | undefined =>
  ask.decision && ask.details.kind === 'inline'
    ? viewWith(session, ask, ask.details.text, decidedCard(ask.decision), language)
    : undefined;

/** Every copy of the card shows the same. One that will never take it is left as it is: what must be said is said as text. */
export const updateCards = async (
  ports: EnginePorts,
  session: Session,
  ask: Ask,
  card: CardState,
): Promise<void> => {
  const channel = session.turn && channelOf(ports, session.turn.to.channel);
  if (!channel || ask.shown.length === 0) return;
  const view = await viewOf(ports, session, ask, card);
  for (const copy of ask.shown)
    try {
      await channel.update(view, copy, platformKey(session.id, ask.id, copy.message, card.state));
    } catch (error) {
      if (isRetryable(error)) throw error;
      ports.log.warn('card-not-updated', { session: session.id, ask: ask.id, why: String(error) });
    }
};

/** The same where nothing may wait for it. */
export const updateCardsIfPossible = async (
  ports: EnginePorts,
  session: Session,
  ask: Ask,
  card: CardState,
): Promise<void> => {
  try {
    await updateCards(ports, session, ask, card);
  } catch (error) {
    ports.log.warn('card-not-updated', { session: session.id, ask: ask.id, why: String(error) });
  }
};
