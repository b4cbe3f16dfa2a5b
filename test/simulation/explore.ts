import { createHash } from 'node:crypto';
import type { QueueState } from '#adapters/memory/queue.ts';
import type { SchedulerState } from '#adapters/memory/scheduler.ts';
import type { MemoryItems } from '#adapters/memory/store.ts';
import { canonicalJson } from '#domain/canonical-json.ts';
import type { Write } from '#domain/expression.ts';
import type { Job } from '#domain/job.ts';
import type { Accepted } from '#flow/accept.ts';
import { RetryLaterError } from '#flow/errors.ts';
import type { Answer, Call, Entry } from './process.ts';
import { nameOfAnswer, nameOfCall } from './story.ts';
import {
  type Ghosts,
  messageFrom,
  PEOPLE,
  type Plan,
  type Program,
  QUEUE,
  type Running,
  sessionOf,
  settingsWith,
  World,
} from './world.ts';

/** Walks every interleaving of a small scenario, breadth first. A state is store, queue, timers, what people saw, and logs. */
export interface Scenario {
  readonly plan: Plan;
  readonly people: readonly { readonly by: number; readonly kind: 'confirm' | 'cancel' | 'text' }[];
  readonly crashes: number;
  readonly zombies: number;
  readonly receives: number;
  readonly limit: number;
}

interface Frozen {
  readonly name: string;
  readonly program: Program;
  readonly deadline: number;
  readonly log: readonly Entry[];
  readonly pending: Call | undefined;
  readonly ended: Running['process']['ended'];
  /** Hash of program and log. */
  readonly key: string;
}

interface State {
  readonly now: number;
  readonly items: MemoryItems;
  readonly queue: QueueState;
  readonly timers: SchedulerState;
  readonly ghosts: Ghosts;
  readonly processes: readonly Frozen[];
  /** Jobs whose holder lost them while it goes on. */
  readonly zombies: readonly string[];
  readonly todo: readonly number[];
  readonly sent: boolean;
  readonly expired: boolean;
  readonly crashes: number;
  readonly zombieBudget: number;
  /** Messages to be sent again by the platform, timers to be tried again. */
  readonly again: readonly Program[];
}

export interface Explored {
  readonly states: number;
  readonly quiet: number;
  readonly complete: boolean;
  readonly violation: string | undefined;
  readonly trace: readonly string[];
}

const CHAT = 'c1';
const SESSION = sessionOf(CHAT);
const VISIBILITY_MS = 300_000;
const FUNCTION_MS = 240_000;

const sha = (text: string) => createHash('sha1').update(text).digest('base64');
/** Insertion order says how a state was reached, not what it is. */
const canonical = (value: object): string =>
  canonicalJson(
    JSON.parse(JSON.stringify(value, (_, one) => (one instanceof Error ? one.message : one))),
  );
const hashes = new WeakMap<object, string>();
const hashOf = (value: object): string => {
  const known = hashes.get(value);
  if (known) return known;
  const made = sha(canonical(value));
  hashes.set(value, made);
  return made;
};

type Next = { readonly label: string; readonly state: State; readonly must: boolean };

export const explore = async (scenario: Scenario): Promise<Explored> => {
  const explorer = new Explorer(scenario);
  return explorer.walk();
};

class Explorer {
  readonly scenario: Scenario;
  readonly world: World;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.world = new World(
      settingsWith({ approvers: 'anyone', timeoutSeconds: 60 }),
      scenario.receives,
    );
  }

  async walk(): Promise<Explored> {
    const first = this.#freeze({
      todo: this.scenario.people.map((_, index) => index),
      sent: false,
      expired: false,
      crashes: this.scenario.crashes,
      zombieBudget: this.scenario.zombies,
      again: [],
      processes: [],
      zombies: [],
    });
    const parents = new Map<string, { parent: string; label: string }>([
      [keyOf(first), { parent: '', label: 'start' }],
    ]);
    let frontier: State[] = [first];
    let quiet = 0;
    const done = (violation: string | undefined, key: string, complete: boolean): Explored => ({
      states: parents.size,
      quiet,
      complete,
      violation,
      trace: trace(parents, key),
    });
    while (frontier.length > 0) {
      const following: State[] = [];
      for (const state of frontier) {
        const key = keyOf(state);
        const nexts = await this.#nexts(state);
        if (!nexts.some((next) => next.must)) {
          quiet += 1;
          const wrong = await this.#atRest(state);
          if (wrong) return done(wrong, key, false);
        }
        for (const { label, state: next } of nexts) {
          const nextKey = keyOf(next);
          if (parents.has(nextKey)) continue;
          parents.set(nextKey, { parent: key, label });
          if (next.ghosts.violation) return done(next.ghosts.violation, nextKey, false);
          following.push(next);
        }
        if (parents.size > this.scenario.limit) return done(undefined, '', false);
      }
      frontier = following;
    }
    return done(undefined, '', true);
  }

  #thaw(state: State): void {
    const { world } = this;
    world.now = state.now;
    world.store.restore(state.items);
    world.queue.restore(state.queue);
    world.scheduler.restore(state.timers);
    world.ghosts = state.ghosts;
    world.running = state.processes.map(({ name }) => ({ name }) as Running);
  }

  #freeze(rest: Omit<State, 'now' | 'items' | 'queue' | 'timers' | 'ghosts'>): State {
    const { world } = this;
    return {
      ...rest,
      now: world.now,
      items: world.store.snapshot(),
      queue: world.queue.snapshot(),
      timers: world.scheduler.snapshot(),
      ghosts: world.ghosts,
    };
  }

  async #atRest(state: State): Promise<string | undefined> {
    this.#thaw(state);
    await this.world.checkAtRest([SESSION]);
    return this.world.ghosts.violation;
  }

  // ── processes ──

  readonly #known = new Map<string, Frozen>();

  /** The same process with the same answers at the same time is the same process. */
  async #advance(process: Frozen, answer: Answer): Promise<Frozen> {
    const key = `${process.key} ${this.world.now} ${sha(JSON.stringify(answer, (_, one) => (one instanceof Error ? one.message : one)))}`;
    const known = this.#known.get(key);
    if (known) return known;
    const advanced = await this.#start(process.program, process.name, process.deadline, [
      ...process.log,
      { answer },
    ]);
    this.#known.set(key, advanced);
    return advanced;
  }

  async #start(
    program: Program,
    name: string,
    deadline: number,
    replay: readonly Entry[] = [],
  ): Promise<Frozen> {
    const running = await this.world.spawn(program, name, { deadline, replay });
    this.world.running.pop();
    const { log, pending, ended } = running.process;
    return {
      name,
      program,
      deadline,
      log: [...log],
      pending,
      ended,
      key: sha(
        JSON.stringify([name, program, log], (_, one) =>
          one instanceof Error ? one.message : one,
        ),
      ),
    };
  }

  async #withProcess(
    state: State,
    program: Program,
    name: string,
    changes: Partial<State> = {},
  ): Promise<State> {
    const started = await this.#start(program, name, this.world.now + FUNCTION_MS);
    return this.#freeze({
      ...state,
      ...changes,
      processes: sorted([...(changes.processes ?? state.processes), started]),
    });
  }

  async #nexts(state: State): Promise<Next[]> {
    const nexts: Next[] = [];
    const alone = state.processes.find((process) => isPrivate(state, process));
    for (const process of alone ? [alone] : state.processes) {
      nexts.push({ ...(await this.#step(state, process)), must: true });
      if (state.crashes > 0) nexts.push({ ...this.#crash(state, process), must: false });
      const { program } = process;
      if (
        state.zombieBudget > 0 &&
        program.type === 'agent' &&
        !state.zombies.includes(process.name)
      )
        nexts.push({ ...this.#zombie(state, process, program.queued), must: false });
    }
    if (alone) return nexts;
    nexts.push(...(await this.#deliveries(state)), ...(await this.#people(state)));
    if (!nexts.some((next) => next.must)) nexts.push(...(await this.#time(state)));
    return nexts;
  }

  async #step(state: State, process: Frozen): Promise<Omit<Next, 'must'>> {
    this.#thaw(state);
    const others = state.processes.filter((one) => one !== process);
    const { pending } = process;
    if (!pending) return this.#end(state, process, others);
    const answer = await this.world.execute({ name: process.name } as Running, pending);
    const advanced = await this.#advance(process, answer);
    const label = `${process.name}: ${nameOfCall(pending)}${'value' in answer ? nameOfAnswer(answer.value) : ''}`;
    return { label, state: this.#freeze({ ...state, processes: sorted([...others, advanced]) }) };
  }

  #end(state: State, process: Frozen, processes: readonly Frozen[]): Omit<Next, 'must'> {
    const { world } = this;
    const { program, ended } = process;
    const zombie = state.zombies.includes(process.name);
    const again = [...state.again];
    if (ended && 'error' in ended) {
      const at = ended.error instanceof RetryLaterError ? ended.error.at : world.now + 5_000;
      if (program.type === 'agent' && !zombie) world.queue.postpone(program.queued, at);
      if (program.type === 'message' || program.type === 'timeout') again.push(program);
      const label = `${process.name} fails: ${(ended.error as Error).message}`;
      return {
        label,
        state: this.#freeze({
          ...state,
          processes,
          again,
          ...(ended.error instanceof RetryLaterError &&
            program.type === 'deadletter' && { now: at }),
        }),
      };
    }
    world.checkAnswer(program, (ended as { value: Accepted } | undefined)?.value);
    if (program.type === 'agent' && !zombie) world.queue.remove(program.queued);
    if (program.type === 'deadletter') world.queue.removeDead(program.queued);
    return { label: `${process.name} ends`, state: this.#freeze({ ...state, processes, again }) };
  }

  #crash(state: State, process: Frozen): Omit<Next, 'must'> {
    this.#thaw(state);
    const { program } = process;
    const again = [...state.again];
    if (program.type === 'agent' && !state.zombies.includes(process.name))
      this.world.queue.postpone(program.queued, this.world.now);
    if (program.type === 'message' || program.type === 'timeout') again.push(program);
    const label = `${process.name} DIES before ${process.pending ? nameOfCall(process.pending) : 'returning'}`;
    return {
      label,
      state: this.#freeze({
        ...state,
        again,
        crashes: state.crashes - 1,
        processes: state.processes.filter((one) => one !== process),
      }),
    };
  }

  #zombie(state: State, process: Frozen, queued: string): Omit<Next, 'must'> {
    this.#thaw(state);
    this.world.queue.postpone(queued, this.world.now);
    return {
      label: `${process.name} becomes a ZOMBIE`,
      state: this.#freeze({
        ...state,
        zombies: [...state.zombies, process.name],
        zombieBudget: state.zombieBudget - 1,
      }),
    };
  }

  async #deliveries(state: State): Promise<Next[]> {
    const nexts: Next[] = [];
    const { world } = this;
    this.#thaw(state);
    for (const head of world.queue.ready(world.now)) {
      this.#thaw(state);
      const message = world.queue.receive(head.id, world.now, VISIBILITY_MS);
      if (!message) {
        nexts.push({
          label: `${head.id} goes to the dead letters`,
          state: this.#freeze(state),
          must: true,
        });
        continue;
      }
      const job = JSON.parse(message.body) as Job;
      const delivery = {
        id: head.id,
        queue: QUEUE,
        sequence: message.sequence,
        deadline: world.now + FUNCTION_MS,
      };
      const name = `agent(${job.type} ${head.id} time ${message.receives})`;
      nexts.push({
        label: `SQS delivers ${job.type}`,
        state: await this.#withProcess(
          state,
          { type: 'agent', queued: head.id, job, delivery },
          name,
        ),
        must: true,
      });
    }
    const [dead] = state.queue.dead;
    if (dead && !state.processes.some(({ program }) => program.type === 'deadletter')) {
      this.#thaw(state);
      const job = JSON.parse(dead.body) as Job;
      const delivery = {
        id: dead.id,
        queue: QUEUE,
        sequence: '7',
        deadline: world.now + FUNCTION_MS,
      };
      nexts.push({
        label: `dead letter ${job.type}`,
        state: await this.#withProcess(
          state,
          { type: 'deadletter', queued: dead.id, job, delivery },
          `deadletter(${dead.id})`,
        ),
        must: true,
      });
    }
    for (const program of state.again) {
      this.#thaw(state);
      const again = state.again.filter((one) => one !== program);
      nexts.push({
        label: `${program.type} comes again`,
        state: await this.#withProcess(state, program, `${program.type} again`, { again }),
        must: true,
      });
    }
    return nexts;
  }

  async #people(state: State): Promise<Next[]> {
    this.#thaw(state);
    if (!state.sent) {
      const program: Program = {
        type: 'message',
        message: messageFrom(
          'm1',
          CHAT,
          PEOPLE[0] as never,
          JSON.stringify(this.scenario.plan),
          this.world.now,
        ),
      };
      return [
        {
          label: 'ann writes m1',
          state: await this.#withProcess(state, program, 'webhook(m1)', { sent: true }),
          must: false,
        },
      ];
    }
    const nexts: Next[] = [];
    const card = Object.keys(state.ghosts.cards)[0];
    for (const index of card ? state.todo : []) {
      this.#thaw(state);
      const { by, kind } = this.scenario.people[index] as Scenario['people'][number];
      const person = PEOPLE[by] as (typeof PEOPLE)[number];
      const program: Program =
        kind === 'text'
          ? {
              type: 'message',
              message: messageFrom(`t${index}`, CHAT, person, '确认', this.world.now + 1),
            }
          : { type: 'click', id: `e${index}`, card: card as string, by: person, kind };
      nexts.push({
        label: `${person} decides: ${kind}`,
        state: await this.#withProcess(state, program, `${kind}(${index})`, {
          todo: state.todo.filter((one) => one !== index),
        }),
        must: false,
      });
    }
    const timer = Object.values(state.timers).find((one) => one.periodMs === undefined);
    if (timer && !state.expired)
      nexts.push({
        label: 'time: the ask expires',
        state: await this.#fire(state, timer.next),
        must: false,
      });
    return nexts;
  }

  async #fire(state: State, at: number): Promise<State> {
    this.#thaw(state);
    this.world.now = Math.max(this.world.now, at);
    let next: State = this.#freeze({ ...state, expired: true });
    for (const { timer } of this.world.scheduler.fire(this.world.now)) {
      next = this.#freeze({ ...next });
      next = await this.#withProcess(
        next,
        { type: 'timeout', timer },
        `timeout(${timer.ask.slice(0, 4)})`,
      );
    }
    return next;
  }

  /** Nothing runs: on to the moment at which a job becomes visible again, or a later question expires. */
  async #time(state: State): Promise<Next[]> {
    const visible = state.queue.messages.map((one) => one.visibleAt).filter((at) => at > state.now);
    if (visible.length > 0)
      return [{ label: 'time passes', state: { ...state, now: Math.min(...visible) }, must: true }];
    const timers = Object.values(state.timers).map((one) => one.next);
    if (timers.length === 0) return [];
    return [
      {
        label: 'time: the next ask expires',
        state: await this.#fire(state, Math.min(...timers)),
        must: true,
      },
    ];
  }
}

/**
 * A call that no other living process can see or be seen by: its order among theirs makes no difference, so only one is
 * walked (a crash before and after it still is). The conversation's rows belong to whoever works on the turn.
 */
const isPrivate = ({ processes }: State, { pending, program }: Frozen): boolean => {
  if (!pending) return true;
  if (program.type !== 'agent' && program.type !== 'deadletter') return false;
  const workers = processes.filter(
    (one) => one.program.type === 'agent' || one.program.type === 'deadletter',
  );
  if (workers.length > 1) return false;
  if (pending.port === 'model' || pending.port === 'clock') return true;
  if (pending.port === 'channel') return pending.method !== 'show';
  if (pending.port !== 'store') return false;
  if (pending.method === 'list') return true;
  const { pk, sk } = (pending.args[0] as Write).key ?? {};
  return (
    pending.method === 'write' &&
    (sk.startsWith('M#') || pk.startsWith('AUDIT#') || pk.startsWith('R#') || pk.startsWith('P#'))
  );
};

const sorted = (processes: readonly Frozen[]) =>
  [...processes].sort((a, b) => (a.key < b.key ? -1 : 1));

const keyOf = (state: State): string => {
  const items = [...state.items].map(([name, item]) => name + hashOf(item)).sort();
  const parts = [
    state.now,
    items,
    hashOf(state.queue),
    hashOf(state.timers),
    hashOf(state.ghosts),
    state.processes.map(({ key }) => key),
    state.zombies,
    state.todo,
    state.sent,
    state.expired,
    state.crashes,
    state.zombieBudget,
    state.again.map(hashOf),
  ];
  return sha(JSON.stringify(parts));
};

const trace = (
  parents: ReadonlyMap<string, { parent: string; label: string }>,
  key: string,
): readonly string[] => {
  const lines: string[] = [];
  for (let at = parents.get(key); at; at = parents.get(at.parent)) lines.unshift(at.label);
  return lines;
};
