import { type Ask, mayDecideTask, type SettledState, type Task } from '#domain/ask.ts';
import { bindingOfAsk } from '#domain/binding.ts';
import type { Outcome, Row, Step } from '#domain/conversation.ts';
import { set } from '#domain/expression.ts';
import { judge } from '#domain/gate.ts';
import { headOf } from '#domain/head-of.ts';
import { platformKey } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { putIfAbsent, voidCall } from '#domain/moves.ts';
import { resultText } from '#domain/texts.ts';
import type { TaskResult } from '#ports/channel.ts';
import { decidedCard, updateCards, updateCardsIfPossible, viewOf } from './cards.ts';
import { type Carried, carryOut, contextOf, readLedger } from './carry-out.ts';
import { memoryKey, riskOf } from './look.ts';
import { timeIsShort } from './pass-on.ts';
import { saveResult } from './rows.ts';
import { type Run, say, textsOf, toolNamed } from './run.ts';

/** Carries out or declines the calls of a taken ask, then its cards and the audit say what came of it. */
export const settle = async (
  run: Run,
  rows: Row[],
  step: Step,
  ask: Ask,
): Promise<'settled' | 'out-of-time'> => {
  const confirmed = ask.decision?.kind === 'confirm';
  const views = confirmed
    ? (await viewOf(run.ports, run.session, ask, { state: 'waiting' })).tasks
    : [];
  if (confirmed) await showRunning(run, step, ask);
  const results: TaskResult[] = [];
  for (const [position, task] of ask.tasks.entries()) {
    const before = step.results.get(task.call);
    if (!before && timeIsShort(run)) return 'out-of-time';
    const preview = views[position]?.preview;
    results.push(
      before
        ? resultOf(before.outcome, await run.ports.store.fetch(before.text))
        : await settleTask(run, rows, step, ask, position, preview),
    );
  }
  await remember(run, ask, results);
  await conclude(run, ask, results);
  const anew = results.find(({ state }) => state === 'lapsed' || state === 'changed')?.state;
  if (anew === 'lapsed' || anew === 'changed')
    await say(run, textsOf(run.ports)[anew], platformKey(run.session.id, ask.id, 'anew'));
  return 'settled';
};

const FIRST_UPDATE_MS = 1_500;

/** Feishu loses an update that overtakes the answer to the click. */
const clickAnswered = async (run: Run, { decision }: Ask): Promise<void> => {
  // A click that came too late has claimed the timeout, and is answered like any other.
  if (decision?.via === 'click' || decision?.via === 'timer')
    await run.ports.clock.sleepUntil(decision.at + FIRST_UPDATE_MS);
};

/** Everybody sees that it was decided before the tool begins; a card that cannot be changed now does not hold it up. */
const showRunning = async (run: Run, step: Step, ask: Ask): Promise<void> => {
  if (!ask.decision || step.results.size > 0) return;
  await clickAnswered(run, ask);
  await updateCardsIfPossible(run.ports, run.session, ask, decidedCard(ask.decision));
};

const SHORT = 500;
const resultOf = (outcome: Outcome, text: string): TaskResult => ({
  state: CARD_STATES[outcome],
  // Of a call that did not run the text is for the model; the card says it in its reader's language.
  ...(TOLD.includes(outcome) && { text: short(text) }),
});
const TOLD: readonly Outcome[] = ['done', 'failed'];
const short = (text: string): string =>
  text.length <= SHORT ? text : `${headOf(text, SHORT)}… [${SHORT} / ${text.length}]`;

/** Saves the call's result; a call that is to be asked anew gets none, and so stays open. */
const settleTask = async (
  run: Run,
  rows: Row[],
  step: Step,
  ask: Ask,
  position: number,
  shown: string | undefined,
): Promise<TaskResult> => {
  const { decision } = ask;
  const task = ask.tasks[position];
  if (!decision || !task) throw new Error(`ask ${ask.id} has no decision or no task ${position}`);
  const save = async (outcome: Outcome, text: string): Promise<TaskResult> => {
    await saveResult(run, rows, { step: step.step, call: task.call }, outcome, text);
    return resultOf(outcome, text);
  };
  const decline = (outcome: Outcome, text = decision.text) =>
    save(outcome, resultText(outcome, { by: decision.by, text }));
  switch (decision.kind) {
    case 'answer':
      return save('answered', decision.text ?? '');
    case 'cancel':
      return decline('declined');
    case 'modify':
      return decline('revised');
    case 'gave-up':
      return decline('stopped');
    case 'timeout':
      // Nobody can have seen it: the time ran out on us, not on them, so they are asked anew.
      return ask.shown.length === 0 ? { state: 'expired' } : decline('timeout');
    case 'confirm': {
      if (decision.picked && !decision.picked.includes(position))
        return decline('declined', 'not among those picked');
      const carried = await carryOutTask(run, step, ask, task, shown);
      if ('outcome' in carried) return save(carried.outcome, carried.text);
      return { state: carried.anew, ...(carried.why && { text: carried.why }) };
    }
    default:
      return decision.kind satisfies never;
  }
};

type Settled =
  | { readonly outcome: Outcome; readonly text: string }
  | { readonly anew: 'lapsed' | 'changed'; readonly why?: string };

const carryOutTask = async (
  run: Run,
  step: Step,
  ask: Ask,
  task: Task,
  shown: string | undefined,
): Promise<Settled> => {
  const ready = readyToRun(run, step, ask, task);
  if (ready.kind === 'anew') return fenceTask(run, step, ask, task, ready.why);
  const at = { step: step.step, call: task.call, nth: ask.nth, tool: task.tool };
  const carried = await carryOut(run, { ...at, work: ready.work, input: ready.input, shown });
  return settledBy(carried, 'changed');
};

const settledBy = ({ outcome, text }: Carried, anew: 'lapsed' | 'changed'): Settled =>
  outcome === 'changed' ? { anew, why: text } : { outcome, text };

/** A yes does not keep, and it is for exactly what was shown, by somebody who still may. Else the call is asked anew. */
const readyToRun = (run: Run, step: Step, ask: Ask, task: Task) => {
  const anew = (why: 'lapsed' | 'changed') => ({ kind: 'anew', why }) as const;
  const { settings, clock } = run.ports;
  const { decision } = ask;
  if (!decision?.by || clock.now() - decision.at > settings.approval.carryOutSeconds * 1000)
    return anew('lapsed');
  const calls = ask.tasks.map((one) => step.calls[one.call]).filter((call) => call !== undefined);
  const call = step.calls[task.call];
  const tool = call && toolNamed(run.ports, call.tool);
  const parsed = tool?.parse(call?.input ?? null);
  const work = tool?.work;
  if (
    !call ||
    !work ||
    parsed?.kind !== 'input' ||
    bindingOfAsk(calls, ask.question) !== ask.binding
  )
    return anew('changed');
  const risk = riskOf(work, parsed.input);
  if (risk.kind === 'untold') return anew('changed');
  const gated = {
    tool: call.tool,
    risk: risk.risk,
    approvers: work.approvers,
    requester: run.turn.requester,
  };
  const verdict = judge(gated, settings.approval, clock.now());
  const shownAs = verdict.risk === task.risk && mayDecideTask(verdict, decision.by);
  if (verdict.kind === 'ask' && !shownAs) return anew('changed');
  return { kind: 'ready', work, input: parsed.input } as const;
};

/**
 * Before anybody is told "not run", the ledger row must be ours: an earlier runner may have started the call while the
 * yes was still good. Then what it did is what counts.
 */
const fenceTask = async (
  run: Run,
  step: Step,
  ask: Ask,
  task: Task,
  why: 'lapsed' | 'changed',
): Promise<Settled> => {
  const key = keys.ledger(run.session.id, run.turn.id, step.step, task.call, ask.nth);
  const { item } = await run.ports.store.write(voidCall(key, task.tool));
  if (item?.['state'] === 'void') return { anew: why };
  const work = toolNamed(run.ports, task.tool)?.work;
  return settledBy(await readLedger(run.ports, key, item, work, contextOf(run)), why);
};

/** Confirmed MEDIUM calls need no second question for a while; one that turned out to be something else does. */
const remember = async (run: Run, ask: Ask, results: readonly TaskResult[]): Promise<void> => {
  const { decision } = ask;
  const windowMs = run.ports.settings.approval.memoryWindowSeconds * 1000;
  if (decision?.kind !== 'confirm' || windowMs === 0) return;
  for (const [position, task] of ask.tasks.entries()) {
    const picked = decision.picked?.includes(position) ?? true;
    const carriedOut = ['done', 'failed', 'unknown'].includes(results[position]?.state ?? '');
    if (!picked || !carriedOut || task.risk !== 'MEDIUM') continue;
    const row = {
      by: decision.by ?? '',
      at: decision.at,
      until: decision.at + windowMs,
      for: run.turn.requester,
    };
    await run.ports.store.write({
      key: memoryKey(run, task.tool, task.binding),
      change: Object.entries(row).map(([name, value]) => set(name, value)),
    });
  }
};

/** The person hears at once, without waiting for the model; the audit hears what came of it. */
const conclude = async (run: Run, ask: Ask, results: readonly TaskResult[]): Promise<void> => {
  const { decision } = ask;
  if (!decision) return;
  const outcomes = results.map((result) => result.state);
  const state = WORST.find((one) => outcomes.includes(one)) ?? 'done';
  await clickAnswered(run, ask);
  await updateCards(run.ports, run.session, ask, decidedCard(decision, state, results));
  await run.ports.store.write(
    putIfAbsent(keys.audit(run.session.id, decision.at, ask.id, 'outcome'), {
      ask: ask.id,
      outcome: state,
      outcomes,
    }),
  );
  run.ports.log.info('ask-carried-out', {
    session: run.session.id,
    turn: run.turn.id,
    ask: ask.id,
    outcome: state,
  });
};

const WORST = [
  'unknown',
  'failed',
  'changed',
  'lapsed',
  'expired',
  'replaced',
  'gave-up',
  'answered',
  'done',
  'cancelled',
] as const;

const CARD_STATES: Record<Outcome, SettledState> = {
  done: 'done',
  failed: 'failed',
  unknown: 'unknown',
  declined: 'cancelled',
  timeout: 'expired',
  revised: 'replaced',
  refused: 'failed',
  answered: 'answered',
  stopped: 'gave-up',
};
