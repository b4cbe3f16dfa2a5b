import { setTimeout as sleep } from 'node:timers/promises';

/** An error a platform makes on purpose. */
export interface Fault<Code> {
  /** What the path begins with. Absent: every path. */
  readonly path?: string;
  readonly method?: string;
  /** Absent: the call is answered as it should be, perhaps late. */
  readonly code?: Code;
  /** Absent: the one the platform gives to such errors. */
  readonly status?: number;
  /** What the error says, where the code alone does not tell. */
  readonly message?: string;
  readonly times: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** The call is carried out, and its answer lost: the caller is told `code`. */
  readonly afterwards?: boolean;
}

export interface Faults<Code> {
  add(fault: Fault<Code>): void;
  /** Answers a call, or meets it with the next fault there is for it. */
  meet<Answer>(
    call: { readonly method: string; readonly path: string },
    answer: () => Answer,
    failed: (fault: Fault<Code>) => Answer,
    stopping: AbortSignal,
  ): Promise<Answer>;
}

export const createFaults = <Code>(): Faults<Code> => {
  let faults: { readonly fault: Fault<Code>; left: number }[] = [];

  const take = (method: string, path: string): Fault<Code> | undefined => {
    const found = faults.find(
      ({ fault }) => path.startsWith(fault.path ?? '') && (fault.method ?? method) === method,
    );
    if (!found) return undefined;
    found.left -= 1;
    faults = faults.filter(({ left }) => left > 0);
    return found.fault;
  };

  return {
    add: (fault) => {
      faults.push({ fault, left: fault.times });
    },
    meet: async ({ method, path }, answer, failed, stopping) => {
      const fault = take(method, path);
      if (!fault) return answer();
      const fails = fault.code !== undefined;
      const carriedOut = !fails || fault.afterwards ? answer() : undefined;
      if (fault.delayMs) await sleep(fault.delayMs, undefined, { signal: stopping });
      return fails || carriedOut === undefined ? failed(fault) : carriedOut;
    },
  };
};
