import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRunner } from '#hosts/runner.ts';
import { ToolTimeoutError } from '#ports/tool.ts';

describe('the runner', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const runner = createRunner();

  it('stops work that hangs at its limit, and aborts its signal', async () => {
    let signal: AbortSignal | undefined;
    const running = runner.within(1000, (given) => {
      signal = given;
      return new Promise<never>(() => {});
    });
    const stopped = expect(running).rejects.toBeInstanceOf(ToolTimeoutError);
    await vi.advanceTimersByTimeAsync(999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(signal?.aborted).toBe(true);
  });

  it('calls it a timeout also when the work gives up at its signal', async () => {
    const running = runner.within(
      1000,
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    );
    const stopped = expect(running).rejects.toBeInstanceOf(ToolTimeoutError);
    await vi.advanceTimersByTimeAsync(1000);
    await stopped;
  });

  it('passes on what the work answers or throws, and leaves no timer behind', async () => {
    expect(await runner.within(1000, async () => 'answer')).toBe('answer');
    await expect(runner.within(1000, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    expect(vi.getTimerCount()).toBe(0);
  });
});
