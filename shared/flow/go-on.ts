import type { Ask, Question, Task } from '#domain/ask.ts';
import { mayDecideTask } from '#domain/ask.ts';
import { bindingOfAsk, bindingOfCall } from '#domain/binding.ts';
import {
  type Outcome,
  openCalls,
  type Row,
  type Step,
  stepsOf,
  type ToolCall,
} from '#domain/conversation.ts';
import { set } from '#domain/expression.ts';
import { judge, type Remembered, type Verdict } from '#domain/gate.ts';
import { type Binding, jobName, platformKey } from '#domain/ids.ts';
import { envelope } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { passOn, putIfAbsent } from '#domain/moves.ts';
import { currentAsk, readSession } from '#domain/session.ts';
import { resultText } from '#domain/texts.ts';
import type { CardState, TaskView } from '#ports/channel.ts';
import type { Tool, Work } from '#ports/tool.ts';
import { type Call, type Carried, carryOut, contextOf, runUnrecorded } from './carry-out.ts';
import { finish } from './finish.ts';
import { loadRows, modelMessages, saveMessage, saveResult } from './rows.ts';
import { holds, type Run, say, textsOf } from './run.ts';
import { type Asked, suspend, updateCards, viewOf } from './suspend.ts';

export type Went = 'finished' | 'suspended' | 'passed-on' | 'lost';

/** A model step or a tool is begun only with this much time left; else the turn goes on in another job. */
const ENOUGH_MS = 60_000;

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
    rows.push(await think(run, rows, steps.length + 1, closing));
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

const timeIsShort = (run: Run): boolean =>
  !run.fresh && run.deadline - run.ports.clock.now() < ENOUGH_MS;

/** Queued first, then written: the new job makes the same write, and the first wins. */
const passTurnOn = async (run: Run): Promise<Went> => {
  const part = (run.session.turn?.part ?? 0) + 1;
  const job = {
    type: 'more',
    session: run.session.id,
    turn: run.turn.id,
    after: run.job,
    part,
  } as const;
  const name = jobName.more(run.turn.id, part);
  await run.ports.queue.send(envelope(job, name));
  await run.ports.store.write(passOn(run.session.id, run.turn.id, run.job, name, part));
  return 'passed-on';
};

const think = async (
  run: Run,
  rows: readonly Row[],
  step: number,
  closing: boolean,
): Promise<Row> => {
  const { model, store, settings, tools } = run.ports;
  run.fresh = false;
  const offers = Object.entries(tools).map(([name, { description, schema }]) => ({
    name,
    description,
    input: schema,
  }));
  const thought = await model.think({
    system: settings.agent.systemPrompt,
    messages: await modelMessages(store, rows),
    tools: closing ? [] : offers,
    deadline: run.deadline,
  });
  const key = keys.message(run.session.id, run.turn.id, step, 'a');
  const { provider, usage } = thought;
  return saveMessage(store, key, run.turn.id, {
    role: 'step',
    step,
    text: await store.keep(key, thought.text),
    calls: closing ? [] : thought.calls,
    ...(provider !== undefined && { provider }),
    ...(usage && { usage }),
  });
};

/** Calls in the order the model gave them, up to the first that must be asked; from there on all wait together. */
const settleStep = async (run: Run, rows: Row[], step: Step): Promise<Went | undefined> => {
  const taken = takenAsk(run, step);
  const concluding = taken && (await settleTaken(run, rows, step, taken));
  if (concluding) return concluding;
  const current = () => stepsOf(rows, run.turn.id).find((one) => one.step === step.step) ?? step;
  for (const call of openCalls(current())) {
    const looked = await lookAt(run, rows, current(), call);
    if (looked.kind === 'refused') {
      await saveResult(run, rows, { step: step.step, call }, looked.outcome, looked.text);
    } else if (looked.kind === 'ask') {
      return askFrom(run, rows, current(), { index: call, looked });
    } else {
      if (timeIsShort(run)) return passTurnOn(run);
      const carried = await runUnasked(run, looked, step.step, call);
      if (carried.outcome === 'changed')
        return askFrom(run, rows, current(), { index: call, looked });
      await saveResult(run, rows, { step: step.step, call }, carried.outcome, carried.text);
    }
  }
  return undefined;
};

const takenAsk = (run: Run, step: Step): Ask | undefined => {
  const ask = currentAsk(run.session);
  return ask?.state === 'taken' && ask.step === step.step ? ask : undefined;
};

// ── looking at one call ─────────────────────────────────────────────────────────────────────────────────────────────

type Looked =
  | { readonly kind: 'refused'; readonly outcome: Outcome; readonly text: string }
  | Ready;

interface Ready {
  readonly kind: 'run' | 'ask';
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly work: Work | undefined;
  readonly input: unknown;
  readonly verdict: Verdict | undefined;
}

interface Gathered {
  readonly index: number;
  readonly looked: Ready;
}

/** Unknown tools and input that does not parse are never run; what was declined in this turn is not asked again. */
const lookAt = async (
  run: Run,
  rows: readonly Row[],
  step: Step,
  index: number,
): Promise<Looked> => {
  const call = step.calls[index];
  const refused = (text: string, outcome: Outcome = 'refused'): Looked => ({
    kind: 'refused',
    outcome,
    text: resultText(outcome, { text }),
  });
  const tool = call && run.ports.tools[call.tool];
  if (!call || !tool)
    return refused(
      `there is no tool called ${call?.tool}; known are ${Object.keys(run.ports.tools).join(', ')}`,
    );
  if (call.malformed !== undefined)
    return refused('the arguments are not a JSON object; call the tool again with valid arguments');
  const parsed = tool.parse(call.input);
  if (parsed.kind === 'wrong') return refused(`the arguments do not fit: ${parsed.why}`);
  if (declinedBefore(run, rows, step, call))
    return refused('this very call was declined earlier in this turn');
  const { input } = parsed;
  if (!tool.work) return { kind: 'ask', tool, work: undefined, input, verdict: undefined, call };
  try {
    const verdict = await verdictOn(run, call, tool.work, input);
    return { kind: verdict.kind, tool, work: tool.work, input, verdict, call };
  } catch (error) {
    return refused(`its risk could not be told: ${error instanceof Error ? error.message : error}`);
  }
};

const declinedBefore = (run: Run, rows: readonly Row[], step: Step, call: ToolCall): boolean => {
  const binding = bindingOfCall(call);
  return stepsOf(rows, run.turn.id).some(
    (earlier) =>
      earlier.step < step.step &&
      [...earlier.results].some(([index, { outcome }]) => {
        const other = earlier.calls[index];
        return (
          (outcome === 'declined' || outcome === 'timeout') &&
          other !== undefined &&
          bindingOfCall(other) === binding
        );
      }),
  );
};

const verdictOn = async (
  run: Run,
  call: ToolCall,
  work: Work,
  input: unknown,
): Promise<Verdict> => {
  const { settings, clock, store } = run.ports;
  const gated = {
    tool: call.tool,
    risk: work.risk(input),
    approvers: work.approvers,
    timeoutSeconds: work.askSeconds,
    requester: run.turn.requester,
  };
  const verdict = judge(gated, settings.approval, clock.now());
  if (verdict.kind !== 'ask' || !verdict.recall) return verdict;
  const [memory] = await store.read([memoryKey(run, call.tool, bindingOfCall(call))]);
  return memory
    ? judge(gated, settings.approval, clock.now(), memory as unknown as Remembered)
    : verdict;
};

const memoryKey = (run: Run, tool: string, binding: Binding) => {
  const { channel, app, chat } = run.turn.to;
  return keys.memory(channel, app, chat, tool, binding);
};

const runUnasked = (run: Run, looked: Ready, step: number, index: number): Promise<Carried> => {
  const { call, work, input, verdict } = looked;
  if (!work || !verdict) throw new Error(`${call.tool} has nothing to run`);
  const toRun: Call = { step, call: index, nth: 0, tool: call.tool, work, input };
  return verdict.risk === 'LOW' ? runUnrecorded(run, toRun) : carryOut(run, toRun);
};

// ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A question is an ask of its own; calls that must be confirmed go together, up to the next question. */
const askFrom = async (run: Run, rows: Row[], step: Step, first: Gathered): Promise<Went> => {
  const gathered = [first];
  const rest = first.looked.tool.question ? [] : openCalls(step).filter((one) => one > first.index);
  for (const index of rest) {
    const looked = await lookAt(run, rows, step, index);
    if (looked.kind !== 'ask') continue;
    if (looked.tool.question) break;
    gathered.push({ index, looked });
  }
  const suspended = await suspend(run, await askedOf(run, step, gathered));
  if (suspended === 'cancelled') return finish(run, textsOf(run.ports).cancelled, 'cancelled');
  return suspended;
};

const askedOf = async (run: Run, step: Step, gathered: readonly Gathered[]): Promise<Asked> => {
  const { settings } = run.ports;
  const asked = gathered.filter(({ looked }) => looked.tool.question === undefined);
  const question = gathered.find(({ looked }) => looked.tool.question !== undefined);
  const { kind = 'confirm', ...rest } =
    question?.looked.tool.question?.(question.looked.input) ?? {};
  const taskOf = ({ index, looked: { call, verdict } }: Gathered): Task => ({
    call: index,
    tool: call.tool,
    risk: verdict?.risk ?? 'LOW',
    binding: bindingOfCall(call),
    ...peopleOf(run, verdict),
  });
  const views: TaskView[] = [];
  for (const { looked } of gathered) views.push(await taskView(run, looked));
  const timeouts = asked.map(({ looked }) =>
    looked.verdict?.kind === 'ask'
      ? looked.verdict.timeoutSeconds
      : settings.approval.timeoutSeconds,
  );
  return {
    step: step.step,
    kind,
    tasks: gathered.map(taskOf),
    calls: gathered.map(({ looked }) => looked.call),
    views,
    ...(question && { question: rest as Question }),
    timeoutSeconds: timeouts.length > 0 ? Math.min(...timeouts) : settings.approval.timeoutSeconds,
  };
};

/** A question goes to the requester, unless anyone may decide; a call goes to whom the gate named. */
const peopleOf = (run: Run, verdict: Verdict | undefined) => {
  if (verdict?.kind === 'ask') return { may: verdict.may, not: verdict.not };
  const anyone = run.ports.settings.approval.approvers === 'anyone';
  return { may: [anyone ? '*' : run.turn.requester], not: [] };
};

const PREVIEW_MS = 10_000;

const taskView = async (
  run: Run,
  { tool, work, input, call, verdict }: Ready,
): Promise<TaskView> => {
  const summary = tool.summary(input, run.ports.settings.agent.language) ?? tool.description;
  const view = { tool: call.tool, risk: verdict?.risk ?? 'LOW', summary, input: call.input };
  if (!work?.preview) return view;
  const { preview } = work;
  try {
    return {
      ...view,
      preview: await run.ports.runner.within(PREVIEW_MS, (signal) =>
        preview(input, contextOf(run, signal)),
      ),
    };
  } catch (error) {
    return { ...view, preview: `(no preview: ${error instanceof Error ? error.message : error})` };
  }
};

// ── what a decision makes of its calls ──────────────────────────────────────────────────────────────────────────────

/** Carries out or declines the calls of a taken ask, then its cards and the audit say what came of it. */
const settleTaken = async (
  run: Run,
  rows: Row[],
  step: Step,
  ask: Ask,
): Promise<Went | undefined> => {
  const { decision } = ask;
  if (!decision) return undefined;
  const void_ = whyVoid(run, step, ask);
  const views =
    decision.kind === 'confirm'
      ? (await viewOf(run.ports, run.session, ask, { state: 'waiting' })).tasks
      : [];
  const outcomes: CardState['state'][] = [];
  let asksAnew = void_ !== undefined;
  for (const [position, task] of ask.tasks.entries()) {
    const before = step.results.get(task.call)?.outcome;
    if (before) outcomes.push(cardStateOf(before));
    else if (void_) outcomes.push(void_);
    else {
      if (timeIsShort(run)) return passTurnOn(run);
      const carried = await settleTask(run, rows, step, ask, position, views[position]?.preview);
      if (carried === 'changed') asksAnew = true;
      outcomes.push(carried === 'changed' ? 'changed' : cardStateOf(carried));
    }
  }
  await remember(run, ask, outcomes);
  await conclude(run, ask, outcomes);
  if (asksAnew && decision.kind === 'confirm')
    await say(
      run,
      textsOf(run.ports)[outcomes.includes('lapsed') ? 'lapsed' : 'changed'],
      platformKey(run.session.id, ask.id, 'anew'),
    );
  if (decision.kind === 'modify' && ask.round >= run.ports.settings.approval.maxRounds)
    return finish(run, textsOf(run.ports).tooManyRounds(ask.round), 'limit');
  return undefined;
};

/** A yes does not keep, and it is for exactly what was shown, by somebody who still may. Else the calls are asked anew. */
const whyVoid = (run: Run, step: Step, ask: Ask): 'lapsed' | 'changed' | 'expired' | undefined => {
  const { decision } = ask;
  if (!decision) return 'changed';
  // Nobody can have seen it: the time ran out on us, not on them.
  if (decision.kind === 'timeout') return ask.shown.length === 0 ? 'expired' : undefined;
  if (decision.kind !== 'confirm') return undefined;
  const { settings, clock } = run.ports;
  if (clock.now() - decision.at > settings.approval.carryOutSeconds * 1000) return 'lapsed';
  const calls = ask.tasks.map((task) => step.calls[task.call]).filter((call) => call !== undefined);
  return bindingOfAsk(calls, ask.question) === ask.binding ? undefined : 'changed';
};

const settleTask = async (
  run: Run,
  rows: Row[],
  step: Step,
  ask: Ask,
  position: number,
  shown: string | undefined,
): Promise<Outcome | 'changed'> => {
  const { decision } = ask;
  const task = ask.tasks[position];
  if (!decision || !task) throw new Error(`ask ${ask.id} has no task ${position}`);
  const save = async (outcome: Outcome, text: string) => {
    await saveResult(run, rows, { step: step.step, call: task.call }, outcome, text);
    return outcome;
  };
  const declined = (outcome: Outcome) =>
    save(outcome, resultText(outcome, { by: decision.by, text: decision.text }));
  switch (decision.kind) {
    case 'answer':
      return save('answered', decision.text ?? '');
    case 'cancel':
      return declined('declined');
    case 'timeout':
      return declined('timeout');
    case 'modify':
      return declined('revised');
    case 'gave-up':
      return declined('stopped');
    case 'confirm': {
      if (decision.picked && !decision.picked.includes(position))
        return save(
          'declined',
          resultText('declined', { by: decision.by, text: 'not among those picked' }),
        );
      const carried = await carryOutTask(run, rows, step, ask, task, shown);
      return carried.outcome === 'changed' ? 'changed' : save(carried.outcome, carried.text);
    }
    default:
      return decision.kind satisfies never;
  }
};

const carryOutTask = async (
  run: Run,
  rows: Row[],
  step: Step,
  ask: Ask,
  task: Task,
  shown: string | undefined,
): Promise<Carried> => {
  const call = step.calls[task.call];
  const tool = call && run.ports.tools[call.tool];
  const parsed = tool?.parse(call?.input ?? {});
  if (!call || !tool?.work || parsed?.kind !== 'input') {
    const looked = await lookAt(run, rows, step, task.call);
    return looked.kind === 'refused' ? looked : { outcome: 'changed', text: '' };
  }
  const { settings, clock } = run.ports;
  const { work } = tool;
  const gated = {
    tool: call.tool,
    risk: work.risk(parsed.input),
    approvers: work.approvers,
    requester: run.turn.requester,
  };
  const verdict = judge(gated, settings.approval, clock.now());
  const by = ask.decision?.by;
  if (verdict.kind === 'ask' && (by === undefined || !mayDecideTask(verdict, by)))
    return { outcome: 'changed', text: '' };
  return carryOut(run, {
    step: step.step,
    call: task.call,
    nth: ask.nth,
    tool: call.tool,
    work,
    input: parsed.input,
    shown,
  });
};

/** Confirmed MEDIUM calls need no second question for a while; one that turned out to be something else does. */
const remember = async (
  run: Run,
  ask: Ask,
  outcomes: readonly CardState['state'][],
): Promise<void> => {
  const { decision } = ask;
  const windowMs = run.ports.settings.approval.memoryWindowSeconds * 1000;
  if (decision?.kind !== 'confirm' || windowMs === 0) return;
  for (const [position, task] of ask.tasks.entries()) {
    const picked = decision.picked?.includes(position) ?? true;
    const carriedOut = ['done', 'failed', 'unknown'].includes(outcomes[position] ?? '');
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

const FIRST_UPDATE_MS = 1_500;

/** The person hears at once, without waiting for the model; the audit hears what came of it. */
const conclude = async (
  run: Run,
  ask: Ask,
  outcomes: readonly CardState['state'][],
): Promise<void> => {
  const { decision } = ask;
  if (!decision) return;
  const { store, clock } = run.ports;
  const state = WORST.find((one) => outcomes.includes(one)) ?? 'done';
  // Feishu loses an update that overtakes the answer to the click.
  if (decision.via === 'click') await clock.sleepUntil(decision.at + FIRST_UPDATE_MS);
  const { by, at, kind } = decision;
  await updateCards(run.ports, run.session, ask, {
    state,
    at,
    kind,
    ...(by && { by }),
  } as CardState);
  await store.write(
    putIfAbsent(keys.audit(run.session.id, decision.at, ask.id, 'outcome'), {
      ask: ask.id,
      outcome: state,
      outcomes,
    }),
  );
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

const cardStateOf = (outcome: Outcome): CardState['state'] => {
  const states: Record<Outcome, CardState['state']> = {
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
  return states[outcome];
};
