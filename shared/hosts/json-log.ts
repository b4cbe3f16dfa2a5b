import type { Log } from '#ports/log.ts';

const toStdout = (line: string): void => {
  process.stdout.write(line);
};

/** One JSON line per fact. It adds a time and a level and looks nothing up: what it is not handed cannot leak. */
export const createJsonLog = (write = toStdout, now = Date.now): Log => {
  const at =
    (level: 'info' | 'warn' | 'error'): Log['info'] =>
    (event, facts) => {
      const line = { time: new Date(now()).toISOString(), level, event };
      // Again behind the facts: none of them may pass for the line's own.
      write(`${JSON.stringify({ ...line, ...facts, ...line })}\n`);
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
};
