import type { Envelope } from '#domain/job.ts';
import type { Queue } from '#ports/queue.ts';

/** SQS FIFO as it really behaves: one in flight per group, given again when its visibility ends, moved aside at last. */
export interface QueuedMessage extends Envelope {
  readonly id: string;
  readonly sequence: string;
  readonly receives: number;
  readonly visibleAt: number;
}

export interface QueueState {
  readonly messages: readonly QueuedMessage[];
  readonly dead: readonly QueuedMessage[];
  /** Deduplication id → when it was first sent; a repeat within five minutes is accepted and dropped. */
  readonly sent: Readonly<Record<string, number>>;
  readonly sequence: number;
}

export interface MemoryQueue extends Queue {
  /** The groups' heads that may be given out now. */
  ready(now: number): readonly QueuedMessage[];
  receive(id: string, now: number, visibilityMs: number): QueuedMessage | undefined;
  remove(id: string): void;
  postpone(id: string, visibleAt: number): void;
  removeDead(id: string): void;
  snapshot(): QueueState;
  restore(state: QueueState): void;
}

const DEDUPLICATION_MS = 5 * 60_000;
/** Real sequence numbers have 20 digits: small ones would hide a comparison that is not padded. */
const FIRST_SEQUENCE = 18_850_000_000_000_000_000n;

export const createMemoryQueue = (now: () => number, maxReceives = 5): MemoryQueue => {
  let state: QueueState = { messages: [], dead: [], sent: {}, sequence: 0 };
  const change = (id: string, changed: Partial<QueuedMessage>) => {
    state = {
      ...state,
      messages: state.messages.map((one) => (one.id === id ? { ...one, ...changed } : one)),
    };
  };
  const heads = () => {
    const seen = new Set<string>();
    return state.messages.filter(({ group }) => !seen.has(group) && seen.add(group));
  };

  return {
    send: async (envelope) => {
      const first = state.sent[envelope.deduplication];
      if (first !== undefined && now() - first < DEDUPLICATION_MS) return;
      const sequence = state.sequence + 1;
      const message: QueuedMessage = {
        ...envelope,
        id: `sqs-${sequence}`,
        sequence: String(FIRST_SEQUENCE + BigInt(sequence)),
        receives: 0,
        visibleAt: 0,
      };
      state = {
        ...state,
        sequence,
        sent: { ...state.sent, [envelope.deduplication]: now() },
        messages: [...state.messages, message],
      };
    },
    ready: (at) => heads().filter((head) => head.visibleAt <= at),
    receive: (id, at, visibilityMs) => {
      const message = heads().find((head) => head.id === id && head.visibleAt <= at);
      if (!message) return undefined;
      if (message.receives >= maxReceives) {
        state = {
          ...state,
          messages: state.messages.filter((one) => one.id !== id),
          dead: [...state.dead, message],
        };
        return undefined;
      }
      change(id, { receives: message.receives + 1, visibleAt: at + visibilityMs });
      return { ...message, receives: message.receives + 1 };
    },
    remove: (id) => {
      state = { ...state, messages: state.messages.filter((one) => one.id !== id) };
    },
    postpone: (id, visibleAt) => change(id, { visibleAt }),
    removeDead: (id) => {
      state = { ...state, dead: state.dead.filter((one) => one.id !== id) };
    },
    snapshot: () => state,
    restore: (snapshot) => {
      state = snapshot;
    },
  };
};
