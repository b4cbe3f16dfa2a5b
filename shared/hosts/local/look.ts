import { everyoneWhoMay } from '#domain/ask.ts';
import type { SessionId } from '#domain/ids.ts';
import { sessionId } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { currentAsk, readSession } from '#domain/session.ts';
import type { Store } from '#ports/store.ts';
import type { Journal } from './journal.ts';
import type { Look } from './playground.ts';

/** How the session of a chat stands: from the store, with what the log lately said of it. */
export const lookAt = async (
  store: Store,
  journal: Journal,
  channel: string,
  app: string,
  chat: string,
): Promise<Look> => {
  const id = journal.latestOf(sessionId({ channel, app, chat })) as SessionId;
  const session = readSession(id, (await store.read([keys.session(id)]))[0]);
  const ask = currentAsk(session);
  return {
    session: id,
    phase: session.phase,
    ...(ask && {
      ask: {
        id: ask.id,
        kind: ask.kind,
        tools: ask.tasks.map(({ tool }) => tool),
        expiresAt: ask.expiresAt,
        may: everyoneWhoMay(ask),
        round: ask.round,
        state: ask.state,
      },
    }),
    waiting: session.aside.length,
    events: journal.eventsOf(id),
  };
};
