import { everyoneWhoMay } from '#domain/ask.ts';
import { currentAsk } from '#domain/session.ts';
import { busySessions } from './found.ts';
import { expectNoWords, timeText, type Verb } from './verb.ts';

/** What waits for a person, that which expires first on top. */
export const asks: Verb = async (asked) => {
  expectNoWords('asks', asked);
  const { store } = await asked.target();
  const waiting = (await busySessions(store)).flatMap((session) => {
    const ask = currentAsk(session);
    return ask && session.phase.startsWith('WAITING') ? [{ session, ask }] : [];
  });
  return {
    none: 'nothing waits for a person',
    rows: waiting
      .toSorted((a, b) => a.ask.expiresAt - b.ask.expiresAt)
      .map(({ session, ask }) => ({
        session: session.id,
        ask: ask.id,
        kind: ask.kind,
        state: ask.state,
        tools: ask.tasks.map(({ tool }) => tool),
        may: everyoneWhoMay(ask),
        since: timeText(ask.openedAt),
        deadline: timeText(ask.expiresAt),
      })),
  };
};
