import type { Clock } from '#ports/clock.ts';

export interface TestClock extends Clock {
  advance(ms: number): void;
}

/** A given time, which moves only when told to: whoever sleeps is there at once. */
export const createTestClock = (start = Date.UTC(2026, 0, 5, 9)): TestClock => {
  let time = start;
  return {
    now: () => time,
    sleepUntil: async (at) => {
      time = Math.max(time, at);
    },
    advance: (ms) => {
      time += ms;
    },
  };
};
