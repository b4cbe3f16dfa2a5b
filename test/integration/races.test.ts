import { beforeAll, expect, it } from 'vitest';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { createSqsQueue } from '#adapters/aws/sqs.ts';
import { type Ask, type Decision, type Refusal, settledOf } from '#domain/ask.ts';
import { bindingOfAsk } from '#domain/binding.ts';
import { askId, jobName, personId, sessionId, turnId } from '#domain/ids.ts';
import type { Inbound } from '#domain/inbound.ts';
import type { Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { markShown, openAsk, startTurn } from '#domain/moves.ts';
import { readSession, type Session } from '#domain/session.ts';
import { textsIn } from '#domain/texts.ts';
import { type Accepted, accept } from '#flow/accept.ts';
import { expire, type TimerPorts } from '#flow/expire.ts';
import { ANN, decisionOf, messageOf, settingsWith } from '../support/cloud.ts';
import { startAws } from '../support/emulated-aws.ts';
import { TEST_CHANNEL } from '../support/test-channel.ts';

const ROUNDS = 200;
const DECIDERS = 20;
const OPENED = Date.UTC(2026, 0, 5, 9);
const EXPIRES = OPENED + 300_000;
/** May decide nothing, and tries. */
const STRANGER = personId(TEST_CHANNEL, 'stranger');

const { dynamo, sqs } = await startAws();
let ports: TimerPorts;
const sent: Job[] = [];
beforeAll(async () => {
  const queue = createSqsQueue(sqs.client, (await sqs.createFifoQueue()).url);
  ports = {
    store: createDynamoStore(dynamo.client, dynamo.table),
    queue: {
      send: async (envelope) => {
        sent.push(JSON.parse(envelope.body) as Job);
        await queue.send(envelope);
      },
    },
    scheduler: { once: async () => {}, every: async () => {}, cancel: async () => {} },
    clock: { now: () => OPENED, sleepUntil: async () => {} },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    settings: settingsWith(),
  };
});

const openRound = async (round: number): Promise<Session> => {
  const chat = `chat-${round}`;
  const message = messageOf(`m-${round}`, chat, '做一下', OPENED);
  const session = sessionId({ channel: TEST_CHANNEL, app: message.to.app, chat });
  const id = turnId(String(round));
  const job = jobName.message(message.id);
  const call = { tool: 'act', input: { round } };
  const ask: Ask = {
    id: askId(session, id, 1),
    kind: 'confirm',
    number: 1,
    nth: 1,
    round: 1,
    step: 1,
    turn: id,
    state: 'open',
    openedAt: OPENED,
    expiresAt: EXPIRES,
    binding: bindingOfAsk([call]),
    tasks: [
      {
        call: 0,
        tool: 'act',
        risk: 'HIGH',
        binding: bindingOfAsk([call]),
        may: ['*'],
        not: [STRANGER],
      },
    ],
    requester: ANN,
    shown: [],
    details: { kind: 'inline', text: '[]' },
  };
  const turn = { id, message: message.id, job, part: 0, requester: ANN, to: message.to };
  const { store } = ports;
  await store.write(startTurn(session, turn, { queue: 'q', sequence: id }));
  await store.write(openAsk(session, job, ask, []));
  await store.write(markShown(session, ask.id, [{ chat, message: 'card', time: OPENED }]));
  return stored(session);
};

const stored = async (session: Session['id']): Promise<Session> =>
  readSession(session, (await ports.store.read([keys.session(session)]))[0]);

interface Told {
  readonly decider: string;
  readonly how: 'claimed' | Refusal['reason'] | 'told-how-settled';
  readonly refusal?: Refusal;
}

/** As a text does before it claims: in some rounds the others look first too, or texts would never win. */
const lookUp = (session: Session['id']) =>
  ports.store.read([keys.session(session), keys.app(TEST_CHANNEL, 'app')]);

/** Clicks, texts, one timer and a stranger. In every second round the clocks of some are already past the expiry. */
const deciders = (round: number, { id: session, ask }: Session): (() => Promise<Told>)[] =>
  Array.from({ length: DECIDERS }, (_, index) => {
    const decider = `${round}-${index}`;
    const by = index === 1 ? STRANGER : personId(TEST_CHANNEL, `person-${index}`);
    const late = round % 2 === 1 && index % 3 === 0;
    const now = late ? EXPIRES + 500 : EXPIRES - 500;
    const skewed = { ...ports, clock: { ...ports.clock, now: () => now } };
    const confirms = (round + index) % 2 === 0;
    const click = decisionOf(decider, session, ask, confirms ? 'confirm' : 'cancel');
    const text = messageOf(decider, `chat-${round}`, confirms ? '确认' : '取消', now);
    const isClick = index % 2 === 1;
    const inbound: Inbound = isClick ? { ...click, by } : { ...text, from: by };
    const decide = async () =>
      index === 0 && ask ? fireTimer(session, ask) : toldBy(decider, await accept(skewed, inbound));
    const reads = isClick || index === 0 ? Math.max(0, (round % 4) - 1) : 0;
    return async () => {
      for (let read = 0; read < reads; read += 1) await lookUp(session);
      return decide();
    };
  });

const strangerTries = async (round: number, { id, ask }: Session): Promise<Told> => {
  const click = decisionOf(`${round}-stranger`, id, ask, 'confirm');
  return toldBy('stranger', await accept(ports, { ...click, by: STRANGER }));
};

/** The timer is told nothing; the item says whether it was the one. */
const fireTimer = async (session: Session['id'], ask: Ask): Promise<Told> => {
  await expire(ports, { session, ask: ask.id, expiresAt: EXPIRES });
  const won = (await stored(session)).ask?.decision?.id === 'timeout';
  return { decider: 'timeout', how: won ? 'claimed' : 'already-decided' };
};

const toldBy = (decider: string, accepted: Accepted): Told => {
  if (accepted.kind === 'claimed') return { decider, how: 'claimed' };
  if (accepted.kind === 'refused')
    return { decider, how: accepted.refusal.reason, refusal: accepted.refusal };
  if (accepted.kind === 'noticed') return { decider, how: 'told-how-settled' };
  throw new Error(`${decider} was neither a winner nor told why not: ${accepted.kind}`);
};

const shuffled = <T>(list: readonly T[], seed: number): T[] =>
  list
    .map((one, index) => ({ one, rank: ((index + 1) * (seed * 7_919 + 104_729)) % 1_009 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);

/** Whatever a loser is told is true of the decision that is stored. */
const checkRefusal = ({ how, refusal }: Told, ask: Ask, decision: Decision): void => {
  if (how === 'expired') expect(decision.kind).toBe('timeout');
  if (refusal?.reason === 'already-decided') expect(refusal.settled).toEqual(settledOf(ask));
};

it(`lets exactly one of ${DECIDERS} deciders through, in ${ROUNDS} rounds`, async () => {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const opened = await openRound(round);
    sent.length = 0;
    // Alone at the open ask nobody else's decision hides whether his would count.
    if (round % 10 === 0) expect((await strangerTries(round, opened)).how).toBe('not-an-approver');
    const racing = shuffled(deciders(round, opened), round);
    const told = await Promise.all(racing.map((decide) => decide()));
    const { ask } = await stored(opened.id);
    const decision = ask?.decision;
    if (!ask || !decision) throw new Error(`round ${round}: nothing was decided`);

    const winners = told.filter(({ how }) => how === 'claimed');
    expect(winners.map(({ decider }) => decider)).toEqual([decision.id]);
    expect(decision.by).not.toBe(STRANGER);
    expect(told).toHaveLength(DECIDERS);
    for (const one of told) checkRefusal(one, ask, decision);
    const settled = settledOf(ask);
    const notices = sent.flatMap((job) => (job.type === 'notice' ? [job.text] : []));
    const readLater = told.filter(({ how }) => how === 'told-how-settled').length;
    const truth = settled && textsIn('zh-CN').settled(settled);
    expect(notices.filter((text) => text === truth).length).toBeGreaterThanOrEqual(readLater);
    expect(sent.some((job) => job.type === 'resume' && job.ask === ask.id)).toBe(true);

    count(`won by ${decision.via}`);
    for (const { how } of told) if (how !== 'claimed') count(`refused: ${how}`);
  }
  // biome-ignore lint/suspicious/noConsole: the counts are what this test is for
  console.log(`${ROUNDS} rounds of ${DECIDERS}: ${JSON.stringify(counts)}`);
  const sum = (what: string) =>
    Object.entries(counts).reduce((all, [name, n]) => all + (name.startsWith(what) ? n : 0), 0);
  expect(sum('won')).toBe(ROUNDS);
  expect(sum('refused')).toBe(ROUNDS * (DECIDERS - 1));
  for (const way of ['click', 'text', 'timer']) expect(sum(`won by ${way}`)).toBeGreaterThan(0);
}, 300_000);
