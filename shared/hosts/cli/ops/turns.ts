import { currentAsk, type Session } from '#domain/session.ts';
import { busySessions } from './found.ts';
import { expectNoWords, timeText, type Verb } from './verb.ts';

/** What runs, the oldest on top. */
export const turns: Verb = async (asked) => {
  expectNoWords('turns', asked);
  const { store } = await asked.target();
  const running = (await busySessions(store)).filter(({ phase }) => phase === 'EXECUTING');
  return {
    none: 'nothing runs',
    rows: running
      .toSorted((a, b) => (sinceOf(a) ?? 0) - (sinceOf(b) ?? 0))
      .map((session) => ({
        session: session.id,
        turn: session.turn?.id,
        job: session.turn?.job,
        requester: session.turn?.requester,
        since: timeText(sinceOf(session)),
        aside: session.aside.length,
      })),
  };
};

/** Since its message was written or, after a question, since that was settled: the time people took does not count. */
const sinceOf = (session: Session): number | undefined =>
  currentAsk(session)?.decision?.at ?? session.turn?.sentAt;
