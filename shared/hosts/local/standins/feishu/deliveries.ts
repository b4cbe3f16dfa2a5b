import type { BotAnswer, Caller } from './callbacks.ts';
import type { Event } from './events.ts';
import type { Delivery, State, Try } from './state.ts';

/** Page event subscription: answered with HTTP 200 within 3 s, or sent again after each of these pauses. */
export const ANSWER_WITHIN_MS = 3_000;
const PAUSES_MS = [15_000, 300_000, 3_600_000, 21_600_000];
/** A timeout holds 24.8 days at most, and stands still while the machine sleeps: look again at least this often. */
const LONGEST_SLEEP_MS = 60_000;

export interface DeliveriesOptions {
  readonly state: Pick<State, 'deliveries'>;
  readonly caller: Caller;
  readonly now: () => number;
  /** What the pauses are multiplied by. */
  readonly scale: number;
  readonly answerWithinMs: number;
}

export interface Deliveries {
  /** Sends an event, and again until it is taken or given up. Does not wait for it. */
  send(event: Event, message: string): void;
  /** Keeps account of an event that is sent once, whatever comes of it. */
  record(event: Event, message: string, answer: BotAnswer): void;
  /** Sends an event once more although it was taken, as the platform now and then does. */
  redeliver(id: string): Promise<void>;
  /** Sends what is due and waits for the answers. */
  tick(): Promise<void>;
  /** Waits for what is under way. */
  settled(): Promise<void>;
  /** To be called when something may have become due. */
  wake(): void;
  stop(): Promise<void>;
}

const tryOf = (answer: BotAnswer, at: number): Try =>
  answer.kind === 'answered' ? { at, status: answer.status } : { at, error: answer.kind };

export const createDeliveries = (options: DeliveriesOptions): Deliveries => {
  const { caller, now, scale, answerWithinMs } = options;
  const table = options.state.deliveries;
  const running = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const after = ({ nextAt: _, ...delivery }: Delivery, answer: BotAnswer): Delivery => {
    const tries = [...delivery.tries, tryOf(answer, now())];
    const pause = PAUSES_MS[tries.length - 1];
    const taken = answer.kind === 'answered' && answer.status === 200;
    const again = !taken && pause !== undefined;
    return { ...delivery, tries, ...(again && { nextAt: now() + pause * scale }) };
  };

  const attempt = async (delivery: Delivery) => {
    const answer = await caller.call(delivery.payload, answerWithinMs);
    // Cut off by our own end: it stays due, and the next start sends it.
    if (answer.kind !== 'stopped') table.put(delivery.id, after(delivery, answer));
  };
  const run = (delivery: Delivery): Promise<void> => {
    const attempted = attempt(delivery).finally(() => {
      running.delete(delivery.id);
      wake();
    });
    running.set(delivery.id, attempted);
    return attempted;
  };

  const waiting = () =>
    table.all().filter(({ id, nextAt }) => nextAt !== undefined && !running.has(id));
  const tick = async () => {
    if (stopped || caller.url() === undefined) return;
    const due = waiting().filter(({ nextAt = 0 }) => nextAt <= now());
    await Promise.all(due.map(run));
  };
  const wake = () => {
    clearTimeout(timer);
    const times = waiting().map(({ nextAt = 0 }) => nextAt);
    if (stopped || times.length === 0 || caller.url() === undefined) return;
    const pause = Math.max(0, Math.min(...times) - now());
    const look = () => {
      void tick();
      wake();
    };
    timer = setTimeout(look, Math.min(pause, LONGEST_SLEEP_MS));
  };
  const settled = async () => {
    while (running.size > 0) await Promise.all(running.values());
  };

  const entry = (event: Event, message: string) => ({
    id: event.header.event_id,
    type: event.header.event_type,
    message,
    payload: JSON.stringify(event),
    tries: [],
  });

  return {
    send: (event, message) => {
      const delivery: Delivery = { ...entry(event, message), nextAt: now() };
      table.put(delivery.id, delivery);
      void tick();
    },
    record: (event, message, answer) => {
      const delivery = entry(event, message);
      table.put(delivery.id, { ...delivery, tries: [tryOf(answer, now())] });
    },
    redeliver: async (id) => {
      const delivery = table.get(id);
      if (!delivery) throw new Error(`there was no event ${id}`);
      const answer = await caller.call(delivery.payload, answerWithinMs);
      const { tries } = table.get(id) ?? delivery;
      table.put(id, { ...delivery, tries: [...tries, tryOf(answer, now())] });
    },
    tick,
    settled,
    wake,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      caller.stop();
      await settled();
    },
  };
};
