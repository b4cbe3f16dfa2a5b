import { keys } from '#domain/keys.ts';
import { expire as expireMove } from '#domain/moves.ts';
import { currentAsk, readSession, unshownAsk } from '#domain/session.ts';
import type { FrontPorts } from '#ports/engine.ts';
import type { Scheduler, Timer } from '#ports/scheduler.ts';
import { sendResume } from './claim.ts';

export type TimerPorts = FrontPorts & { readonly scheduler: Scheduler };

/** A schedule fired: it competes for the same claim as everyone else, and queues again what was left behind. */
export const expire = async (ports: TimerPorts, timer: Timer): Promise<void> => {
  if (timer.tick) return tick(ports, timer);
  // The time in the payload, not this function's clock: behind by a second it would use up the timer for nothing.
  const written = await ports.store.write(expireMove(timer.session, timer.ask, timer.expiresAt));
  const ask = currentAsk(readSession(timer.session, written.item));
  if (ask?.id === timer.ask && ask.state === 'decided')
    await sendResume(ports, timer.session, ask, 'timeout');
};

const tick = async (ports: TimerPorts, timer: Timer): Promise<void> => {
  const [item] = await ports.store.read([keys.session(timer.session)]);
  const session = readSession(timer.session, item);
  const ask = currentAsk(session);
  if (ask?.id !== timer.ask || ask.state === 'taken')
    return ports.scheduler.cancel(tickName(timer.ask));
  if (ask.state === 'decided' || unshownAsk(session))
    await sendResume(ports, timer.session, ask, `tick:${ports.clock.now()}`);
};

export const tickName = (ask: string) => `${ask}-tick`;
