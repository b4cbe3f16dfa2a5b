import { type Runner, ToolTimeoutError } from '#ports/tool.ts';

/** Races the work against its limit. Work that ignores its signal is left behind; its answer counts no more. */
export const createRunner = (): Runner => ({
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
});
