import type { Ask } from '#domain/ask.ts';
import { openCalls, type Row, type Step, stepsOf } from '#domain/conversation.ts';
import { keys } from '#domain/keys.ts';
import { voidCall } from '#domain/moves.ts';
import { currentAsk, readSession } from '#domain/session.ts';
import { storableCalls } from '#domain/storable.ts';
import { ModelError } from '#ports/model-error.ts';
import { type Call, type Carried, carryOut, runUnrecorded } from './carry-out.ts';
import { RetryLaterError } from './errors.ts';
import { finish } from './finish.ts';
import { type Gathered, lookAt, type Ready } from './look.ts';
import { passTurnOn, timeIsShort } from './pass-on.ts';
import { questionFrom } from './question.ts';
import { loadRows, modelMessages, saveMessage, saveResult } from './rows.ts';
import { holds, type Run, textsOf } from './run.ts';
import { settle } from './settle.ts';
import { suspend } from './suspend.ts';

export type Went = 'finished' | 'suspended' | 'passed-on' | 'lost';

/** Drives a turn from wherever its rows say it stands to its end, its next question, or the end of this function's time. */
export const goOn = async (run: Run): Promise<Went> => {
  const rows = await loadRows(run);
  for (;;) {
    const steps = stepsOf(rows, run.turn.id);
    const last = steps.at(-1);
    const ended = last && (await settleStep(run, rows, last));
    if (ended) return ended;
    if (last && last.calls.length === 0) return finish(run, await finalText(run, last), 'answer');
    if (await cancelRequested(run)) return finish(run, textsOf(run.ports).cancelled, 'cancelled');
    if (!holds(run.session, run.job)) return 'lost';
    if (timeIsShort(run)) return passTurnOn(run);
    const closing = steps.length >= run.ports.settings.agent.maxSteps;
    if (closing && steps.length > run.ports.settings.agent.maxSteps)
      return finish(run, textsOf(run.ports).tooManySteps(steps.length), 'limit');
    const next = await think(run, rows, steps.length + 1, closing).catch((error: unknown) =>
      wordsFor(run, error),
    );
    if (next === 'stopped') continue;
    if (typeof next === 'string') return finish(run, next, 'failed');
    rows.push(next);
  }
};

const finalText = async (run: Run, step: Step): Promise<string> => {
  const said = await run.ports.store.fetch(step.text);
  if (stepsOver(run, step))
    return [said, textsOf(run.ports).tooManySteps(run.ports.settings.agent.maxSteps)]
      .filter(Boolean)
      .join('\n');
  return said || textsOf(run.ports).emptyAnswer;
};
const stepsOver = (run: Run, step: Step) => step.step > run.ports.settings.agent.maxSteps;

const cancelRequested = async (run: Run): Promise<boolean> => {
  const [item] = await run.ports.store.read([keys.session(run.session.id)]);
  run.session = readSession(run.session.id, item);
  return holds(run.session, run.job) && run.session.turn?.cancelAt !== undefined;
};

const think = async (
  run: Run,
  rows: readonly Row[],
  step: number,
  closing: boolean,
): Promise<Row | 'stopped'> => {
  const { model, store, settings, tools, runner } = run.ports;
  run.fresh = false;
  const offers = Object.entries(tools).map(([name, { description, schema }]) => ({
    name,
    description,
    input: schema,
  }));
  const request = {
    system: settings.agent.systemPrompt,
    messages: await modelMessages(store, rows),
    tools: closing ? [] : offers,
    deadline: run.deadline,
    contextTokens: settings.agent.contextTokens,
  };
  const thought = await runner.unless(
    () => cancelRequested(run),
    (signal) => model.think({ ...request, signal }),
  );
  if (thought === 'stopped') return 'stopped';
  const key = keys.message(run.session.id, run.turn.id, step, 'a');
  const { provider, usage } = thought;
  if (usage) {
    const tokens = usage.inputTokens + usage.outputTokens;
    run.ports.log.info('model-called', { session: run.session.id, turn: run.turn.id, tokens });
  }
  return saveMessage(store, key, run.turn.id, {
    role: 'step',
    step,
    text: await store.keep(key, thought.text),
    calls: closing ? [] : storableCalls(thought.calls),
    ...(provider !== undefined && { provider }),
    ...(usage && { usage }),
  });
};

/** What the model will never answer ends the turn in words; what it may answer later goes back to the queue. */
const wordsFor = (run: Run, error: unknown): string => {
  if (!(error instanceof ModelError)) throw error;
  const { code, message: why, retryAt } = error;
  if (retryAt !== undefined) throw new RetryLaterError(retryAt, why);
  if (code === 'unavailable') throw error;
  run.ports.log.error('model-failed', { session: run.session.id, turn: run.turn.id, code, why });
  return textsOf(run.ports).modelFailed(code);
};

/** Calls in the order the model gave them, up to the first that must be asked; from there on all wait together. */
const settleStep = async (run: Run, rows: Row[], step: Step): Promise<Went | undefined> => {
  const taken = takenAsk(run, step);
  if (taken && (await settle(run, rows, step, taken)) === 'out-of-time') return passTurnOn(run);
  const { maxRounds } = run.ports.settings.approval;
  if (taken?.decision?.kind === 'modify' && taken.round >= maxRounds)
    return finish(run, textsOf(run.ports).tooManyRounds(taken.round), 'limit');
  const current = () => stepsOf(rows, run.turn.id).find((one) => one.step === step.step) ?? step;
  for (const call of openCalls(current())) {
    const looked = await lookAt(run, rows, current(), call);
    if (looked.kind === 'refused') {
      await saveResult(run, rows, { step: step.step, call }, looked.outcome, looked.text);
    } else if (looked.kind === 'ask' && !(await ranUnasked(run, looked, step.step, call))) {
      return ask(run, rows, current(), { index: call, looked });
    } else {
      if (timeIsShort(run)) return passTurnOn(run);
      const carried = await runUnasked(run, looked, step.step, call);
      // Another runner of this job made sure that nobody runs it unasked: it asks, or has asked already.
      const asks = carried.outcome === 'stopped' && !(await cancelRequested(run));
      if (asks && !holds(run.session, run.job)) return 'lost';
      if (asks || carried.outcome === 'changed')
        return ask(run, rows, current(), { index: call, looked });
      await saveResult(run, rows, { step: step.step, call }, carried.outcome, carried.text);
    }
  }
  return undefined;
};

/**
 * What was remembered is judged by the clock, so an earlier runner of this job may have let the call run that we would
 * ask. As with "not run", only who owns the ledger row may ask.
 */
const ranUnasked = async (
  run: Run,
  { call, verdict }: Ready,
  step: number,
  index: number,
): Promise<boolean> => {
  if (!verdict?.recall) return false;
  const key = keys.ledger(run.session.id, run.turn.id, step, index, 0);
  const { item } = await run.ports.store.write(voidCall(key, call.tool));
  return item?.['state'] !== 'void';
};

const takenAsk = (run: Run, step: Step): Ask | undefined => {
  const ask = currentAsk(run.session);
  return ask?.state === 'taken' && ask.step === step.step ? ask : undefined;
};

const runUnasked = (run: Run, looked: Ready, step: number, index: number): Promise<Carried> => {
  const { call, work, input, verdict } = looked;
  if (!work || !verdict) throw new Error(`${call.tool} has nothing to run`);
  const toRun: Call = { step, call: index, nth: 0, tool: call.tool, work, input };
  return verdict.risk === 'LOW' ? runUnrecorded(run, toRun) : carryOut(run, toRun);
};

const ask = async (run: Run, rows: readonly Row[], step: Step, first: Gathered): Promise<Went> => {
  const suspended = await suspend(run, await questionFrom(run, rows, step, first));
  return suspended === 'cancelled'
    ? finish(run, textsOf(run.ports).cancelled, 'cancelled')
    : suspended;
};
