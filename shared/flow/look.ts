import { bindingOfCall } from '#domain/binding.ts';
import { type Outcome, type Row, type Step, stepsOf, type ToolCall } from '#domain/conversation.ts';
import { judge, type Remembered, type Verdict } from '#domain/gate.ts';
import type { Binding } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import type { Risk } from '#domain/settings.ts';
import { resultText } from '#domain/texts.ts';
import type { Tool, Work } from '#ports/tool.ts';
import { type Run, toolNamed } from './run.ts';

export type Looked =
  | { readonly kind: 'refused'; readonly outcome: Outcome; readonly text: string }
  | Ready;

export interface Ready {
  readonly kind: 'run' | 'ask';
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly work: Work | undefined;
  readonly input: unknown;
  readonly verdict: Verdict | undefined;
}

export interface Gathered {
  readonly index: number;
  readonly looked: Ready;
}

/** Unknown tools and input that does not parse are never run; what was declined in this turn is not asked again. */
export const lookAt = async (
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
  const tool = call && toolNamed(run.ports, call.tool);
  if (!call || !tool)
    return refused(
      `there is no tool called ${call?.tool}; known are ${Object.keys(run.ports.tools).join(', ')}`,
    );
  if (call.malformed !== undefined)
    return refused(
      'the arguments are not a JSON object, or are too large, too deep or out of range; call the tool again with valid arguments',
    );
  const parsed = tool.parse(call.input);
  if (parsed.kind === 'wrong') return refused(`the arguments do not fit: ${parsed.why}`);
  if (declinedBefore(run, rows, step, call))
    return refused('this very call was declined earlier in this turn');
  const { input } = parsed;
  if (!tool.work) return { kind: 'ask', tool, work: undefined, input, verdict: undefined, call };
  const risk = riskOf(tool.work, input);
  if (risk.kind === 'untold') return refused(`its risk could not be told: ${risk.why}`);
  const verdict = await verdictOn(run, call, tool.work, risk.risk);
  return { kind: verdict.kind, tool, work: tool.work, input, verdict, call };
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

/** Only what the tool itself throws refuses the call; a store that does not answer is tried again with the job. */
export const riskOf = (
  work: Work,
  input: unknown,
): { readonly kind: 'told'; readonly risk: Risk } | { readonly kind: 'untold'; why: string } => {
  try {
    return { kind: 'told', risk: work.risk(input) };
  } catch (error) {
    return { kind: 'untold', why: error instanceof Error ? error.message : String(error) };
  }
};

const verdictOn = async (run: Run, call: ToolCall, work: Work, risk: Risk): Promise<Verdict> => {
  const { settings, clock, store } = run.ports;
  const gated = {
    tool: call.tool,
    risk,
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

export const memoryKey = (run: Run, tool: string, binding: Binding) => {
  const { channel, app, chat } = run.turn.to;
  return keys.memory(channel, app, chat, tool, binding);
};
