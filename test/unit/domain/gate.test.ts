import { describe, expect, it } from 'vitest';
import { type Ask, mayDecide, whoMay } from '#domain/ask.ts';
import { type GatedCall, judge, type Remembered, type Rule } from '#domain/gate.ts';
import { type Risk, readSettings, type Settings } from '#domain/settings.ts';
import { alice, anAsk, aTask, bob, carol } from './given.ts';

const policy = (approval: object = {}): Settings['approval'] => {
  const read = readSettings({ approval });
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'));
  return read.settings.approval;
};
const call = (risk: Risk, more: Partial<GatedCall> = {}): GatedCall => ({
  tool: 'write_note',
  risk,
  requester: alice,
  ...more,
});
const NOW = 1_000_000;
const yesOfAlice: Remembered = { by: alice, at: NOW - 1_000 };
const override = (value: unknown) => ({ toolOverrides: { write_note: value } });

describe('the order of the rules', () => {
  type Case = [string, object, Risk, Remembered | undefined, 'run' | 'ask', Rule];
  const cases: Case[] = [
    ['switched off runs everything', { enabled: false }, 'HIGH', undefined, 'run', 'disabled'],
    [
      'switched off beats an override that asks, and strict mode',
      { enabled: false, strictMode: true, ...override(true) },
      'HIGH',
      undefined,
      'run',
      'disabled',
    ],
    ['an override asks for a LOW call', override(true), 'LOW', undefined, 'ask', 'override'],
    ['an override lets a HIGH call run', override(false), 'HIGH', undefined, 'run', 'override'],
    [
      'an override that runs beats strict mode',
      { strictMode: true, ...override({ requiresApproval: false }) },
      'HIGH',
      undefined,
      'run',
      'override',
    ],
    [
      'an override that asks beats memory',
      override({ requiresApproval: true }),
      'MEDIUM',
      yesOfAlice,
      'ask',
      'override',
    ],
    ['strict mode asks for MEDIUM', { strictMode: true }, 'MEDIUM', undefined, 'ask', 'strict'],
    ['strict mode asks for HIGH', { strictMode: true }, 'HIGH', undefined, 'ask', 'strict'],
    ['strict mode beats memory', { strictMode: true }, 'MEDIUM', yesOfAlice, 'ask', 'strict'],
    ['strict mode lets LOW run', { strictMode: true }, 'LOW', undefined, 'run', 'low'],
    ['LOW runs', {}, 'LOW', undefined, 'run', 'low'],
    ['HIGH is asked', {}, 'HIGH', undefined, 'ask', 'high'],
    ['HIGH is asked also when remembered', {}, 'HIGH', yesOfAlice, 'ask', 'high'],
    ['MEDIUM is asked', {}, 'MEDIUM', undefined, 'ask', 'medium'],
    ['MEDIUM runs when remembered', {}, 'MEDIUM', yesOfAlice, 'run', 'remembered'],
    [
      'a risk set by policy goes before the tool’s',
      override({ risk: 'HIGH' }),
      'LOW',
      yesOfAlice,
      'ask',
      'high',
    ],
    [
      'an override of something else decides nothing',
      override({ timeoutSeconds: 60 }),
      'LOW',
      undefined,
      'run',
      'low',
    ],
    [
      'an override of another tool decides nothing',
      { toolOverrides: { other: true } },
      'LOW',
      undefined,
      'run',
      'low',
    ],
  ];
  it.each(cases)('%s', (_, approval, risk, memory, kind, rule) => {
    expect(judge(call(risk), policy(approval), NOW, memory)).toMatchObject({ kind, rule });
  });
});

describe('a remembered approval', () => {
  const judged = (memory: Remembered, now: number, approval: object = {}, requester = alice) =>
    judge(call('MEDIUM', { requester }), policy(approval), now, memory).kind;

  it('counts from the decision until the window is over, however often it is used', () => {
    const memory = { by: alice, at: 0 };
    for (const now of [0, 150_000, 299_999]) expect(judged(memory, now)).toBe('run');
    for (const now of [300_000, 300_001, 9e9]) expect(judged(memory, now)).toBe('ask');
  });

  it('counts only if its approver could decide this call for this requester', () => {
    expect(judged({ by: bob, at: NOW }, NOW)).toBe('ask');
    expect(judged({ by: bob, at: NOW }, NOW, {}, bob)).toBe('run');
    expect(judged({ by: bob, at: NOW }, NOW, { approvers: [bob] })).toBe('run');
    expect(judged({ by: bob, at: NOW }, NOW, { approvers: [carol] })).toBe('ask');
    expect(judged({ by: bob, at: NOW }, NOW, { approvers: 'other-than-requester' })).toBe('run');
    expect(judged({ by: alice, at: NOW }, NOW, { approvers: 'other-than-requester' })).toBe('ask');
  });

  it('is looked up only where it could matter', () => {
    const recall = (risk: Risk, approval: object = {}) => {
      const verdict = judge(call(risk), policy(approval), NOW);
      return verdict.kind === 'ask' && verdict.recall;
    };
    expect(recall('MEDIUM')).toBe(true);
    expect(recall('MEDIUM', { memoryWindowSeconds: 0 })).toBe(false);
    expect(recall('MEDIUM', { strictMode: true })).toBe(false);
    expect(recall('HIGH')).toBe(false);
    expect(recall('LOW', override(true))).toBe(false);
  });

  it('never counts where memory is switched off', () => {
    expect(judged({ by: alice, at: NOW }, NOW, { memoryWindowSeconds: 0 })).toBe('ask');
  });
});

describe('who is asked, and for how long', () => {
  it('goes by the policy for the tool, then the tool, then the policy for all', () => {
    const tool = { approvers: [bob], timeoutSeconds: 60 };
    expect(judge(call('HIGH'), policy(), NOW)).toMatchObject({ may: [alice], timeoutSeconds: 300 });
    expect(judge(call('HIGH', tool), policy(), NOW)).toMatchObject({
      may: [bob],
      timeoutSeconds: 60,
    });
    const both = override({ approvers: [carol], timeoutSeconds: 3600 });
    expect(judge(call('HIGH', tool), policy(both), NOW)).toMatchObject({
      may: [carol],
      timeoutSeconds: 3600,
    });
  });

  it.each([
    ['requester', [true, false, false]],
    ['anyone', [true, true, true]],
    ['other-than-requester', [false, true, true]],
    [
      [bob, carol],
      [false, true, true],
    ],
    [[alice], [true, false, false]],
  ] as const)('lets %j decide for alice: alice, bob, carol → %j', (approvers, allowed) => {
    const people = typeof approvers === 'string' ? approvers : [...approvers];
    const ask = anAsk({ tasks: [aTask(whoMay(people, alice))] });
    for (const kind of ['confirm', 'cancel', 'modify'] as const)
      expect([alice, bob, carol].map((person) => mayDecide(ask, person, kind))).toEqual(allowed);
  });

  describe('where tasks have different approvers', () => {
    const ask: Ask = anAsk({
      tasks: [aTask({ may: [alice] }), aTask({ may: ['*'], not: [alice] })],
    });

    it('lets a person confirm only tasks all of which they may decide', () => {
      expect(mayDecide(ask, alice, 'confirm')).toBe(false);
      expect(mayDecide(ask, alice, 'confirm', [0])).toBe(true);
      expect(mayDecide(ask, alice, 'confirm', [0, 1])).toBe(false);
      expect(mayDecide(ask, bob, 'confirm', [1])).toBe(true);
      expect(mayDecide(ask, bob, 'confirm', [0])).toBe(false);
      expect(mayDecide(ask, bob, 'confirm', [2])).toBe(false);
    });

    it('lets whoever may decide one of them decline them all', () => {
      expect(mayDecide(ask, alice, 'cancel')).toBe(true);
      expect(mayDecide(ask, bob, 'modify')).toBe(true);
      expect(mayDecide(anAsk({ tasks: [aTask({ may: [alice] })] }), bob, 'cancel')).toBe(false);
    });

    it('gives nobody a right by picking nothing', () => {
      expect(mayDecide(anAsk({ tasks: [aTask({ may: [alice] })] }), bob, 'confirm', [])).toBe(
        false,
      );
    });
  });
});
