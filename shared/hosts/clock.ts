import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#ports/clock.ts';

export const createSystemClock = (): Clock => ({
  now: Date.now,
  sleepUntil: async (at) => {
    const leftMs = at - Date.now();
    if (leftMs > 0) await sleep(leftMs);
  },
});
