import { describe, expect, it } from 'vitest';
import type { AskId, SessionId } from '#domain/ids.ts';
import type { Scheduler, Timer } from '#ports/scheduler.ts';

export interface OpenScheduler {
  readonly scheduler: Scheduler;
  /** Turns the clock on to `now` and gives what fires. */
  fire(now: number): Promise<readonly Timer[]>;
  has(name: string): Promise<boolean>;
}

export const START = Date.parse('2026-11-18T10:00:00Z');
export const MINUTE = 60_000;

export const timerOf = (ask: string, more: Partial<Timer> = {}): Timer => ({
  session: 'feishu:app:群聊' as SessionId,
  ask: ask as AskId,
  expiresAt: START + 5 * MINUTE,
  ...more,
});

/** `open` makes an empty scheduler whose clock stands at START. */
export const describeScheduler = (name: string, open: () => Promise<OpenScheduler>): void => {
  const timer = timerOf('a1');

  describe(`${name}: scheduler`, () => {
    it('fires once at its time, not before, and is gone then', async () => {
      const { scheduler, fire, has } = await open();
      await scheduler.once('a1', timer.expiresAt, timer);
      expect(await has('a1')).toBe(true);
      expect(await fire(timer.expiresAt - 1)).toEqual([]);
      expect(await fire(timer.expiresAt)).toEqual([timer]);
      expect(await has('a1')).toBe(false);
      expect(await fire(timer.expiresAt + 60 * MINUTE)).toEqual([]);
    });

    it('takes a repeat for done and keeps what was set first', async () => {
      const { scheduler, fire } = await open();
      await scheduler.once('a1', timer.expiresAt, timer);
      await scheduler.once('a1', START + 60 * MINUTE, timerOf('a1', { expiresAt: 1 }));
      expect(await fire(START + 120 * MINUTE)).toEqual([timer]);
    });

    it('never fires what was cancelled, and takes cancelling nothing for done', async () => {
      const { scheduler, fire, has } = await open();
      await scheduler.once('a1', timer.expiresAt, timer);
      await scheduler.cancel('a1');
      await scheduler.cancel('a1');
      expect(await has('a1')).toBe(false);
      expect(await fire(START + 60 * MINUTE)).toEqual([]);
    });

    it('fires a time that is past as soon as it can', async () => {
      const { scheduler, fire } = await open();
      await scheduler.once('a1', START - 60 * MINUTE, timer);
      expect(await fire(START + 1000)).toEqual([timer]);
    });

    it('fires every so often from its start to its end, and is gone then', async () => {
      const { scheduler, fire, has } = await open();
      const tick = timerOf('a1', { tick: true });
      const [from, until] = [START + 15 * MINUTE, START + 50 * MINUTE];
      await scheduler.every('a1-tick', { minutes: 15, from, until }, tick);
      const fired: number[] = [];
      for (let minute = 1; minute <= 90; minute += 1)
        if ((await fire(START + minute * MINUTE)).length > 0) fired.push(minute);
      expect(fired).toEqual([15, 30, 45]);
      expect(await has('a1-tick')).toBe(false);
    });

    it('keeps timers apart by name', async () => {
      const { scheduler, fire } = await open();
      const [one, two] = [timerOf('a1'), timerOf('a2', { expiresAt: START + 9 * MINUTE })];
      await scheduler.once('a1', one.expiresAt, one);
      await scheduler.once('a2', two.expiresAt, two);
      await scheduler.cancel('a1');
      expect(await fire(START + 60 * MINUTE)).toEqual([two]);
    });
  });
};
