import { describe, expect, it } from 'vitest';
import type { DecisionKind, Refusal } from '#domain/ask.ts';
import { resultText, type Texts, textsIn } from '#domain/texts.ts';
import { alice, anAsk, bob } from './given.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const KINDS: DecisionKind[] = ['confirm', 'modify', 'cancel', 'answer', 'timeout', 'gave-up'];
const settled = (kind: DecisionKind, by?: typeof alice) => ({
  id: anAsk().id,
  decision: 'evt_1',
  kind,
  at: AT,
  ...(by && { by }),
});
const refusals: Refusal[] = [
  { reason: 'already-decided', settled: settled('confirm', alice) },
  { reason: 'expired', at: AT },
  { reason: 'not-an-approver', may: [alice, bob] },
  { reason: 'not-an-approver', may: ['*'] },
  { reason: 'changed' },
  { reason: 'wrong-answer', options: 0 },
  { reason: 'wrong-answer', options: 3 },
  { reason: 'no-open-ask' },
];

/** Every text, said in every way it can be; a text without a line here does not compile. */
const said = (texts: Texts): Record<keyof Texts, readonly string[]> => ({
  settled: KINDS.flatMap((kind) => [
    texts.settled(settled(kind)),
    texts.settled(settled(kind, bob)),
  ]),
  refusal: refusals.map(texts.refusal),
  taken: KINDS.map(texts.taken),
  awaiting: [texts.awaiting([alice, bob], AT), texts.awaiting(['*'], AT)],
  askedElsewhere: [texts.askedElsewhere([alice, bob], AT), texts.askedElsewhere(['*'], AT)],
  wrongPick: [texts.wrongPick(3)],
  wrongAnswer: [texts.wrongAnswer],
  onlyText: [texts.onlyText],
  reask: [texts.reask(AT)],
  lapsed: [texts.lapsed],
  changed: [texts.changed],
  failed: [texts.failed([], [], []), texts.failed(['t'], ['u'], ['v', 'w'])],
  cancelled: [texts.cancelled],
  stopped: [texts.stopped([], []), texts.stopped(['t'], ['u'])],
  nothingToCancel: [texts.nothingToCancel],
  mayNotCancel: [texts.mayNotCancel],
  tooManyRounds: [texts.tooManyRounds(3)],
  tooManySteps: [texts.tooManySteps(20)],
  emptyAnswer: [texts.emptyAnswer],
  modelFailed: (['account', 'rejected', 'overflow', 'refused', 'empty'] as const).map(
    texts.modelFailed,
  ),
  reset: [texts.reset],
  resetNeedsIdle: [texts.resetNeedsIdle],
  help: [texts.help],
  whoami: [texts.whoami(alice)],
  status: [
    texts.status('IDLE', [], [], undefined, 0),
    texts.status('WAITING_CONFIRM', ['t'], ['*'], AT, 2),
  ],
});
const [zh, en] = [textsIn('zh-CN'), textsIn('en')];
/** By the reader's own clock. */
const timeOf = (texts: Texts) =>
  texts === zh ? '2026-01-02 11:04:05 UTC+8' : '2026-01-02 03:04:05 UTC';

describe('texts', () => {
  it('exist in both languages, and differ', () => {
    const [chinese, english] = [said(zh), said(en)];
    expect(Object.keys(chinese).sort()).toEqual(Object.keys(zh).sort());
    expect(Object.keys(en).sort()).toEqual(Object.keys(zh).sort());
    for (const name of Object.keys(chinese) as (keyof Texts)[])
      for (const [index, text] of chinese[name].entries()) {
        const other = english[name][index] ?? '';
        expect(text, name).toMatch(/[\u4e00-\u9fff]/);
        expect(other, name).toMatch(/[a-z]/);
        expect(other, name).not.toMatch(/[\u4e00-\u9fff]/);
        expect(text + other, name).not.toMatch(/undefined|null|NaN|false|\[object|\s{2}/);
      }
  });

  it.each([zh, en])('name who decided and when, who may, until when, and the range', (texts) => {
    const time = timeOf(texts);
    expect(texts.settled(settled('confirm', bob))).toContain(bob);
    expect(texts.settled(settled('timeout'))).toContain(time);
    expect(texts.refusal({ reason: 'not-an-approver', may: [alice, bob] })).toContain(
      `${alice}, ${bob}`,
    );
    expect(texts.awaiting([bob], AT)).toContain(bob);
    expect(texts.awaiting([bob], AT)).toContain(time);
    expect(texts.askedElsewhere([bob], AT)).toContain(bob);
    expect(texts.askedElsewhere([bob], AT)).toContain(time);
    expect(texts.reask(AT)).toContain(time);
    expect(texts.wrongPick(3)).toContain('3');
    expect(texts.whoami(alice)).toContain(alice);
  });

  it.each([zh, en])(
    'of the status name the phase, the tools asked for, who may decide and the deadline',
    (texts) => {
      const status = texts.status('WAITING_CONFIRM', ['data_modify'], [bob], AT, 2);
      for (const part of ['WAITING_CONFIRM', 'data_modify', bob, timeOf(texts), '2'])
        expect(status).toContain(part);
    },
  );

  it.each([zh, en])('of a failure tell what ran, what may have, and what did not', (texts) => {
    const failed = texts.failed(['ran_tool'], ['maybe_tool'], ['not_tool']);
    for (const tool of ['ran_tool', 'maybe_tool', 'not_tool']) expect(failed).toContain(tool);
    expect(texts.failed(['ran_tool'], [], [])).not.toContain(texts === zh ? '未执行' : 'Not run');
  });

  it('say 操作超时，已取消 when nobody answered', () => {
    expect(zh.taken('timeout')).toBe('操作超时，已取消');
  });
});

describe('what the model reads of a call that did not run', () => {
  it('says by whom and why it was declined', () => {
    expect(resultText('declined', { by: alice, text: 'too many' })).toBe(
      `Not run: declined by ${alice}: too many`,
    );
  });

  it('says that nobody answered in time, in the words of the contract', () => {
    expect(resultText('timeout', {})).toBe('Operation cancelled (timeout)');
  });

  it('never lets a lost call pass for one that did not run', () => {
    expect(resultText('unknown', {})).toMatch(/may have run/);
    for (const outcome of ['declined', 'revised', 'stopped'] as const)
      expect(resultText(outcome, {})).toMatch(/^Not run/);
  });
});
