import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Ask, type Decision, mayDecideTask } from '#domain/ask.ts';
import { evaluate, type Item, type Key, type Write } from '#domain/expression.ts';
import {
  type AskId,
  type AttemptId,
  askId,
  type Binding,
  type JobName,
  jobName,
  type MessageId,
  messageId,
  type PersonId,
  paddedSequence,
} from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import * as moves from '#domain/moves.ts';
import { currentAsk, readSession, recentWith, type Session, type Turn } from '#domain/session.ts';
import { alice, anAsk, aTask, aTurn, bob, carol, session } from './given.ts';

/**
 * One session under everything that may happen to it, in any order, by anyone, late and repeated: events choose their
 * turn, job, ask, message and person from all that ever were. Every write is watched; what it may not do is said in
 * `watch` functions, in words of the design and not of the moves.
 */

const QUEUE = 'queue-1';
const PEOPLE = [alice, bob, carol] as const;
const RIGHTS = [
  { may: [alice, bob, carol], not: [] },
  { may: [alice], not: [] },
  { may: ['*'], not: [] },
  { may: ['*'], not: [alice] },
  { may: [bob, carol], not: [] },
  { may: [bob, carol], not: [bob] },
];
const DECISIONS = ['confirm', 'confirm', 'cancel', 'modify', 'answer'] as const;
const LEFT_STARTED = ['done', 'failed', 'changed', 'unknown'] as const;

const ORDER = { open: 0, decided: 1, taken: 2 };

/** Called for every write of every walk, where `expect` would take most of the time. */
const must = (holds: boolean, rule: string) => {
  if (!holds) throw new Error(`broken: ${rule}`);
};

/** An invocation that once held the turn: it works with what it saw then, for as long as it likes. */
interface Agent {
  readonly saw: Session;
  readonly job: JobName;
  readonly attempt: AttemptId;
}

const world = () => {
  const items = new Map<string, Item>();
  const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
  const now = () => readSession(session, items.get(nameOf(keys.session(session))));
  const made: Record<string, number> = {};
  const decisions = new Map<AskId, string>();
  const opened = new Set<AskId>();
  const accepted = new Set<MessageId>();
  const turned = new Set<MessageId>();

  const seen = {
    clock: 0,
    messages: [] as number[],
    turns: [aTurn(0)] as Turn[],
    jobs: [jobName.message(messageId('om_0'))] as JobName[],
    asks: [] as Ask[],
    agents: [] as Agent[],
    ledger: [] as { key: Key; attempt: AttemptId }[],
    ran: [] as { ask: Ask; position: number }[],
  };

  /** Carries out a move and checks that nothing happened that never may. */
  const make = (name: keyof typeof moves, move: Write): boolean => {
    const place = nameOf(move.key);
    const before = items.get(place);
    const written = evaluate(move, before);
    if (written.kind === 'refused') return false;
    made[name] = (made[name] ?? 0) + 1;
    const after: Item = { ...written.item, ...move.key };
    items.set(place, after);
    if (move.key.sk === '#') {
      const { phase } = readSession(session, after);
      must((phase === 'IDLE') === (after['shard'] === undefined), 'in the index while busy');
      watchSession(readSession(session, before), readSession(session, after));
    } else watchLedger(before?.['state'], after['state']);
    return true;
  };

  const watchSession = (before: Session, after: Session) => {
    const { ask, phase, turn } = after;
    if (ask && ask.id !== before.ask?.id) {
      must(!opened.has(ask.id), 'an ask is opened once');
      opened.add(ask.id);
    } else if (ask) must(ORDER[ask.state] >= ORDER[before.ask?.state ?? 'open'], 'no way back');
    if (ask?.decision) {
      const decision = JSON.stringify(ask.decision);
      must((decisions.get(ask.id) ?? decision) === decision, 'a decision never changes');
      decisions.set(ask.id, decision);
    }
    const current = currentAsk(after);
    must((phase === 'IDLE') === (turn === undefined), 'a turn is held while the session is busy');
    if (phase === 'EXECUTING') must((current?.state ?? 'taken') === 'taken', 'nothing is asked');
    if (phase.startsWith('WAITING'))
      must(current !== undefined && current.state !== 'taken', 'asks');
    must(!current || (current.state === 'open') === (current.decision === undefined), 'decided');
    if (turn && turn.id !== before.turn?.id) {
      must(!turned.has(turn.message), 'a message has one turn');
      turned.add(turn.message);
    }
    watchBacklog(before.aside.join(), after.aside.join(), after.aside.at(-1));
  };

  const watchBacklog = (before: string, after: string, last: MessageId | undefined) => {
    const joined = before === '' ? last : `${before},${last}`;
    const left = before.split(',').slice(1).join();
    must(after === before || after === joined || after === left, 'first in, first out');
  };

  const watchLedger = (was: unknown, is: unknown) => {
    if (was === undefined) must(is === 'started' || is === 'void', 'begins as started or void');
    else must(was === 'started', 'only what was started can come to anything');
  };

  const accept = (message: MessageId) => {
    must(!accepted.has(message), 'a message is accepted once');
    accepted.add(message);
  };

  return { seen, now, make, made, accept };
};
type World = ReturnType<typeof world>;

/** The newest, or any that ever was: stale ids must do no harm. */
const choose = <T>(from: readonly T[], n: number): T | undefined =>
  n % 3 === 0 ? from[Math.floor(n / 3) % from.length] : from.at(-1);

const turnOf = (sequence: number, job: JobName): Turn =>
  aTurn(sequence, { job, requester: PEOPLE[sequence % 3] as PersonId });
const placeOf = (sequence: number) => ({
  queue: QUEUE,
  sequence: paddedSequence(String(sequence)),
});
const idOf = (sequence: number) => messageId(`om_${sequence}`);
const sequenceOf = (message: MessageId) => Number(message.slice(3));

const hold = ({ seen, now }: World, job: JobName) => {
  const saw = now();
  if (saw.turn?.job !== job || saw.phase !== 'EXECUTING') return;
  seen.turns.push(saw.turn);
  seen.jobs.push(job);
  seen.agents.push({ saw, job, attempt: `attempt-${seen.agents.length}` as AttemptId });
};

type Event = (w: World, n: number, m: number, k: number) => void;

const EVENTS: Record<string, Event> = {
  /** A new message, or any earlier one delivered again. */
  message: (w, n, m) => {
    const newest = w.seen.messages.length + 1;
    if (m % 2 !== 0) w.seen.messages.push(newest);
    const sequence = m % 2 === 0 ? choose(w.seen.messages, n) : newest;
    if (sequence === undefined) return;
    const message = idOf(sequence);
    const job = jobName.message(message);
    w.seen.jobs.push(job);
    const started = w.make(
      'startTurn',
      moves.startTurn(session, turnOf(sequence, job), placeOf(sequence)),
    );
    const taken =
      started || w.make('putAside', moves.putAside(session, message, placeOf(sequence)));
    if (taken) w.accept(message);
    hold(w, job);
  },
  /** A number is given out now and its job delivered later: `message` may find it. */
  delayed: ({ seen }) => {
    seen.messages.push(seen.messages.length + 1);
  },
  /** As suspend does, by an invocation with what it saw; with rights of all kinds over up to three tasks. */
  ask: (w, n, m, k) => {
    const agent = choose(w.seen.agents, n);
    const turn = agent?.saw.turn;
    if (!agent || !turn) return;
    const nth = (currentAsk(agent.saw)?.nth ?? 0) + 1;
    const tasks = Array.from({ length: 1 + (m % 3) }, (_, call) =>
      aTask({ call, ...RIGHTS[(k + call) % RIGHTS.length] }),
    );
    const ask = anAsk({
      id: askId(session, turn.id, nth),
      kind: k % 4 === 0 ? 'input' : 'confirm',
      turn: turn.id,
      nth,
      number: agent.saw.asked + 1,
      tasks,
      binding: `binding-${m % 5}` as Binding,
      openedAt: w.seen.clock,
      expiresAt: w.seen.clock + 10 + (k % 50),
    });
    if (w.make('openAsk', moves.openAsk(session, agent.job, ask, recentWith(agent.saw))))
      w.seen.asks.push(ask);
  },
  show: (w, n) => {
    const ask = choose(w.seen.asks, n);
    const shown = [{ chat: 'oc_1', message: 'om_card', time: w.seen.clock }];
    if (ask) w.make('markShown', moves.markShown(session, ask.id, shown));
  },
  /** As accept and claim do; the count of tasks and the picks are whatever a stranger's client sends. */
  claim: (w, n, m, k) => {
    const ask = choose(w.seen.asks, n);
    const person = PEOPLE[m % 3] as PersonId;
    const kind = DECISIONS[k % DECISIONS.length] as Decision['kind'];
    if (!ask) return;
    const count = m % 7 === 0 ? m % 4 : ask.tasks.length;
    const picked =
      kind === 'confirm' && k % 2 === 0
        ? [0, 1, 2]
            .slice(0, count + (m % 9 === 0 ? 1 : 0))
            .filter((position) => (m >> position) % 3 !== 0)
        : undefined;
    const decision: Decision = {
      id: `evt-${w.seen.clock}`,
      kind,
      by: person,
      at: w.seen.clock,
      via: 'click',
      ...(picked && { picked }),
    };
    const every = Array.from({ length: count }, (_, index) => index);
    const binding = m % 5 === 0 ? ('binding-9' as Binding) : ask.binding;
    const claimant: moves.Claimant = {
      person,
      tasks: kind === 'confirm' ? (picked ?? every) : every,
      needs: kind === 'confirm' ? 'all' : 'any',
    };
    const before = currentAsk(w.now());
    if (!w.make('claim', moves.claim(session, ask.id, decision, { binding, claimant }))) return;
    expect(before).toMatchObject({ id: ask.id, state: 'open' });
    expect(w.seen.clock).toBeLessThan(ask.expiresAt);
    expect(binding).toBe(ask.binding);
    const tasks = picked ? picked.map((position) => ask.tasks[position]) : ask.tasks;
    const rights = tasks.map((task) => task !== undefined && mayDecideTask(task, person));
    expect(kind === 'confirm' ? rights.length > 0 && !rights.includes(false) : true).toBe(true);
    expect(ask.tasks.some((task) => mayDecideTask(task, person))).toBe(true);
  },
  expire: (w, n, m) => {
    const ask = choose(w.seen.asks, n);
    if (!ask) return;
    const time = m % 2 === 0 ? ask.expiresAt : w.seen.clock;
    if (w.make('expire', moves.expire(session, ask.id, time)))
      expect(time).toBeGreaterThanOrEqual(ask.expiresAt);
  },
  take: (w, n) => {
    const ask = choose(w.seen.asks, n);
    if (!ask) return;
    const job = jobName.resume(ask.id);
    w.seen.jobs.push(job);
    w.make('takeDecision', moves.takeDecision(session, ask.id, job));
    hold(w, job);
  },
  passOn: (w, n, m) => {
    const [turn, from] = [choose(w.seen.turns, n), choose(w.seen.jobs, m)];
    const part = (w.now().turn?.part ?? 0) + 1;
    if (!turn || !from) return;
    const to = jobName.more(turn.id, part);
    w.make('passOn', moves.passOn(session, turn.id, from, to, part));
    hold(w, to);
  },
  end: (w, n) => {
    const agent = choose(w.seen.agents, n);
    if (!agent?.saw.turn) return;
    const waiting = w.now().aside.length;
    if (w.make('endTurn', moves.endTurn(session, agent.saw.turn.id, agent.job)))
      expect(waiting, 'nobody is left waiting').toBe(0);
  },
  handOver: (w, n, m) => {
    const [agent, sequence] = [choose(w.seen.agents, n), choose(w.seen.messages, m)];
    const head = m % 2 === 0 ? w.now().aside[0] : sequence && idOf(sequence);
    if (!agent?.saw.turn || !head) return;
    const job = jobName.next(head, agent.job);
    const next = turnOf(sequenceOf(head), job);
    w.make('handOver', moves.handOver(session, agent.saw.turn.id, agent.job, next));
    hold(w, job);
  },
  skip: (w, n) => {
    const [agent, head] = [choose(w.seen.agents, n), w.now().aside[0]];
    if (agent?.saw.turn && head)
      w.make('skipAside', moves.skipAside(session, agent.saw.turn.id, agent.job, head));
  },
  cancel: (w, n) => {
    const turn = choose(w.seen.turns, n);
    if (turn && n % 4 === 0)
      w.make('requestCancel', moves.requestCancel(session, turn.id, w.seen.clock));
  },
  /** As give-up does, for any job that ever was. */
  seize: (w, n, m) => {
    const job = choose(w.seen.jobs, n);
    const { turn, ...rest } = w.now();
    if (!job || !turn || m % 2 === 0) return;
    const ask = currentAsk({ ...rest, turn });
    const dead = jobName.dead(job);
    const shown = ask?.state === 'open' && ask.shown.length > 0;
    const seized =
      ask === undefined
        ? w.make('seizeTurn', moves.seizeTurn(session, turn.id, job, dead))
        : w.make(
            'seizeAsk',
            moves.seizeAsk(session, turn.id, job, dead, {
              ask: ask.id,
              resumes: job === jobName.resume(ask.id),
              now: w.seen.clock,
            }),
          );
    if (seized) expect(shown, 'a question somebody may be reading is not given up').toBe(false);
    hold(w, dead);
  },
  fence: (w, n) => {
    const sequence = choose(w.seen.messages, n);
    if (sequence !== undefined && w.make('fence', moves.fence(session, placeOf(sequence))))
      w.accept(idOf(sequence));
  },
  forget: (w, n, m) => {
    const turn = choose(w.seen.turns, n);
    if (turn) w.make('forgetHistory', moves.forgetHistory(session, turn.id, m % 2 === 0));
  },
  /** As go-on does: the ask it took must be a confirm that picked the task; only then the row, and with it the tool. */
  run: (w, n, m) => {
    const agent = choose(w.seen.agents, n);
    const ask = agent && currentAsk(agent.saw);
    if (!agent || ask?.state !== 'taken' || ask.decision?.kind !== 'confirm') return;
    const position = m % ask.tasks.length;
    if (ask.decision.picked && !ask.decision.picked.includes(position)) return;
    const key = ledgerKey(ask, position);
    if (!w.make('startCall', moves.startCall(key, 'data_modify', agent.attempt, w.seen.clock + 20)))
      return;
    w.seen.ledger.push({ key, attempt: agent.attempt });
    w.seen.ran.push({ ask, position });
  },
  checkpoint: (w, n) => {
    const row = choose(w.seen.ledger, n);
    if (row) w.make('checkpointCall', moves.checkpointCall(row.key, row.attempt, n));
  },
  settle: (w, n, m) => {
    const row = choose(w.seen.ledger, n);
    const state = LEFT_STARTED[m % LEFT_STARTED.length] ?? 'done';
    if (row)
      w.make(
        'settleCall',
        moves.settleCall(row.key, row.attempt, state, { kind: 'inline', text: state }),
      );
  },
  retry: (w, n, m) => {
    const row = choose(w.seen.ledger, n);
    const attempt = `again-${m}` as AttemptId;
    if (
      row &&
      w.make('retryCall', moves.retryCall(row.key, row.attempt, attempt, w.seen.clock + 20))
    )
      w.seen.ledger.push({ key: row.key, attempt });
  },
  void: (w, n, m) => {
    const ask = choose(w.seen.asks, n);
    if (ask && m % 3 === 0)
      w.make('voidCall', moves.voidCall(ledgerKey(ask, m % ask.tasks.length), 'data_modify'));
  },
  wait: ({ seen }, n) => {
    seen.clock += n % 40;
  },
};

const ledgerKey = (ask: Ask, position: number) =>
  keys.ledger(session, ask.turn, ask.step, ask.tasks[position]?.call ?? 0, ask.nth);

/** Often enough to get somewhere, seldom enough to be surprised. */
const USUAL =
  'message message ask ask ask show claim claim claim take take run run run end settle'.split(' ');
const event = fc.record({
  name: fc.constantFrom(...Object.keys(EVENTS), ...USUAL),
  n: fc.nat(600),
  m: fc.nat(600),
  k: fc.nat(600),
});
const walk = fc.noBias(fc.array(event, { minLength: 20, maxLength: 120, size: 'max' }));

const walked = (events: readonly { name: string; n: number; m: number; k: number }[]): World => {
  const w = world();
  for (const { name, n, m, k } of events) {
    w.seen.clock += 1;
    EVENTS[name]?.(w, n, m, k);
  }
  return w;
};

/** What is always possible: the timer fires, its decision is taken, the holder ends the turn or hands over. */
const drain = (w: World): readonly MessageId[] => {
  const begun: MessageId[] = [];
  for (let left = 100; left > 0; left -= 1) {
    const { phase, turn, ask, aside } = w.now();
    if (phase === 'IDLE' || !turn) return begun;
    if (phase !== 'EXECUTING') {
      if (!ask) throw new Error('a session waits for nothing');
      w.make('expire', moves.expire(session, ask.id, ask.expiresAt));
      w.make('takeDecision', moves.takeDecision(session, ask.id, jobName.resume(ask.id)));
    } else if (aside[0] !== undefined) {
      const next = turnOf(sequenceOf(aside[0]), jobName.next(aside[0], turn.job));
      if (w.make('handOver', moves.handOver(session, turn.id, turn.job, next)))
        begun.push(aside[0]);
    } else w.make('endTurn', moves.endTurn(session, turn.id, turn.job));
  }
  throw new Error(`stuck in ${JSON.stringify(w.now())}`);
};

const made: Record<string, number> = {};

it('settles an ask once, accepts a message once, keeps the backlog in order, and runs what was confirmed', () => {
  fc.assert(
    fc.property(walk, (events) => {
      const w = walked(events);
      for (const [name, times] of Object.entries(w.made)) made[name] = (made[name] ?? 0) + times;

      const runs = w.seen.ran.map(({ ask, position }) => `${ask.turn} ${ask.nth} ${position}`);
      expect(new Set(runs).size, 'at most once per approval').toBe(runs.length);
      for (const { ask, position } of w.seen.ran) {
        const asked = w.seen.asks.find(({ turn, nth }) => turn === ask.turn && nth === ask.nth);
        const { decision } = ask;
        expect(decision?.kind).toBe('confirm');
        expect(decision?.picked ?? [position]).toContain(position);
        const task = asked?.tasks[position];
        expect(task && decision?.by && mayDecideTask(task, decision.by), 'by someone who may').toBe(
          true,
        );
      }

      const waiting = w.now().aside;
      expect(waiting.map(sequenceOf)).toEqual(waiting.map(sequenceOf).sort((a, b) => a - b));
      expect(drain(w), 'every turn can end, and those put aside have theirs in order').toEqual(
        waiting,
      );
    }),
    { numRuns: 2_000 },
  );
}, 30_000);

it('went everywhere: each move was made many times', () => {
  // `putIfAbsent` is made as `startCall` and `voidCall`.
  const named = Object.keys(moves).filter((name) => name !== 'putIfAbsent');
  for (const name of named) expect(made[name] ?? 0, name).toBeGreaterThan(20);
});
