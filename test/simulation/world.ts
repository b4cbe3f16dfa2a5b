import * as z from 'zod';
import { createMemoryQueue, type MemoryQueue } from '#adapters/memory/queue.ts';
import { createMemoryScheduler, type MemoryScheduler } from '#adapters/memory/scheduler.ts';
import { createMemoryStore, type MemoryStore } from '#adapters/memory/store.ts';
import { createRetainingStore } from '#adapters/retaining-store.ts';
import { type Ask, type Decision, type DecisionKind, mayDecide } from '#domain/ask.ts';
import { canonicalJson, type Json } from '#domain/canonical-json.ts';
import type { Write } from '#domain/expression.ts';
import {
  type AttemptId,
  type MessageId,
  messageId,
  type PersonId,
  personId,
  platformKey,
  type SessionId,
  sessionId,
  turnId,
} from '#domain/ids.ts';
import type { InboundMessage } from '#domain/inbound.ts';
import type { Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { isOver } from '#domain/retention.ts';
import { currentAsk, readSession, type Session } from '#domain/session.ts';
import { readSettings, type Settings } from '#domain/settings.ts';
import { type Accepted, accept } from '#flow/accept.ts';
import { RetryLaterError } from '#flow/errors.ts';
import { expire } from '#flow/expire.ts';
import { giveUp } from '#flow/give-up.ts';
import { handle } from '#flow/handle.ts';
import type { AskView, Channel } from '#ports/channel.ts';
import type { Clock } from '#ports/clock.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Model, Thought } from '#ports/model.ts';
import type { Delivery, Queue } from '#ports/queue.ts';
import type { Scheduler, Timer } from '#ports/scheduler.ts';
import type { Store } from '#ports/store.ts';
import { changed, defineTool, type Tool } from '#ports/tool.ts';
import { type Answer, type Call, type Entry, Process, scheduled } from './process.ts';

export const START = Date.UTC(2026, 0, 5, 9);
export const QUEUE = 'arn:aws:sqs:::main.fifo';
/** By how much a function's clock may be wrong. */
export const MOST_SKEW_MS = 2_000;
/** A tick comes every 15 minutes; a function that failed is tried again. */
const LONGEST_LYING_MS = 20 * 60_000;
const CHANNEL = 'test';
const APP = 'app';
export const PEOPLE = ['ann', 'bob', 'cai'].map((name) => personId(CHANNEL, name));

// ── what people ask for: a message's text is the plan its turn follows ──────────────────────────────────────────────

export interface PlannedCall {
  readonly tool: 'act' | 'read' | 'ask_user';
  readonly tag: string;
  readonly risk?: 'LOW' | 'MEDIUM' | 'HIGH';
  readonly how?: 'plain' | 'idempotent' | 'recovers' | 'grows' | 'fails';
  readonly kind?: 'input' | 'choice';
}
export type Plan = readonly (readonly PlannedCall[])[];

interface Effects {
  do(tag: string, key: string): Promise<void>;
  happened(tag: string, key: string): Promise<boolean>;
  size(tag: string): Promise<number>;
}
declare module '#ports/tool.ts' {
  interface Resources {
    effects?: Effects;
  }
}

const actInput = z.object({
  tag: z.string(),
  risk: z.enum(['LOW', 'MEDIUM', 'HIGH']),
  how: z.string(),
});

const act = (idempotent: boolean): Tool =>
  defineTool({
    description: 'changes the world',
    input: actInput,
    risk: ({ risk }) => risk,
    idempotent,
    preview: async ({ tag, how }, { resources }) =>
      how === 'grows' ? String(await effectsOf(resources).size(tag)) : '',
    run: async ({ tag, how }, { resources, idempotencyKey, shown, checkpoint }) => {
      const effects = effectsOf(resources);
      if (how === 'grows' && (await effects.size(tag)) > Number(shown ?? 0))
        return changed('it grew');
      if (how === 'recovers') await checkpoint({ tag, key: idempotencyKey });
      if (how === 'fails') throw new Error('it does not work');
      await effects.do(tag, idempotencyKey);
      return `did ${tag}`;
    },
    recover: async (saved, { resources }) => {
      const { tag, key } = saved as { tag: string; key: string };
      return (await effectsOf(resources).happened(tag, key))
        ? { happened: true, result: `did ${tag}` }
        : { happened: false };
    },
  });

/** How the tag of a call begins that many turns make. */
export const REPEATED = 'again';

const tagsOf = (ask: Ask): readonly string[] => {
  const details = ask.details.kind === 'inline' ? ask.details.text : '[]';
  return (JSON.parse(details) as { input: { tag: string } }[]).map((task) => task.input.tag);
};

const effectsOf = (resources: { effects?: Effects }): Effects => {
  if (!resources.effects) throw new Error('no effects');
  return resources.effects;
};

/** `recover` on a tool goes before `idempotent`, so the idempotent one has none. */
const withoutRecover = (tool: Tool): Tool => ({
  ...tool,
  work: tool.work && { ...tool.work, recover: undefined },
});

export const TOOLS: Record<string, Tool> = {
  act: act(false),
  act_idempotent: withoutRecover(act(true)),
  read: defineTool({
    description: 'reads',
    input: z.object({ tag: z.string() }),
    risk: 'LOW',
    run: async () => 'read',
  }),
  ask_user: defineTool({
    description: 'asks',
    input: z.object({ tag: z.string(), kind: z.enum(['input', 'choice']) }),
    question: ({ kind, tag }) => ({
      kind,
      prompt: tag,
      ...(kind === 'choice' && { options: ['red', 'blue'] }),
    }),
  }),
};

/** Plays the plan in the text of the message that started the turn; asked twice it may put it differently. */
const plannedBy = (variant: () => string): Model => ({
  think: async ({ messages }) => {
    const start = messages.findLastIndex((message) => message.role === 'user');
    const text = messages[start]?.role === 'user' ? messages[start].text : '';
    const done = messages.slice(start + 1).filter((message) => message.role === 'assistant').length;
    const plan = text.startsWith('[') ? (JSON.parse(text) as Plan) : [];
    const chosen = variant();
    const calls = (plan[done] ?? []).map(({ tool, how, risk, tag, ...rest }, index) => ({
      id: `call-${done}-${index}`,
      tool: tool === 'act' && how === 'idempotent' ? 'act_idempotent' : tool,
      input: {
        ...rest,
        tag: `${tag}${chosen}`,
        ...(tool === 'act' && { risk, how: how ?? 'plain' }),
      } as Record<string, Json>,
    }));
    return { text: calls.length > 0 ? '' : `done: ${text.slice(0, 40)}`, calls } satisfies Thought;
  },
});

// ── the world ───────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Card {
  readonly view: AskView;
  readonly chat: string;
  readonly message: string;
  readonly time: number;
  readonly updates: readonly string[];
}

interface SettledGhost {
  readonly decision: Decision;
  readonly tags: readonly string[];
  readonly session: SessionId;
  readonly shown: boolean;
}

export interface Ghosts {
  /** Every decision that ever settled an ask, and what its tasks were. */
  readonly settled: Readonly<Record<string, SettledGhost>>;
  /** effect → how often */
  readonly ran: Readonly<Record<string, number>>;
  readonly cards: Readonly<Record<string, Card>>;
  readonly said: Readonly<Record<string, string>>;
  /** Messages the webhook answered 200 for without deciding anything. */
  readonly enqueued: Readonly<Record<string, SessionId>>;
  /** Cards whose message id was saved: only those can be updated. A card sent by a process that died at once stays as it is. */
  readonly known: Readonly<Record<string, true>>;
  /** When each message was written. */
  readonly written: Readonly<Record<string, number>>;
  /** Each message's number in the queue, also when its row is deleted by now. */
  readonly numbered: Readonly<Record<string, string>>;
  readonly sizes: Readonly<Record<string, number>>;
  readonly starts: Readonly<Record<string, number>>;
  readonly violation?: string;
}

export type Program =
  | { readonly type: 'message'; readonly message: InboundMessage }
  | {
      readonly type: 'click';
      readonly id: string;
      readonly card: string;
      readonly by: PersonId;
      readonly kind: Exclude<DecisionKind, 'timeout' | 'gave-up'>;
      readonly picked?: readonly number[];
    }
  | {
      readonly type: 'agent';
      readonly queued: string;
      readonly job: Job;
      readonly delivery: Delivery;
    }
  | { readonly type: 'timeout'; readonly timer: Timer }
  | {
      readonly type: 'deadletter';
      readonly queued: string;
      readonly job: Job;
      readonly delivery: Delivery;
    };

export interface Running {
  readonly name: string;
  readonly program: Program;
  readonly skew: number;
  readonly deadline: number;
  process: Process;
  /** What it did last, for the crash table. */
  done: readonly string[];
}

export const settingsWith = (approval: object, retention: object = {}): Settings => {
  const read = readSettings({ approval, retention, agent: { language: 'en' } });
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'));
  return read.settings;
};

export const toOf = (chat: string) => ({ channel: CHANNEL, app: APP, chat, group: false });
export const sessionOf = (chat: string) => sessionId({ channel: CHANNEL, app: APP, chat });
export const messageFrom = (
  id: string,
  chat: string,
  from: PersonId,
  text: string,
  sentAt: number,
): InboundMessage => ({
  type: 'message',
  id: messageId(id),
  from,
  bot: false,
  to: toOf(chat),
  text,
  sentAt,
  mentions: [],
  mentionsSomeBot: false,
});

export class World {
  now = START;
  readonly store: MemoryStore = createMemoryStore();
  readonly queue: MemoryQueue;
  readonly scheduler: MemoryScheduler = createMemoryScheduler();
  ghosts: Ghosts = {
    settled: {},
    ran: {},
    cards: {},
    said: {},
    enqueued: {},
    known: {},
    written: {},
    numbered: {},
    sizes: {},
    starts: {},
  };
  running: Running[] = [];
  spawned = 0;
  readonly settings: Settings;
  story: string[] | undefined;
  variant: () => string = () => '';

  constructor(settings: Settings, maxReceives = 5) {
    this.settings = settings;
    this.queue = createMemoryQueue(() => this.now, maxReceives);
  }

  tell(line: string): void {
    this.story?.push(`${new Date(this.now).toISOString().slice(8, 23)}  ${line}`);
  }

  fail(why: string): void {
    if (!this.ghosts.violation) this.ghosts = { ...this.ghosts, violation: why };
  }

  // ── processes ──

  async spawn(
    program: Program,
    name: string,
    options: { skew?: number; deadline?: number; replay?: readonly Entry[] } = {},
  ): Promise<Running> {
    if (program.type === 'message')
      this.ghosts = {
        ...this.ghosts,
        written: { ...this.ghosts.written, [program.message.id]: program.message.sentAt },
      };
    const skew = options.skew ?? 0;
    const deadline = options.deadline ?? this.now + 240_000;
    const running: Running = {
      name,
      program,
      skew,
      deadline,
      done: [],
      process: undefined as unknown as Process,
    };
    running.process = new Process(
      (process) => this.#body(process, program),
      (what) => (what === 'now' ? this.now + skew : `${name}/${what}`),
      options.replay,
    );
    this.running.push(running);
    await running.process.settled();
    return running;
  }

  #body(process: Process, program: Program): Promise<unknown> {
    const ports = this.#ports(process);
    switch (program.type) {
      case 'message':
        return accept(ports, program.message);
      case 'click': {
        const card = this.ghosts.cards[program.card];
        if (!card) return Promise.resolve();
        const { session, ask } = card.view;
        const { id, by, kind, picked } = program;
        return accept(ports, {
          type: 'decision',
          id,
          session,
          ask: ask.id,
          binding: ask.binding,
          by,
          kind,
          tasks: ask.tasks.length,
          form: kind === 'answer',
          ...(picked && { picked }),
          ...(kind === 'modify' && { text: 'smaller' }),
          ...(kind === 'answer' && { text: ask.kind === 'choice' ? 'red' : 'words' }),
        });
      }
      case 'agent':
        return handle(ports, program.job, program.delivery);
      case 'timeout':
        return expire(ports, program.timer);
      case 'deadletter':
        return giveUp(ports, program.job, program.delivery);
      default:
        return program satisfies never;
    }
  }

  #ports(process: Process): EnginePorts {
    const store = scheduled<Store>(process, 'store', ['read', 'write', 'list', 'fetch']);
    const inline = this.store;
    const clock: Clock = {
      now: () => process.glance('now') as number,
      sleepUntil: (at) => process.call('clock', 'sleepUntil', [at]) as Promise<void>,
    };
    return {
      // Short texts are kept in place and make no call.
      store: createRetainingStore(
        { ...store, keep: inline.keep, fetch: inline.fetch, prolong: inline.prolong },
        this.settings.retention,
        clock,
      ),
      queue: scheduled<Queue>(process, 'queue', ['send']),
      scheduler: scheduled<Scheduler>(process, 'scheduler', ['once', 'every', 'cancel']),
      model: scheduled<Model>(process, 'model', ['think']),
      channels: {
        [CHANNEL]: {
          name: CHANNEL,
          ...scheduled<Omit<Channel, 'name'>>(process, 'channel', ['say', 'show', 'update']),
        },
      },
      clock,
      ids: { attempt: () => process.glance('attempt') as AttemptId },
      runner: {
        within: (_, work) => work(new AbortController().signal),
        unless: (_, work) => work(new AbortController().signal),
      },
      log: { info: () => {}, warn: () => {}, error: () => {} },
      resources: { effects: scheduled<Effects>(process, 'effects', ['do', 'happened', 'size']) },
      settings: this.settings,
      tools: TOOLS,
    };
  }

  /** Carries out the call a process waits for. */
  async execute(running: Running, call: Call): Promise<Answer> {
    try {
      return { value: await this.#carryOut(running, call) };
    } catch (error) {
      return { error: error as Error };
    }
  }

  async #carryOut(running: Running, { port, method, args }: Call): Promise<unknown> {
    if (port === 'store' && method === 'write') return this.#write(running, args[0] as Write);
    if (port === 'store')
      return (this.store[method as 'read'] as (...all: unknown[]) => unknown)(...args);
    if (port === 'queue') return this.queue.send(args[0] as never);
    if (port === 'scheduler')
      return (this.scheduler[method as 'cancel'] as (...all: unknown[]) => unknown)(...args);
    if (port === 'model') return plannedBy(this.variant).think(args[0] as never);
    if (port === 'channel') return this.#platform(method, args);
    if (port === 'effects') return this.#effect(running, method, args as [string, string]);
    return undefined;
  }

  async #write(by: Running, write: Write): Promise<unknown> {
    const [before] = await this.store.read([write.key]);
    const written = await this.store.write(write);
    if (written.kind === 'refused') return written;
    if (write.key.sk === '#' && write.key.pk.startsWith('S#'))
      this.#watchSession(write.key.pk.slice(2) as SessionId, before, written.item);
    if (write.key.sk.startsWith('I#')) this.#watchInbox(write.key.sk.slice(2), written.item);
    if (write.key.sk.startsWith('M#')) this.#watchMessage(write.key.sk, before, written.item);
    if (write.key.sk.startsWith('X#')) this.#watchLedger(by, write.key.sk, before, written.item);
    return written;
  }

  #watchSession(
    id: SessionId,
    before: Record<string, unknown> | undefined,
    after: Record<string, unknown>,
  ): void {
    const old = before?.['ask'] as Ask | undefined;
    const ask = after['ask'] as Ask | undefined;
    for (const { message } of ask?.shown ?? [])
      this.ghosts = { ...this.ghosts, known: { ...this.ghosts.known, [message]: true } };
    const turn = (after['turn'] as { message?: MessageId } | undefined)?.message;
    if (turn && (before?.['turn'] as { message?: MessageId } | undefined)?.message !== turn) {
      const starts = (this.ghosts.starts[turn] ?? 0) + 1;
      this.ghosts = { ...this.ghosts, starts: { ...this.ghosts.starts, [turn]: starts } };
      if (starts > 1) this.fail(`message ${turn} was run twice`);
      if (Object.values(this.ghosts.settled).some(({ decision }) => decision.message === turn))
        this.fail(`${turn} decided an ask and was run as a message`);
    }
    if (ask && old?.id !== ask.id) this.#checkNewAsk(ask);
    if (
      !ask?.decision ||
      (old?.id === ask.id &&
        canonicalJson(old.decision as never) === canonicalJson(ask.decision as never))
    )
      return;
    if (this.ghosts.settled[ask.id]) this.fail(`ask ${ask.id} was settled twice`);
    this.#checkDecider(ask, ask.decision);
    const settled = {
      decision: ask.decision,
      tags: tagsOf(ask),
      session: id,
      shown: ask.shown.length > 0,
    };
    this.ghosts = { ...this.ghosts, settled: { ...this.ghosts.settled, [ask.id]: settled } };
  }

  /** What a person said no to is not asked again in the same turn. */
  #checkNewAsk(ask: Ask): void {
    const tags = tagsOf(ask);
    for (const { decision, tags: before, shown } of Object.values(this.ghosts.settled)) {
      const no = decision.kind === 'cancel' || (decision.kind === 'timeout' && shown);
      const isAgain = (tag: string) => before.includes(tag) && !tag.startsWith(REPEATED);
      const again = no ? tags.find(isAgain) : undefined;
      if (again) this.fail(`${again} was asked again after a ${decision.kind}`);
    }
  }

  #checkDecider(ask: Ask, decision: Decision): void {
    if (
      decision.by &&
      decision.via !== 'command' &&
      !mayDecide(ask, decision.by, decision.kind, decision.picked)
    )
      this.fail(`${decision.by} settled ask ${ask.id}, but may not`);
    const writtenAt = decision.message && this.ghosts.written[decision.message];
    const shownAt = Object.values(this.ghosts.cards)
      .filter((card) => card.view.ask.id === ask.id)
      .map((card) => card.time);
    if (writtenAt !== undefined && !shownAt.some((time) => time < writtenAt))
      this.fail(
        `${decision.message} was written before the card of ask ${ask.id} was shown, and settled it`,
      );
  }

  #watchInbox(message: string, { sequence }: Record<string, unknown>): void {
    const { numbered } = this.ghosts;
    if (sequence !== undefined && numbered[message] !== sequence)
      this.ghosts = { ...this.ghosts, numbered: { ...numbered, [message]: String(sequence) } };
  }

  /** What the person was told at the end of the message's turn. */
  #toldFinally(id: SessionId, message: MessageId): string | undefined {
    const sequence = this.ghosts.numbered[message];
    return sequence && this.ghosts.said[platformKey(id, turnId(sequence), 'final')];
  }

  /** Rows whose time is over are deleted, late and in any order. */
  reap(chance: () => boolean): void {
    const left = [...this.store.snapshot()].filter(
      ([, item]) => !isOver(item, this.now) || !chance(),
    );
    this.store.restore(new Map(left));
  }

  #watchLedger(
    by: Running,
    key: string,
    before: Record<string, unknown> | undefined,
    after: Record<string, unknown>,
  ): void {
    if (before?.['state'] !== 'started' || after['state'] !== 'unknown') return;
    const attempt = String(before['attempt']);
    // A runner may say of its own try that it cannot tell.
    if (this.running.some((one) => one !== by && attempt.startsWith(`${one.name}/`)))
      this.fail(`${key} was called unknown while it still runs`);
  }

  #platform(method: string, args: readonly unknown[]): unknown {
    if (method === 'say') {
      const [, text, key] = args as [unknown, string, string];
      if (this.ghosts.said[key] === undefined)
        this.ghosts = { ...this.ghosts, said: { ...this.ghosts.said, [key]: text } };
      return undefined;
    }
    if (method === 'show') {
      const [view, receiver, key] = args as [
        AskView,
        { kind: string; to?: { chat: string }; person?: string },
        string,
      ];
      const known = this.ghosts.cards[key];
      const chat = receiver.to?.chat ?? String(receiver.person);
      if (!known) this.#setCard(key, { view, chat, message: key, time: this.now, updates: [] });
      return { chat, message: key, time: known?.time ?? this.now };
    }
    const [view, sent] = args as [AskView, { message: string }];
    const card = this.ghosts.cards[sent.message];
    if (!card) throw new Error('no such card');
    if (!card.updates.includes(view.card.state))
      this.#setCard(sent.message, { ...card, updates: [...card.updates, view.card.state] });
    return undefined;
  }

  #setCard(key: string, card: Card): void {
    this.ghosts = { ...this.ghosts, cards: { ...this.ghosts.cards, [key]: card } };
  }

  async #effect(running: Running, method: string, [tag, key]: [string, string]): Promise<unknown> {
    if (method === 'size') return this.ghosts.sizes[tag] ?? 0;
    const name = `${tag}@${key}`;
    if (method === 'happened') return (this.ghosts.ran[name] ?? 0) > 0;
    const times = (this.ghosts.ran[name] ?? 0) + 1;
    this.ghosts = { ...this.ghosts, ran: { ...this.ghosts.ran, [name]: times } };
    const idempotent = tag.includes('idempotent') || tag.includes('LOW');
    if (times > 1 && !idempotent) this.fail(`${tag} ran ${times} times under one approval`);
    if (tag.includes('HIGH')) this.#checkApproval(tag, running);
    if (!tag.includes('LOW') && !tag.startsWith(REPEATED)) this.#checkTurnNotEnded(tag);
    return undefined;
  }

  /** Whoever was told how the turn ended was told what ran in it. */
  #checkTurnNotEnded(tag: string): void {
    const message = messageId(tag.split('.')[0] as string);
    for (const id of new Set(Object.values(this.ghosts.enqueued))) {
      const told = this.#toldFinally(id, message);
      if (told) this.fail(`${tag} ran after the person was told: ${told}`);
    }
  }

  #checkApproval(tag: string, running: Running): void {
    const approvals = Object.values(this.ghosts.settled).filter(({ decision, tags }) => {
      const position = tags.indexOf(tag);
      return (
        position >= 0 &&
        decision.kind === 'confirm' &&
        (decision.picked?.includes(position) ?? true)
      );
    });
    if (approvals.length === 0) this.fail(`${tag} ran without an approval (in ${running.name})`);
    const freshest = Math.max(...approvals.map(({ decision }) => decision.at));
    if (this.now - freshest > this.settings.approval.carryOutSeconds * 1000 + 300_000)
      this.fail(`${tag} ran on a stale yes`);
    const runs = Object.entries(this.ghosts.ran).filter(([name]) => name.startsWith(`${tag}@`));
    if (runs.length > approvals.length && !tag.includes('idempotent'))
      this.fail(`${tag} ran more often than it was approved`);
  }

  #watchMessage(
    key: string,
    before: Record<string, unknown> | undefined,
    { message }: Record<string, unknown>,
  ): void {
    if (before && canonicalJson(before['message'] as Json) !== canonicalJson(message as Json))
      this.fail(`${key} was saved, and then saved differently`);
    // Every planned call is well-formed and planned once: what refuses one is not the call.
    if ((message as { outcome?: string }).outcome === 'refused')
      this.fail(`${key}: a call was refused that nothing is wrong with`);
  }

  /** Was this very effect brought about before? */
  ranBefore({ args: [tag, key] }: Call): boolean {
    return this.ghosts.ran[`${tag}@${key}`] !== undefined;
  }

  /** Who waits for another runner to be gone must not be that runner. */
  async checkWait({ name, program, deadline }: Running, error: Error): Promise<void> {
    const inTime = this.now < deadline - MOST_SKEW_MS;
    if (!(error instanceof RetryLaterError) || program.type !== 'agent' || !inTime) return;
    for (const row of await this.#ledger(program.job.session))
      if (row['state'] === 'started' && row['attempt'] === `${name}/attempt`)
        this.fail(
          `${row['sk']} was started by ${name}, which now waits for somebody else to run it`,
        );
  }

  /** Who hears that it is decided, by himself or long ago, must not leave the decision where nobody takes it up. */
  async checkTakenUp(
    { program }: Running,
    accepted: Accepted | undefined,
    at: number,
  ): Promise<void> {
    if (!accepted || (program.type !== 'click' && program.type !== 'message')) return;
    const id = program.type === 'click' ? program.id : program.message.id;
    const card = program.type === 'click' ? this.ghosts.cards[program.card] : undefined;
    const late = accepted.kind === 'refused' && accepted.refusal.reason === 'already-decided';
    for (const [ask, { decision, session }] of Object.entries(this.ghosts.settled)) {
      const own = decision.id === id && ['claimed', 'repeated'].includes(accepted.kind);
      const lying =
        late && card?.view.ask.id === ask && at - decision.at > 5_000 + 2 * MOST_SKEW_MS;
      if ((own || lying) && (await this.#lyingDecision(session))?.ask === ask)
        this.fail(`${id} found ask ${ask} decided, and left it where nobody takes it up`);
    }
  }

  /** Nothing is under way: whatever was to look after a decision left behind has looked. */
  async checkNothingLies(sessions: readonly SessionId[]): Promise<void> {
    for (const id of sessions) {
      const lying = await this.#lyingDecision(id);
      if (lying && this.now - lying.at > LONGEST_LYING_MS)
        this.fail(
          `ask ${lying.ask} was decided ${LONGEST_LYING_MS / 60_000} minutes ago, and nobody takes it up`,
        );
    }
  }

  /** A decision not taken up, and no job in the queue or running that will. */
  async #lyingDecision(id: SessionId): Promise<{ ask: string; at: number } | undefined> {
    const ask = currentAsk(await this.session(id));
    if (ask?.state !== 'decided' || !ask.decision) return undefined;
    const { messages, dead } = this.queue.snapshot();
    const queued = [...messages, ...dead].map(({ body }) => JSON.parse(body) as Job);
    const running = this.running.flatMap(({ program }) => ('job' in program ? [program.job] : []));
    const coming = [...queued, ...running].some(
      (job) => job.type === 'resume' && job.ask === ask.id,
    );
    return coming ? undefined : { ask: ask.id, at: ask.decision.at };
  }

  /** What a webhook's caller was told must be true. */
  checkAnswer(program: Program, accepted: Accepted | undefined): void {
    if (!accepted || (program.type !== 'click' && program.type !== 'message')) return;
    const id = program.type === 'click' ? program.id : program.message.id;
    const won = Object.values(this.ghosts.settled).some(({ decision }) => decision.id === id);
    if (accepted.kind === 'claimed' && !won) this.fail(`${id} was told ok, but did not count`);
    if (accepted.kind === 'refused' && won)
      this.fail(`${id} was told ${accepted.refusal.reason}, but it counted`);
    const ask = program.type === 'click' ? this.ghosts.cards[program.card]?.view.ask.id : undefined;
    if (
      accepted.kind === 'refused' &&
      accepted.refusal.reason === 'no-open-ask' &&
      ask &&
      !this.ghosts.settled[ask]
    )
      this.fail(`${id} clicked on a card that is out, and was told nothing is asked`);
    if (accepted.kind === 'refused' && accepted.refusal.reason === 'expired') {
      if (ask && this.ghosts.settled[ask]?.decision.kind !== 'timeout')
        this.fail(`${id} was told expired before it was`);
    }
    if (accepted.kind === 'enqueued' && program.type === 'message') {
      const session = sessionOf(program.message.to.chat);
      this.ghosts = { ...this.ghosts, enqueued: { ...this.ghosts.enqueued, [id]: session } };
    }
  }

  // ── at rest ──

  async session(id: SessionId): Promise<Session> {
    const [item] = await this.store.read([keys.session(id)]);
    return readSession(id, item);
  }

  /** Nothing more happens by itself: everything promised must have come true. */
  async checkAtRest(sessions: readonly SessionId[]): Promise<void> {
    for (const id of sessions) {
      const session = await this.session(id);
      if (session.phase !== 'IDLE') this.fail(`session ${id} is stuck in ${session.phase}`);
      if (session.aside.length > 0) this.fail(`session ${id} is idle with messages waiting`);
      await this.#checkLedger(id);
    }
    for (const [message, id] of Object.entries(this.ghosts.enqueued))
      await this.#checkMessage(messageId(message), id);
    for (const [ask, { decision, tags, session }] of Object.entries(this.ghosts.settled))
      await this.#checkOutcome(ask, decision, tags, session);
  }

  #ledger(id: SessionId) {
    return this.store.list({ pk: keys.partition(id), from: 'X#', to: 'X#~', limit: 10_000 });
  }

  /** The ledger alone says "started or not": what it says must be what happened. */
  async #checkLedger(id: SessionId): Promise<void> {
    const carriedOut = new Set<string>();
    for (const row of await this.#ledger(id)) {
      const [, turn, call = '', nth] = String(row['sk']).split('#');
      const [step, index] = call.split('.');
      const key = platformKey(id, String(turn), Number(step), Number(index), Number(nth));
      const ran =
        Object.entries(this.ghosts.ran).filter(([name]) => name.endsWith(`@${key}`)).length > 0;
      const state = row['state'];
      if (ran && (state === 'void' || state === 'failed' || state === 'changed'))
        this.fail(`${row['sk']} is ${state}, but it ran`);
      if (!ran && state === 'done') this.fail(`${row['sk']} is done, but it never ran`);
      if (state === 'started') this.fail(`${row['sk']} is left as started`);
      // Asked or unasked: however often it was looked at, one call of the model runs once.
      if (ran && carriedOut.has(`${turn}#${call}`)) this.fail(`${row['sk']} ran a second time`);
      if (ran) carriedOut.add(`${turn}#${call}`);
    }
  }

  async #checkMessage(message: MessageId, id: SessionId): Promise<void> {
    const session = await this.session(id);
    const decided = Object.values(this.ghosts.settled).some(
      ({ decision }) => decision.message === message,
    );
    if (decided || session.aside.includes(message) || session.turn?.message === message) return;
    const answered = this.#toldFinally(id, message) !== undefined;
    if (!answered && this.ghosts.said[platformKey(id, message, 'failed')] === undefined)
      this.fail(`message ${message} was neither answered nor given up`);
  }

  async #checkOutcome(
    ask: string,
    decision: Decision,
    tags: readonly string[],
    id: SessionId,
  ): Promise<void> {
    const session = await this.session(id);
    if (session.ask?.id === ask && session.phase !== 'IDLE') return;
    const copies = Object.values(this.ghosts.cards).filter((card) => card.view.ask.id === ask);
    // "Running" is shown before the tool begins: it does not say what came of it.
    const stale = copies.filter(
      (card) =>
        card.updates.every((state) => state === 'running') && this.ghosts.known[card.message],
    );
    const told = Object.values(this.ghosts.said).some(
      (text) => text.startsWith('This failed') || text.startsWith('Cancelled'),
    );
    if (stale.length > 0 && !told)
      this.fail(`nobody was told what came of ask ${ask} (${decision.kind})`);
    if (
      copies.some((card) => card.updates.includes('changed')) &&
      !tags.some((tag) => tag.includes('grows'))
    )
      this.fail(`ask ${ask} was asked anew although nothing changed`);
    const claimsDone = copies.some((card) => card.updates.at(-1) === 'done');
    for (const [position, tag] of tags.entries()) {
      const picked = decision.kind === 'confirm' && (decision.picked?.includes(position) ?? true);
      const ran = Object.keys(this.ghosts.ran).some((name) => name.startsWith(`${tag}@`));
      if (claimsDone && picked && !ran) this.fail(`the card says done, but ${tag} never ran`);
    }
    if (decision.kind !== 'confirm') {
      for (const tag of tags) {
        const approvedElsewhere = Object.values(this.ghosts.settled).some(
          (other) => other.decision.kind === 'confirm' && other.tags.includes(tag),
        );
        if (
          !approvedElsewhere &&
          tag.includes('HIGH') &&
          Object.keys(this.ghosts.ran).some((name) => name.startsWith(`${tag}@`))
        )
          this.fail(`${tag} ran although it was declined (${decision.kind})`);
      }
    }
  }
}
