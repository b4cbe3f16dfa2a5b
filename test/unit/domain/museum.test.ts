import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mayDecide } from '#domain/ask.ts';
import { bindingOfAsk, bindingOfCall } from '#domain/binding.ts';
import type { JsonObject } from '#domain/canonical-json.ts';
import { openCalls, type Row, readMessage, stepsOf } from '#domain/conversation.ts';
import { evaluate, type Item } from '#domain/expression.ts';
import { askId, jobName, type PersonId, type SessionId } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { claim, endTurn, expire, startTurn, takeDecision } from '#domain/moves.ts';
import { readReply } from '#domain/reply.ts';
import {
  currentAsk,
  leftLying,
  openAsk,
  readSession,
  type Session,
  settledAsks,
  unshownAsk,
} from '#domain/session.ts';
import { aTurn } from './given.ts';

/** Saved states are never edited: a turn suspended by version 1 must go on under every later release. */
const V1 = new URL('../../fixtures/continuations/v1/', import.meta.url);

interface Exhibit {
  readonly item: Item;
  readonly rows: readonly JsonObject[];
  readonly session: Session;
  readonly messages: readonly Row[];
}

const open = (name: string): Exhibit => {
  const { session: item, messages: rows } = JSON.parse(
    readFileSync(new URL(`${name}.json`, V1), 'utf8'),
  ) as { session: Item; messages: readonly JsonObject[] };
  const id = String(item['pk']).slice(2) as SessionId;
  return { item, rows, session: readSession(id, item), messages: rows.map(readMessage) };
};

const lastStep = ({ session, messages }: Exhibit) => {
  const { turn } = session;
  const last = turn && stepsOf(messages, turn.id).at(-1);
  if (!last) throw new Error('no turn is under way');
  return last;
};
const askOf = ({ session }: Exhibit) => {
  const ask = currentAsk(session);
  if (!ask) throw new Error('no ask of this turn');
  return ask;
};

const names = readdirSync(V1)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''));
const SUSPENDED = [
  'choice-open',
  'confirm-decided-not-taken',
  'confirm-open-anthropic-thinking',
  'confirm-open-not-shown',
  'confirm-open-plain-calls',
  'confirm-open-reasoning-content',
  'confirm-open-two-tasks',
  'input-open',
];

describe.each(names)('%s, saved by version 1,', (name) => {
  const exhibit = open(name);
  const { item, rows, session } = exhibit;

  it('is where its keys say it is', () => {
    expect(keys.session(session.id)).toEqual({ pk: item['pk'], sk: item['sk'] });
    const found = rows.map((row) => String(row['sk']));
    expect(found).toEqual([...found].sort());
    for (const row of rows) expect(row['pk']).toBe(item['pk']);
    for (const [index, { turn }] of exhibit.messages.entries())
      expect(found[index]).toMatch(new RegExp(`^M#${turn}#`));
  });

  it('is refused, not misread, when a newer release wrote it', () => {
    const message =
      'v2 was written by a newer release; this one reads up to v1. Roll forward again, or wait until';
    expect(() => readSession(session.id, { ...item, version: 2 })).toThrow(`session ${message}`);
    for (const row of rows)
      expect(() => readMessage({ ...row, version: 2 })).toThrow(`message ${message}`);
  });

  it('binds its ask to the calls it was shown for, and its id to its turn', () => {
    const { ask } = session;
    if (!ask) return;
    expect(ask.id).toBe(askId(session.id, ask.turn, ask.nth));
    const step = stepsOf(exhibit.messages, ask.turn).find((one) => one.step === ask.step);
    const calls = ask.tasks.flatMap((task) => step?.calls[task.call] ?? []);
    expect(calls.map(bindingOfCall)).toEqual(ask.tasks.map((task) => task.binding));
    expect(bindingOfAsk(calls, ask.question)).toBe(ask.binding);
  });
});

describe.each(SUSPENDED)('the turn suspended in %s', (name) => {
  it('can be decided or time out, be taken up, and end', () => {
    const { item, session } = open(name);
    const ask = askOf(open(name));
    const turn = session.turn?.id ?? ask.turn;
    const job = jobName.resume(ask.id);
    const decided = evaluate(expire(session.id, ask.id, ask.expiresAt), item);
    expect(decided.kind).toBe(ask.state === 'open' ? 'written' : 'refused');
    const taken = evaluate(takeDecision(session.id, ask.id, job), decided.item);
    expect(taken.kind).toBe('written');
    expect(evaluate(endTurn(session.id, turn, job), taken.item).kind).toBe('written');
  });
});

describe('what each must still say', () => {
  it('confirm-open-two-tasks: two calls wait, bob may confirm the first, both only by somebody who may both', () => {
    const exhibit = open('confirm-open-two-tasks');
    const ask = openAsk(exhibit.session);
    expect(exhibit.session.phase).toBe('WAITING_CONFIRM');
    expect(ask).toMatchObject({ kind: 'confirm', number: 5, nth: 1, round: 1, state: 'open' });
    expect(ask?.tasks.map(({ tool }) => tool)).toEqual(['data_modify', 'write_note']);
    expect(openCalls(lastStep(exhibit))).toEqual([1, 2]);
    expect(ask?.shown).toHaveLength(1);
    const [alice, bob] = ['feishu:ou_alice', 'feishu:ou_bob'] as PersonId[] as [PersonId, PersonId];
    expect(ask && mayDecide(ask, alice, 'confirm')).toBe(false);
    expect(ask && mayDecide(ask, bob, 'confirm')).toBe(true);
    expect(settledAsks(exhibit.session).map(({ kind }) => kind)).toEqual(['modify', 'timeout']);
    expect(ask && readReply('确认 1', ask)).toEqual({ kind: 'confirm', picked: [0] });
    const decision = {
      id: 'evt_1',
      kind: 'confirm',
      by: bob,
      at: 1767578500000,
      via: 'click',
    } as const;
    const claimant = { person: bob, tasks: [0, 1], needs: 'all' } as const;
    const binding = ask?.binding;
    expect(
      evaluate(
        claim(exhibit.session.id, askOf(exhibit).id, decision, { binding, claimant }),
        exhibit.item,
      ).kind,
    ).toBe('written');
  });

  it('confirm-open-not-shown: nobody can have seen it', () => {
    const { session } = open('confirm-open-not-shown');
    expect(unshownAsk(session)?.id).toBe(session.ask?.id);
  });

  it('confirm-decided-not-taken: bob picked the first task, and the decision is left lying', () => {
    const { session } = open('confirm-decided-not-taken');
    expect(openAsk(session)).toBeUndefined();
    expect(leftLying(session, 1767578447000)?.decision).toMatchObject({
      kind: 'confirm',
      by: 'feishu:ou_bob',
      picked: [0],
      via: 'click',
    });
  });

  it('modify-taken-with-backlog: the text that decided, a cancel, two messages in order, a cut history', () => {
    const exhibit = open('modify-taken-with-backlog');
    const { session } = exhibit;
    expect(session).toMatchObject({
      phase: 'EXECUTING',
      aside: ['om_0801', 'om_0900'],
      historyFrom: '000000000000000000018870271364812700000',
      turn: { part: 1, cancelAt: 1767578462000, job: jobName.resume(askOf(exhibit).id) },
    });
    expect(askOf(exhibit)).toMatchObject({
      state: 'taken',
      round: 2,
      decision: { kind: 'modify', text: '只删 2018 年的', message: 'om_reply_7', via: 'text' },
    });
    expect(lastStep(exhibit).results.get(1)).toMatchObject({ outcome: 'revised' });
    expect(openCalls(lastStep(exhibit))).toEqual([2]);
  });

  it('input-open: an amount is awaited, in digits', () => {
    const ask = openAsk(open('input-open').session);
    expect(ask && readReply('1200', ask)).toEqual({ kind: 'answer', text: '1200' });
    expect(ask && readReply('很多', ask)).toMatchObject({ kind: 'wrong', wrong: 'pattern' });
    expect(ask?.tasks[0]?.may).toEqual(['dingtalk:staff 01']);
  });

  it('choice-open: several regions may be chosen; what the card showed is kept in rows', () => {
    const exhibit = open('choice-open');
    const ask = openAsk(exhibit.session);
    expect(ask && readReply('1,上海', ask)).toEqual({ kind: 'answer', text: 'eu-west-1, 上海' });
    expect(ask?.details).toMatchObject({ kind: 'rows', count: 3, bytes: 921_600 });
    expect(stepsOf(exhibit.messages, askOf(exhibit).turn)[0]?.results.get(0)).toMatchObject({
      outcome: 'answered',
    });
  });

  it('idle-after-timeout: nothing is open, an old click hears that it timed out, a message starts anew', () => {
    const { item, session, messages } = open('idle-after-timeout');
    expect(session.phase).toBe('IDLE');
    expect(openAsk(session)).toBeUndefined();
    expect(settledAsks(session)[0]).toMatchObject({ kind: 'timeout', at: 1767578700000 });
    expect(messages.at(-1)?.message).toMatchObject({ role: 'final', how: 'answer' });
    const queue = session.accepted?.queue ?? '';
    const place = (sequence: string) => ({ queue, sequence: sequence.padStart(39, '0') });
    expect(evaluate(startTurn(session.id, aTurn(), place('18870271364812800512')), item).kind).toBe(
      'refused',
    );
    expect(evaluate(startTurn(session.id, aTurn(), place('18870271364812800513')), item).kind).toBe(
      'written',
    );
  });

  it('only-fenced: idle, and a message given up is not started', () => {
    const { session } = open('only-fenced');
    expect(session).toMatchObject({ phase: 'IDLE', aside: [], asked: 0, recent: [] });
    expect(session.accepted?.sequence).toHaveLength(39);
  });

  it('running-signed-thinking: what the provider signed goes back untouched, call ids too', () => {
    const exhibit = open('running-signed-thinking');
    const [, step, first] = exhibit.messages.map(({ message }) => message);
    expect(step).toMatchObject({
      provider: [
        { type: 'thinking', thinking: 'Two files…\n', signature: 'EqoBCkgIARABGAIiQL8/+x=' },
        { type: 'redacted_thinking', data: 'EmwKAhgB' },
        { anthropic: { cacheControl: { type: 'ephemeral' } }, empty: null },
      ],
      usage: { inputTokens: 90, outputTokens: 31 },
    });
    const { calls } = lastStep(exhibit);
    expect(calls.map(({ id }) => id)).toEqual(['toolu_par', 'toolu_par', 'toolu_bad']);
    expect(calls[2]).toMatchObject({ input: {}, malformed: '{"sql": "DELETE FROM' });
    expect(first).toMatchObject({ text: { kind: 'rows', count: 14, bytes: 5_242_880 } });
    expect(openCalls(lastStep(exhibit))).toEqual([2]);
  });

  it('every-outcome: each outcome of a call, each way a turn ended', () => {
    const { messages } = open('every-outcome');
    const [step] = stepsOf(messages, messages[0]?.turn ?? aTurn().id);
    expect([...(step?.results.values() ?? [])].map(({ outcome }) => outcome)).toEqual(
      step?.calls.map(({ input }) => input['text']),
    );
    expect(
      messages.flatMap(({ message }) => (message.role === 'final' ? [message.how] : [])),
    ).toEqual(['answer', 'cancelled', 'failed', 'limit']);
  });
});

it('leaves nothing out: every file in the museum is described above, and none is gone', () => {
  expect(names).toEqual([
    'choice-open',
    'confirm-decided-not-taken',
    'confirm-open-anthropic-thinking',
    'confirm-open-not-shown',
    'confirm-open-plain-calls',
    'confirm-open-reasoning-content',
    'confirm-open-two-tasks',
    'every-outcome',
    'idle-after-timeout',
    'input-open',
    'modify-taken-with-backlog',
    'only-fenced',
    'running-signed-thinking',
  ]);
});
