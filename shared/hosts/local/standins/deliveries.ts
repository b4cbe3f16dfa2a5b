import type { BotAnswer } from './bot-call.ts';
import type { Table } from './state-file.ts';

/** A timeout holds 24.8 days at most, and stands still while the machine sleeps: look again at least this often. */
const LONGEST_SLEEP_MS = 60_000;
const FINISHED_DELIVERIES = 200;

export interface Try {
  readonly at: number;
  readonly status?: number;
  readonly error?: string;
}

/** One event on its way to the bot. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  /** The message the event is about. */
  readonly message: string;
  /** The event before it is sealed or signed. */
  readonly payload: string;
  readonly tries: readonly Try[];
  /** When it is tried next; absent when it was taken, or given up. */
  readonly nextAt?: number;
}

export type Outgoing = Pick<Delivery, 'id' | 'type' | 'message' | 'payload'>;

export interface DeliveriesOptions {
  readonly table: Table<Delivery>;
  /** Whether the bot has said where it is. */
  ready(): boolean;
  call(delivery: Outgoing): Promise<BotAnswer>;
  readonly now: () => number;
  /** Not taken with HTTP 200, an event is sent again after each of these. */
  readonly pausesMs: readonly number[];
  /** Told what the bot answered, once that is written down. */
  answered?(delivery: Outgoing, answer: BotAnswer): void;
}

export interface Deliveries {
  /** Sends an event, and again until it is taken or given up. Does not wait for it. */
  send(event: Outgoing): void;
  /** Keeps account of an event that is sent once, whatever comes of it. */
  record(event: Outgoing, answer: BotAnswer): void;
  /** Sends an event once more although it was taken, as a platform now and then does. */
  redeliver(id: string): Promise<void>;
  /** Sends what is due and waits for the answers. */
  tick(): Promise<void>;
  /** Waits for what is under way. */
  settled(): Promise<void>;
  /** To be called when something may have become due. */
  wake(): void;
  /** Sends no more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** Keeps what is yet to be sent, and the newest of what is over. */
export const forgetFinished = (rows: Map<string, Delivery>): void => {
  const finished = [...rows.values()].filter(({ nextAt }) => nextAt === undefined);
  for (const { id } of finished.slice(0, -FINISHED_DELIVERIES)) rows.delete(id);
};

const tryOf = (answer: BotAnswer, at: number): Try =>
  answer.kind === 'answered' ? { at, status: answer.status } : { at, error: answer.kind };

export const createDeliveries = (options: DeliveriesOptions): Deliveries => {
  const { table, now, ready, call, pausesMs } = options;
  const running = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const after = ({ nextAt: _, ...delivery }: Delivery, answer: BotAnswer): Delivery => {
    const tries = [...delivery.tries, tryOf(answer, now())];
    const pause = pausesMs[tries.length - 1];
    const taken = answer.kind === 'answered' && answer.status === 200;
    const again = !taken && pause !== undefined;
    return { ...delivery, tries, ...(again && { nextAt: now() + pause }) };
  };

  const attempt = async (delivery: Delivery) => {
    const answer = await call(delivery);
    // Cut off by our own end: it stays due, and the next start sends it.
    if (answer.kind === 'stopped') return;
    table.put(delivery.id, after(delivery, answer));
    options.answered?.(delivery, answer);
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
    if (stopped || !ready()) return;
    const due = waiting().filter(({ nextAt = 0 }) => nextAt <= now());
    await Promise.all(due.map(run));
  };
  const wake = () => {
    clearTimeout(timer);
    const times = waiting().map(({ nextAt = 0 }) => nextAt);
    if (stopped || times.length === 0 || !ready()) return;
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

  return {
    send: (event) => {
      table.put(event.id, { ...event, tries: [], nextAt: now() });
      void tick();
    },
    record: (event, answer) => {
      table.put(event.id, { ...event, tries: [tryOf(answer, now())] });
    },
    redeliver: async (id) => {
      const delivery = table.get(id);
      if (!delivery) throw new Error(`there was no event ${id}`);
      const answer = await call(delivery);
      const { tries } = table.get(id) ?? delivery;
      table.put(id, { ...delivery, tries: [...tries, tryOf(answer, now())] });
      options.answered?.(delivery, answer);
    },
    tick,
    settled,
    wake,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await settled();
    },
  };
};
