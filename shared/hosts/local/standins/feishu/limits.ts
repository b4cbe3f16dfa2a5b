import { createRecentCalls } from '../recent-calls.ts';
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

export interface Limits {
  set(rates: Partial<Rates>): void;
  /** Counts a call of an API; the refusal if there were too many. */
  ofApi(api: string): Answer | undefined;
  ofChat(chat: string): Answer | undefined;
  ofMessage(message: string): Answer | undefined;
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
  const recent = createRecentCalls(now);

  const tooFrequent = (key: string, limit: number): Answer | undefined => {
    if (recent.within(key, SECOND).length >= limit) return refuse(230020);
    recent.count(key);
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
        const made = recent.within(api, windowMs);
        if (made.length < limit) continue;
        const [oldest = now()] = made;
        const headers = {
          'x-ogw-ratelimit-limit': String(limit),
          'x-ogw-ratelimit-reset': String(Math.ceil((oldest + windowMs - now()) / SECOND)),
        };
        return { ...refuse(99991400), headers };
      }
      calls += 1;
      recent.count(api);
      return undefined;
    },
    ofChat: (chat) => tooFrequent(chat, rates.perChatPerSecond),
    ofMessage: (message) => tooFrequent(message, rates.perMessagePerSecond),
  };
};
