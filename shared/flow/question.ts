import type { Question, Task } from '#domain/ask.ts';
import { bindingOfCall } from '#domain/binding.ts';
import { openCalls, type Row, type Step } from '#domain/conversation.ts';
import type { Verdict } from '#domain/gate.ts';
import { keys } from '#domain/keys.ts';
import { currentAsk } from '#domain/session.ts';
import type { TaskView } from '#ports/channel.ts';
import { changedBecause, contextOf } from './carry-out.ts';
import { type Gathered, lookAt, type Ready } from './look.ts';
import type { Run } from './run.ts';
import type { Asked } from './suspend.ts';

/** The write that settles an ask names every task twice, and DynamoDB takes 4 KB of a condition. What is left is asked next. */
const MOST_TASKS = 30;

/** A question is an ask of its own; calls that must be confirmed go together, up to the next question. */
export const questionFrom = async (
  run: Run,
  rows: readonly Row[],
  step: Step,
  first: Gathered,
): Promise<Asked> => {
  const gathered = [first];
  const rest = first.looked.tool.question
    ? []
    : openCalls(step).filter((index) => index > first.index);
  for (const index of rest) {
    const looked = await lookAt(run, rows, step, index);
    if (looked.kind !== 'ask') continue;
    if (looked.tool.question || gathered.length === MOST_TASKS) break;
    gathered.push({ index, looked });
  }
  return askedOf(run, step, gathered);
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
  for (const { index, looked } of gathered)
    views.push(await taskView(run, looked, await changedBefore(run, step, index)));
  const timeouts = asked.map(
    ({ looked }) => looked.verdict?.timeoutSeconds ?? settings.approval.timeoutSeconds,
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
  if (verdict) return { may: verdict.may, not: verdict.not };
  const anyone = run.ports.settings.approval.approvers === 'anyone';
  return { may: [anyone ? '*' : run.turn.requester], not: [] };
};

const PREVIEW_MS = 10_000;

/** A call asked anew: what its last run found, so that the new card does not show the old guess. */
const changedBefore = async (
  run: Run,
  { step }: Step,
  call: number,
): Promise<string | undefined> => {
  const last = currentAsk(run.session);
  if (last?.step !== step || !last.tasks.some((task) => task.call === call)) return undefined;
  return changedBecause(run.ports, keys.ledger(run.session.id, run.turn.id, step, call, last.nth));
};

const taskView = async (
  run: Run,
  { tool, work, input, call, verdict }: Ready,
  changed: string | undefined,
): Promise<TaskView> => {
  const summary = tool.summary(input, run.ports.settings.agent.language) ?? tool.description;
  const view = { tool: call.tool, risk: verdict?.risk ?? 'LOW', summary, input: call.input };
  if (!work?.preview) return view;
  const { preview } = work;
  try {
    return {
      ...view,
      preview: await run.ports.runner.within(PREVIEW_MS, (signal) =>
        preview(input, {
          ...contextOf(run, signal),
          ...(changed !== undefined && { changed }),
        }),
      ),
    };
  } catch (error) {
    return { ...view, preview: `(no preview: ${error instanceof Error ? error.message : error})` };
  }
};
