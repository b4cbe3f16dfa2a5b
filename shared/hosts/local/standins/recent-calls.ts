const MINUTE = 60_000;

/** When something was called in the last minute, by key. */
export interface RecentCalls {
  within(key: string, windowMs: number): readonly number[];
  count(key: string): void;
}

export const createRecentCalls = (now: () => number): RecentCalls => {
  const times = new Map<string, number[]>();
  return {
    within: (key, windowMs) => {
      const kept = (times.get(key) ?? []).filter((at) => now() - at < MINUTE);
      if (kept.length > 0) times.set(key, kept);
      else times.delete(key);
      return kept.filter((at) => now() - at < windowMs);
    },
    count: (key) => {
      times.set(key, [...(times.get(key) ?? []), now()]);
    },
  };
};
