import type { ApiAnswer } from '../api-server.ts';
import { createRecentCalls } from '../recent-calls.ts';
import { refuse } from './answers.ts';

/** How much the platform takes (pages "throttling" and "billing model", table of createAndDeliver). */
export interface Rates {
  /** A standard organisation has 20. */
  readonly perApiPerSecond: number;
  /** Calls of the API in a calendar month; a standard organisation has 5000. */
  readonly callsPerMonth: number;
  /** Messages to the bot in a calendar month; a standard organisation has 3000. */
  readonly messagesPerMonth: number;
  /** Messages to one person; over it they are in `flowControlledStaffIdList`. Its size is not documented. */
  readonly perPersonPerMinute: number;
  /** The longest value of a card's variable. Samples on the same pages are longer. */
  readonly bytesPerValue: number;
}

export interface Limits {
  set(rates: Partial<Rates>): void;
  /** Counts a call of an API; the refusal if there were too many. */
  ofApi(api: string): ApiAnswer | undefined;
  /** Counts a message to the bot; whether it may still read it. */
  mayRead(): boolean;
  /** Counts a message to a person; whether they get it. */
  mayReach(person: string): boolean;
  readonly bytesPerValue: number;
}

const SECOND = 1000;
const MINUTE = 60_000;

/** Counts what happens in a month of Beijing's calendar. */
const createMonth = (now: () => number) => {
  let month = '';
  let count = 0;
  return {
    take: (limit: number): boolean => {
      const current = new Date(now() + 8 * 60 * MINUTE).toISOString().slice(0, 7);
      if (current !== month) count = 0;
      month = current;
      if (count >= limit) return false;
      count += 1;
      return true;
    },
  };
};

export const createLimits = (now: () => number): Limits => {
  let rates: Rates = {
    perApiPerSecond: 20,
    callsPerMonth: Number.POSITIVE_INFINITY,
    messagesPerMonth: Number.POSITIVE_INFINITY,
    perPersonPerMinute: Number.POSITIVE_INFINITY,
    bytesPerValue: 1024,
  };
  const recent = createRecentCalls(now);
  const calls = createMonth(now);
  const messages = createMonth(now);

  return {
    set: (changed) => {
      rates = { ...rates, ...changed };
    },
    ofApi: (api) => {
      // A call refused for its rate does not count for the month.
      if (recent.within(api, SECOND).length >= rates.perApiPerSecond)
        return refuse('Forbidden.AccessDenied.QpsLimitForAppkeyAndApi');
      recent.count(api);
      return calls.take(rates.callsPerMonth)
        ? undefined
        : refuse('Forbidden.AccessDenied.ApiCountLimitForOrg');
    },
    mayRead: () => messages.take(rates.messagesPerMonth),
    mayReach: (person) => {
      if (recent.within(person, MINUTE).length >= rates.perPersonPerMinute) return false;
      recent.count(person);
      return true;
    },
    get bytesPerValue() {
      return rates.bytesPerValue;
    },
  };
};
