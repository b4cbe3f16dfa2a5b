/**
 * A process is a function plus the log of answers it has had so far. Every port call is a scheduling point: the process
 * stops there until the world feeds it an answer, and dies there if the world never does. Fed the same log, it stops at
 * the same point: that is what lets the explorer fork it.
 */
export interface Call {
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
}
export type Answer = { readonly value: unknown } | { readonly error: Error };
export type Entry = { readonly now: unknown } | { readonly answer: Answer };

/** What is asked of the world at once, without stopping: time and names. */
export type Glance = (what: string) => unknown;

export class Process {
  readonly log: Entry[] = [];
  pending: Call | undefined;
  ended: { value: unknown } | { error: unknown } | undefined;
  #resolve: ((answer: Answer) => void) | undefined;
  #reached = Promise.withResolvers<void>();
  readonly #replay: Entry[];
  readonly #glance: Glance;

  constructor(
    body: (process: Process) => Promise<unknown>,
    glance: Glance,
    replay: readonly Entry[] = [],
  ) {
    this.#glance = glance;
    this.#replay = [...replay];
    body(this).then(
      (value) => this.#end({ value }),
      (error: unknown) => this.#end({ error }),
    );
  }

  /** Called by the ports handed to the body. */
  call(port: string, method: string, args: readonly unknown[]): Promise<unknown> {
    const replayed = this.#replay.shift();
    if (replayed) {
      if (!('answer' in replayed)) throw new Error(`replay went astray at ${port}.${method}`);
      this.log.push(replayed);
      return give(replayed.answer);
    }
    this.pending = { port, method, args };
    this.#reached.resolve();
    return new Promise((resolve, reject) => {
      this.#resolve = (answer) =>
        'error' in answer ? reject(answer.error) : resolve(answer.value);
    });
  }

  glance(what: string): unknown {
    const replayed = this.#replay.shift();
    if (replayed && !('now' in replayed)) throw new Error(`replay went astray at ${what}`);
    const entry = replayed ?? { now: this.#glance(what) };
    this.log.push(entry);
    return entry.now;
  }

  /** Resolves when the process waits for an answer or has ended. */
  settled(): Promise<void> {
    return this.#reached.promise;
  }

  feed(answer: Answer): Promise<void> {
    this.log.push({ answer });
    this.pending = undefined;
    this.#reached = Promise.withResolvers<void>();
    this.#resolve?.(answer);
    return this.#reached.promise;
  }

  #end(how: { value: unknown } | { error: unknown }): void {
    this.ended = how;
    this.pending = undefined;
    this.#reached.resolve();
  }
}

const give = async (answer: Answer): Promise<unknown> => {
  if ('error' in answer) throw answer.error;
  return answer.value;
};

/** A port whose every method is a scheduling point. */
export const scheduled = <T extends object>(
  process: Process,
  port: string,
  methods: readonly (keyof T & string)[],
): T =>
  Object.fromEntries(
    methods.map((method) => [method, (...args: unknown[]) => process.call(port, method, args)]),
  ) as T;
