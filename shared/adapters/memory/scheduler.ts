import type { Scheduler, Timer } from '#ports/scheduler.ts';

export interface MemoryTimer {
  readonly name: string;
  readonly timer: Timer;
  readonly next: number;
  readonly periodMs?: number;
  readonly until?: number;
}
export type SchedulerState = Readonly<Record<string, MemoryTimer>>;

export interface MemoryScheduler extends Scheduler {
  get(name: string): MemoryTimer | undefined;
  /** Those that fire at or before `now`; each moves on to its next time, or is gone. */
  fire(now: number): readonly MemoryTimer[];
  snapshot(): SchedulerState;
  restore(state: SchedulerState): void;
}

export const createMemoryScheduler = (): MemoryScheduler => {
  let state: SchedulerState = {};
  const add = (timer: MemoryTimer) => {
    if (!state[timer.name]) state = { ...state, [timer.name]: timer };
  };
  const drop = (name: string) => {
    const { [name]: _, ...rest } = state;
    state = rest;
  };

  return {
    once: async (name, at, timer) => add({ name, timer, next: at }),
    every: async (name, { minutes, from, until }, timer) =>
      add({ name, timer, next: from, periodMs: minutes * 60_000, until }),
    cancel: async (name) => drop(name),
    get: (name) => state[name],
    fire: (now) => {
      const due = Object.values(state).filter((timer) => timer.next <= now);
      for (const timer of due) {
        const next = timer.periodMs === undefined ? undefined : timer.next + timer.periodMs;
        if (next === undefined || next > (timer.until ?? Number.POSITIVE_INFINITY))
          drop(timer.name);
        else state = { ...state, [timer.name]: { ...timer, next } };
      }
      return due;
    },
    snapshot: () => state,
    restore: (snapshot) => {
      state = snapshot;
    },
  };
};
