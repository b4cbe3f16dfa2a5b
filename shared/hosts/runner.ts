import { type Runner, ToolTimeoutError } from '#ports/tool.ts';

/** Races the work against its limit. Work that ignores its signal is left behind; its answer counts no more. */
export const createRunner = (lookMs = 3_000): Runner => ({
  within: async (limitMs, work) => {
    const stop = new AbortController();
    const limit = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const error = new ToolTimeoutError(`stopped at its limit of ${limitMs} ms`);
      // Before the abort: a tool that gives up at its signal would else be taken for one that failed by itself.
      limit.reject(error);
      stop.abort(error);
    }, limitMs);
    try {
      return await Promise.race([work(stop.signal), limit.promise]);
    } finally {
      clearTimeout(timer);
    }
  },
  unless: async (unwanted, work) => {
    const stop = new AbortController();
    const look = async () => {
      // Who cannot look goes on: the next step looks again.
      if (await unwanted().catch(() => false)) stop.abort();
    };
    const timer = setInterval(() => void look(), lookMs);
    try {
      return await work(stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return 'stopped';
      throw error;
    } finally {
      clearInterval(timer);
    }
  },
});
