import { type Answer, refuse } from './answers.ts';

/** How much the platform takes (pages "frequency control", message/create, message/patch). */
export interface Rates {
  readonly perChatPerSecond: number;
  readonly perMessagePerSecond: number;
  readonly perApiPerSecond: number;
  readonly perApiPerMinute: number;
  /** All calls together, for tenants that have a monthly quota; counted from when it is set. */
  readonly calls: number;
}

/** An error the platform makes on purpose. */
export interface Fault {
  /** What the path begins with. Absent: every path. */
  readonly path?: string;
  readonly method?: string;
  /** Absent or 0: the call is answered as it should be, perhaps late. */
  readonly code?: number;
  /** 400 unless said. */
  readonly status?: number;
  readonly times: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** The call is carried out, and its answer lost: the caller is told `code`. */
  readonly afterwards?: boolean;
}

export interface Limits {
  set(rates: Partial<Rates>): void;
  /** Counts a call of an API; the refusal if there were too many. */
  ofApi(api: string): Answer | undefined;
  ofChat(chat: string): Answer | undefined;
  ofMessage(message: string): Answer | undefined;
  addFault(fault: Fault): void;
  /** The fault that meets this call. */
  takeFault(method: string, path: string): Fault | undefined;
}

const SECOND = 1000;
const MINUTE = 60_000;

export const createLimits = (now: () => number): Limits => {
  let rates: Rates = {
    perChatPerSecond: 5,
    perMessagePerSecond: 5,
    perApiPerSecond: 50,
    perApiPerMinute: 1000,
    calls: Number.POSITIVE_INFINITY,
  };
  let calls = 0;
  const times = new Map<string, number[]>();
  let faults: { readonly fault: Fault; left: number }[] = [];

  const recent = (key: string, windowMs: number) => {
    const kept = (times.get(key) ?? []).filter((at) => now() - at < MINUTE);
    if (kept.length > 0) times.set(key, kept);
    else times.delete(key);
    return kept.filter((at) => now() - at < windowMs);
  };
  const count = (key: string) => times.set(key, [...(times.get(key) ?? []), now()]);

  const tooFrequent = (key: string, limit: number): Answer | undefined => {
    if (recent(key, SECOND).length >= limit) return refuse(230020);
    count(key);
    return undefined;
  };

  return {
    set: (changed) => {
      rates = { ...rates, ...changed };
      calls = 0;
    },
    ofApi: (api) => {
      if (calls >= rates.calls) return refuse(99991403);
      for (const [limit, windowMs] of [
        [rates.perApiPerSecond, SECOND],
        [rates.perApiPerMinute, MINUTE],
      ] as const) {
        const made = recent(api, windowMs);
        if (made.length < limit) continue;
        const [oldest = now()] = made;
        const headers = {
          'x-ogw-ratelimit-limit': String(limit),
          'x-ogw-ratelimit-reset': String(Math.ceil((oldest + windowMs - now()) / SECOND)),
        };
        return { ...refuse(99991400), headers };
      }
      calls += 1;
      count(api);
      return undefined;
    },
    ofChat: (chat) => tooFrequent(chat, rates.perChatPerSecond),
    ofMessage: (message) => tooFrequent(message, rates.perMessagePerSecond),
    addFault: (fault) => {
      faults.push({ fault, left: fault.times });
    },
    takeFault: (method, path) => {
      const meets = ({ fault }: { fault: Fault }) =>
        path.startsWith(fault.path ?? '') && (fault.method ?? method) === method;
      const found = faults.find(meets);
      if (!found) return undefined;
      found.left -= 1;
      faults = faults.filter(({ left }) => left > 0);
      return found.fault;
    },
  };
};
