import { type Ask, type Decision, mayDecide } from '#domain/ask.ts';
import type { PersonId } from '#domain/ids.ts';
import type { Job } from '#domain/job.ts';
import type { Accepted } from '#flow/accept.ts';
import { RetryLaterError } from '#flow/errors.ts';
import { type CrashRow, crashRowOf } from './crash-table.ts';
import type { Answer } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { nameOfAnswer, nameOfCall } from './story.ts';
import {
  MOST_SKEW_MS,
  messageFrom,
  PEOPLE,
  type Plan,
  type PlannedCall,
  type Program,
  QUEUE,
  REPEATED,
  type Running,
  sessionOf,
  settingsWith,
  World,
} from './world.ts';

/** What one seed may do. Shrinking turns these off one by one. */
export interface Options {
  readonly seed: number;
  readonly messages: number;
  readonly acts: number;
  readonly faults: boolean;
  readonly crashes: boolean;
  readonly zombies: boolean;
  readonly skew: boolean;
  readonly redrive: boolean;
  readonly duplicates: boolean;
  readonly story: boolean;
}

export const optionsFor = (seed: number): Options => ({
  seed,
  messages: 3,
  acts: 14,
  faults: true,
  crashes: true,
  zombies: true,
  skew: true,
  redrive: true,
  duplicates: true,
  story: false,
});

export interface Result {
  readonly violation: string | undefined;
  readonly story: readonly string[];
  readonly crashes: Readonly<Partial<Record<CrashRow, number>>>;
  readonly counts: { readonly settled: number; readonly ran: number; readonly calls: number };
}

const VISIBILITY_MS = 300_000;
const FUNCTION_MS = 240_000;
const MOST_EVENTS = 20_000;
const DAY_MS = 86_400_000;

export const simulate = async (options: Options): Promise<Result> => {
  const simulation = new Simulation(options);
  await simulation.run();
  return simulation.result();
};

const isRefused = (answer: Answer): boolean =>
  'value' in answer && (answer.value as { kind?: string } | undefined)?.kind === 'refused';

class Simulation {
  readonly random: Random;
  readonly world: World;
  readonly options: Options;
  readonly chats: readonly string[];
  readonly maxReceives: number;
  /** Rows are deleted after two days. */
  readonly forgetful: boolean;
  readonly crashes: Partial<Record<CrashRow, number>> = {};
  /** Faults stop when the people have said all they had to say: then everything must come right. */
  calm = false;
  acts: number;
  messages = 0;
  calls = 0;
  redelivery: { at: number; program: Program }[] = [];
  redriven = false;
  handledDead: Job[] = [];

  constructor(options: Options) {
    this.options = options;
    this.random = createRandom(options.seed);
    this.acts = options.acts;
    const { pick, chance } = this.random;
    this.forgetful = chance(0.08);
    this.chats = chance(0.7) ? ['c1'] : ['c1', 'c2'];
    this.maxReceives = pick([1, 2, 5, 5]);
    this.world = new World(
      settingsWith(
        {
          approvers: pick(['requester', 'anyone', 'other-than-requester', ['test:bob']]),
          otherReply: pick(['modify', 'cancel', 'queue', 'reask']),
          timeoutSeconds: pick([60, 300, 300, 3600]),
          strictMode: chance(0.1),
          deliverTo: chance(0.15) ? 'approvers' : 'chat',
          // A question that outlives what was written before it, were that not kept longer.
          ...(this.forgetful && { timeoutSeconds: (5 / 2) * (DAY_MS / 1000) }),
        },
        this.forgetful ? { messagesDays: 2 } : {},
      ),
      this.maxReceives,
    );
    if (options.story) this.world.story = [];
    this.world.variant = () => (this.random.chance(0.3) ? `~${this.random.below(3)}` : '');
  }

  result(): Result {
    const { ghosts, story } = this.world;
    return {
      violation: ghosts.violation,
      story: story ?? [],
      crashes: this.crashes,
      counts: {
        settled: Object.keys(ghosts.settled).length,
        ran: Object.keys(ghosts.ran).length,
        calls: this.calls,
      },
    };
  }

  async run(): Promise<void> {
    for (let event = 0; event < MOST_EVENTS && !this.world.ghosts.violation; event += 1) {
      if (!(await this.#next())) {
        if (this.calm) break;
        this.calm = true;
        this.world.tell('— from here on nothing fails —');
      }
    }
    if (this.world.ghosts.violation) return;
    if (!this.#quiet()) this.world.fail('the world does not come to rest');
    else await this.world.checkAtRest(this.chats.map(sessionOf));
  }

  #quiet(): boolean {
    const { messages, dead } = this.world.queue.snapshot();
    return this.world.running.length === 0 && messages.length === 0 && dead.length === 0;
  }

  /** One event; false when nothing is left to happen. */
  async #next(): Promise<boolean> {
    const { world, random } = this;
    world.now += random.below(60);
    this.#killOverdue();
    const ready = world.queue.ready(world.now);
    const choices: (() => Promise<void>)[] = [];
    for (const one of world.running)
      choices.push(
        () => this.#step(one),
        () => this.#step(one),
        () => this.#step(one),
      );
    for (const head of ready) choices.push(() => this.#deliver(head.id));
    const dead = world.queue.snapshot().dead[0];
    if (dead && !world.running.some((one) => one.program.type === 'deadletter'))
      choices.push(() => this.#deliverDead());
    if (this.acts > 0) choices.push(() => this.#act());
    const due = this.redelivery.find((one) => one.at <= world.now);
    if (due) choices.push(() => this.#redeliver(due));
    if (this.#timersDue()) choices.push(() => this.#fireTimers());
    if (choices.length > 0) {
      await random.pick(choices)();
      return true;
    }
    const triedAgain = this.redelivery.some(({ program }) => program.type === 'timeout');
    if (!triedAgain) await world.checkNothingLies(this.chats.map(sessionOf));
    return this.#jump();
  }

  /** Nothing to do now: on to the next moment at which something happens by itself. */
  #jump(): boolean {
    const { world } = this;
    const times = [
      ...world.queue.snapshot().messages.map((one) => one.visibleAt),
      ...Object.values(world.scheduler.snapshot()).map((one) => one.next + 1),
      ...this.redelivery.map((one) => one.at),
    ].filter((at) => at > world.now);
    if (times.length === 0) return false;
    world.now = Math.min(...times);
    if (this.forgetful) world.reap(() => this.random.chance(0.8));
    return true;
  }

  #killOverdue(): void {
    for (const one of this.world.running.filter((running) => this.world.now >= running.deadline)) {
      this.world.tell(`${one.name} is stopped at its time limit`);
      this.#leave(one);
      this.#comesBack(one);
    }
  }

  // ── processes ──

  async #step(running: Running): Promise<void> {
    const { world, random, options } = this;
    const call = running.process.pending;
    if (!call) return this.#ended(running);
    const name = nameOfCall(call);
    this.calls += 1;
    if (call.port === 'clock') world.now = Math.max(world.now, Number(call.args[0]));
    const faulty = options.faults && !this.calm;
    // Where a tool is about to run, or has just run, every fault is worth more.
    const likely = call.port === 'effects' || name.startsWith('ledger') ? 5 : 1;
    if (faulty && options.crashes && random.chance(0.012 * likely))
      return this.#die(running, `before ${name}`);
    if (
      faulty &&
      options.zombies &&
      running.program.type === 'agent' &&
      random.chance(0.004 * likely * this.#doomed())
    )
      this.#makeZombie(running);
    // That a try fails which is not the first is where "nothing was done" is easily said and wrong.
    const again = call.port === 'effects' && world.ranBefore(call);
    if (faulty && random.chance(again ? 0.3 : 0.006)) {
      // Whether a tool's own call that timed out was applied is for the tool to find out.
      if (call.port !== 'effects' && random.chance(0.5)) await world.execute(running, call);
      world.tell(`${running.name}: ${name} → TIMED OUT`);
      await running.process.feed({ error: new Error('timed out') });
      return this.#afterStep(running);
    }
    let applied: Answer | undefined;
    if (faulty && random.chance(0.01 * likely) && call.port !== 'effects') {
      applied = await world.execute(running, call);
      world.tell(`${running.name}: ${name} (applied, answer lost, sent again)`);
    }
    const answer = await world.execute(running, call);
    running.done = [...running.done, `${name}${isRefused(applied ?? answer) ? ' refused' : ''}`];
    world.tell(
      `${running.name}: ${name}${'value' in answer ? nameOfAnswer(answer.value) : ` → ${answer.error.message}`}`,
    );
    if (faulty && options.crashes && random.chance(0.006 * likely))
      return this.#die(running, `after ${name}`);
    await running.process.feed(answer);
    return this.#afterStep(running);
  }

  async #afterStep(running: Running): Promise<void> {
    if (running.process.ended) await this.#ended(running);
  }

  async #ended(running: Running): Promise<void> {
    const { ended } = running.process;
    if (!ended) return;
    if ('error' in ended) {
      await this.world.checkWait(running, ended.error as Error);
      return this.#threw(running, ended.error as Error);
    }
    this.world.tell(
      `${running.name} ends${nameOfAnswer(ended.value) || (typeof ended.value === 'string' ? `: ${ended.value}` : '')}`,
    );
    this.world.checkAnswer(running.program, ended.value as Accepted);
    this.#leave(running);
    const { program } = running;
    await this.world.checkTakenUp(running, ended.value as Accepted, running.deadline - FUNCTION_MS);
    if (program.type === 'agent' && !this.#zombies.has(running))
      this.world.queue.remove(program.queued);
    if (program.type === 'deadletter') this.#deadDone(program.queued, program.job);
  }

  #threw(running: Running, error: Error): void {
    this.world.tell(`${running.name} fails: ${error.message}`);
    this.#leave(running);
    const { program } = running;
    const retryAt = error instanceof RetryLaterError ? error.at : this.world.now + 5_000;
    if (program.type === 'agent' && !this.#zombies.has(running))
      this.world.queue.postpone(program.queued, retryAt);
    if (program.type === 'deadletter') this.#deadRetryAt = retryAt;
    this.#comesBack(running);
  }

  #die(running: Running, where: string): void {
    this.world.tell(`${running.name} DIES ${where}`);
    const row = crashRowOf(running);
    if (row) this.#count(row);
    this.#leave(running);
    const { program } = running;
    if (program.type === 'agent' && !this.#zombies.has(running))
      this.world.queue.postpone(program.queued, this.world.now + this.random.below(VISIBILITY_MS));
    if (program.type === 'deadletter') this.#deadRetryAt = this.world.now + 1_000;
    this.#comesBack(running);
  }

  /** Feishu sends a message again that got no 200, never a click; Scheduler tries its target again. */
  #comesBack({ program }: Running): void {
    if (program.type === 'message') this.redelivery.push({ at: this.world.now + 15_000, program });
    if (program.type === 'timeout') this.redelivery.push({ at: this.world.now + 60_000, program });
  }

  #leave(running: Running): void {
    this.world.running = this.world.running.filter((one) => one !== running);
  }

  readonly #zombies = new Set<Running>();
  /** Its job is given to another although it still runs. */
  #makeZombie(running: Running): void {
    if (running.program.type !== 'agent' || this.#zombies.has(running)) return;
    this.world.tell(`${running.name} becomes a ZOMBIE: its job is given to another`);
    this.#count('zombie');
    this.#zombies.add(running);
    this.world.queue.postpone(running.program.queued, this.world.now);
  }

  /** Where a job lost once is a dead letter, a zombie, or a repeat, meets the function that gives its turn up. */
  #doomed(): number {
    return this.maxReceives === 1 ? 4 : 1;
  }

  #count(row: CrashRow): void {
    this.crashes[row] = (this.crashes[row] ?? 0) + 1;
  }

  #skew(): number {
    return this.options.skew ? this.random.below(2 * MOST_SKEW_MS + 1) - MOST_SKEW_MS : 0;
  }

  async #spawn(program: Program, label: string, deadline = FUNCTION_MS): Promise<void> {
    const { world } = this;
    world.spawned += 1;
    await world.spawn(program, `${label}#${world.spawned}`, {
      skew: this.#skew(),
      deadline: world.now + deadline,
    });
  }

  async #deliver(id: string): Promise<void> {
    const { world } = this;
    const message = world.queue.receive(id, world.now, VISIBILITY_MS);
    if (!message) {
      this.#count('dead-letter');
      world.tell(`job ${id} goes to the dead letters`);
      return;
    }
    const job = JSON.parse(message.body) as Job;
    world.tell(`SQS delivers ${job.type} (${id}, time ${message.receives})`);
    const short = this.random.chance(0.1) ? 70_000 : FUNCTION_MS;
    const delivery = { id, queue: QUEUE, sequence: message.sequence, deadline: world.now + short };
    await this.#spawn({ type: 'agent', queued: id, job, delivery }, `agent(${job.type})`, short);
  }

  #deadRetryAt = 0;
  async #deliverDead(): Promise<void> {
    const { world } = this;
    const [dead] = world.queue.snapshot().dead;
    if (!dead) return;
    if (world.now < this.#deadRetryAt) {
      if (world.running.length === 0) world.now = this.#deadRetryAt;
      return;
    }
    const job = JSON.parse(dead.body) as Job;
    if (
      this.options.redrive &&
      !this.calm &&
      !this.redriven &&
      job.type !== 'message' &&
      this.random.chance(0.3)
    )
      return this.#redrive(job, dead.id);
    world.tell(`dead letter ${job.type} (${dead.id})`);
    // A dead letter does not keep its sequence number.
    const delivery = {
      id: dead.id,
      queue: QUEUE,
      sequence: '7',
      deadline: world.now + FUNCTION_MS,
    };
    await this.#spawn(
      { type: 'deadletter', queued: dead.id, job, delivery },
      `deadletter(${job.type})`,
    );
  }

  #deadDone(id: string, job: Job): void {
    this.world.queue.removeDead(id);
    if (job.type !== 'message') this.handledDead.push(job);
  }

  /** An operator puts dead letters back a day later, this one and those that were given up. */
  async #redrive(job: Job, id: string): Promise<void> {
    const { world } = this;
    if (world.running.length > 0) return;
    this.redriven = true;
    world.now += DAY_MS;
    if (this.forgetful) world.reap(() => this.random.chance(0.8));
    world.tell('A DAY LATER the dead letters are put back');
    world.queue.removeDead(id);
    for (const [index, one] of [job, ...this.handledDead].entries())
      await world.queue.send({
        group: `redrive-${one.session}`,
        deduplication: `redrive-${index}-${id}`,
        body: JSON.stringify(one),
      });
  }

  // ── time and people ──

  #timersDue(): boolean {
    return Object.values(this.world.scheduler.snapshot()).some(
      (timer) => timer.next <= this.world.now,
    );
  }

  async #fireTimers(): Promise<void> {
    const fired = this.world.scheduler.fire(this.world.now);
    for (const { timer } of fired) {
      this.world.tell(`schedule ${timer.tick ? 'ticks' : 'fires'} for ${timer.ask}`);
      await this.#spawn({ type: 'timeout', timer }, 'timeout');
      if (this.options.duplicates && !this.calm && this.random.chance(0.1))
        await this.#spawn({ type: 'timeout', timer }, 'timeout');
    }
  }

  async #redeliver(due: { at: number; program: Program }): Promise<void> {
    this.redelivery = this.redelivery.filter((one) => one !== due);
    await this.#spawn(due.program, due.program.type);
  }

  async #act(): Promise<void> {
    const { random, world, options } = this;
    this.acts -= 1;
    if (random.chance(0.3)) world.now += random.pick([500, 6_000, 30_000, 200_000]);
    const cards = Object.entries(world.ghosts.cards);
    if (this.messages < options.messages && (cards.length === 0 || random.chance(0.25)))
      return this.#sendMessage();
    if (random.chance(0.12))
      return this.#say(random.pick(['/cancel', '/status', '/cancel', '/reset']));
    if (random.chance(0.1)) this.#grow();
    if (cards.length === 0) return;
    if (random.chance(0.35))
      return this.#say(
        random.pick([
          '确认',
          '确认',
          '取消',
          'yes',
          '确认 1',
          'confirm 9',
          '修改：少一点',
          'what is this?',
          'red',
        ]),
      );
    const [card, shown] = random.chance(0.75)
      ? (cards.at(-1) as (typeof cards)[number])
      : random.pick(cards);
    const kinds: Decision['kind'][] =
      shown.view.ask.kind === 'confirm'
        ? ['confirm', 'confirm', 'confirm', 'cancel', 'modify']
        : ['answer', 'answer', 'cancel'];
    const kind = random.pick(kinds) as 'confirm';
    const picked = kind === 'confirm' && random.chance(0.25) ? { picked: [0] } : {};
    const program: Program = {
      type: 'click',
      id: `e${world.spawned}-${this.acts}`,
      card,
      by: this.#decider(shown.view.ask),
      kind,
      ...picked,
    };
    world.tell(`${program.by} clicks ${kind} on ${shown.view.ask.id}`);
    await this.#spawn(program, 'click');
    if (options.duplicates && random.chance(0.2))
      await this.#spawn({ ...program, id: `${program.id}b`, by: this.#person() }, 'click');
  }

  #person(): PersonId {
    return this.random.pick(PEOPLE);
  }

  /** Mostly somebody who may, or too few turns would get as far as a tool. */
  #decider(ask: Ask): PersonId {
    const able = PEOPLE.filter((person) => mayDecide(ask, person, 'confirm'));
    return able.length > 0 && this.random.chance(0.7) ? this.random.pick(able) : this.#person();
  }

  #grow(): void {
    const { ghosts } = this.world;
    const tags = Object.values(ghosts.cards).flatMap((card) =>
      card.view.tasks.map((task) => String(task.input['tag'])),
    );
    if (tags.length === 0) return;
    const tag = this.random.pick(tags);
    this.world.ghosts = {
      ...ghosts,
      sizes: { ...ghosts.sizes, [tag]: (ghosts.sizes[tag] ?? 0) + 1 },
    };
  }

  async #sendMessage(): Promise<void> {
    this.messages += 1;
    const id = `m${this.messages}`;
    const text = JSON.stringify(this.#plan(id));
    await this.#receive(id, text);
  }

  async #say(text: string): Promise<void> {
    await this.#receive(`t${this.acts}`, text);
  }

  async #receive(id: string, text: string): Promise<void> {
    const { world, random } = this;
    const chat = random.pick(this.chats);
    const by = this.#person();
    world.tell(`${by} writes ${id} in ${chat}: ${text.slice(0, 160)}`);
    const program: Program = {
      type: 'message',
      message: messageFrom(id, chat, by, text, world.now),
    };
    await this.#spawn(program, `webhook(${id})`);
    if (this.options.duplicates && random.chance(0.15 * this.#doomed()))
      this.redelivery.push({
        at: world.now + random.pick([0, 100, 15_000, 300_000, 21_600_000]),
        program,
      });
  }

  #plan(id: string): Plan {
    const { random } = this;
    const call = (step: number, index: number): PlannedCall => {
      const tag = `${id}.${step}.${index}`;
      if (random.chance(0.12))
        return { tool: 'ask_user', tag, kind: random.pick(['input', 'choice']) };
      if (random.chance(0.12)) return { tool: 'read', tag };
      const risk = random.pick(['HIGH', 'HIGH', 'HIGH', 'MEDIUM', 'LOW'] as const);
      const how = random.pick([
        'plain',
        'plain',
        'idempotent',
        'recovers',
        'grows',
        'fails',
      ] as const);
      return { tool: 'act', tag: `${tag}-${risk}-${how}`, risk, how };
    };
    // What others ask for as well, so that its approval is remembered.
    if (random.chance(0.2))
      return [[{ tool: 'act', tag: `${REPEATED}-MEDIUM-plain`, risk: 'MEDIUM', how: 'plain' }]];
    return Array.from({ length: 1 + random.below(2) }, (_, step) =>
      Array.from({ length: 1 + random.below(3) }, (__, index) => call(step, index)),
    );
  }
}
