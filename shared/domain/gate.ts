import { mayDecideTask, whoMay } from './ask.ts';
import type { Json } from './canonical-json.ts';
import { digest } from './digest.ts';
import type { PersonId } from './ids.ts';
import type { Approvers, Risk, Settings } from './settings.ts';

export interface GatedCall {
  readonly tool: string;
  readonly risk: Risk;
  /** What the tool's own definition says; settings go before it. */
  readonly approvers?: Approvers | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly requester: PersonId;
}

/** A remembered approval of the same call in the same chat. */
export interface Remembered {
  readonly by: PersonId;
  readonly at: number;
}

export type Rule = 'disabled' | 'override' | 'strict' | 'low' | 'high' | 'medium' | 'remembered';

export interface Verdict {
  readonly kind: 'run' | 'ask';
  readonly rule: Rule;
  readonly risk: Risk;
  /** Who decides if it is asked; also of a call that may run, which may turn out to be bigger than it looked. */
  readonly may: readonly string[];
  readonly not: readonly string[];
  readonly timeoutSeconds: number;
  /** A remembered approval may stand in for the question: look it up and judge again. */
  readonly recall: boolean;
}

/** The first rule that answers wins. `refuse` (unknown tool, input that does not parse) is said before a call gets here. */
export const judge = (
  call: GatedCall,
  policy: Settings['approval'],
  now: number,
  memory?: Remembered,
): Verdict => {
  const override = policy.toolOverrides[call.tool];
  const risk = override?.risk ?? call.risk;
  const approvers = override?.approvers ?? call.approvers ?? policy.approvers;
  const people = whoMay(approvers, call.requester);
  const timeoutSeconds = override?.timeoutSeconds ?? call.timeoutSeconds ?? policy.timeoutSeconds;
  const common = { risk, ...people, timeoutSeconds };
  const run = (rule: Rule): Verdict => ({ kind: 'run', rule, ...common, recall: false });
  const ask = (rule: Rule, recall = false): Verdict => ({ kind: 'ask', rule, ...common, recall });

  if (!policy.enabled) return run('disabled');
  if (override?.requiresApproval !== undefined)
    return override.requiresApproval ? ask('override') : run('override');
  if (policy.strictMode && risk !== 'LOW') return ask('strict');
  if (risk === 'LOW') return run('low');
  if (risk === 'HIGH') return ask('high');
  const fresh = memory !== undefined && now - memory.at < policy.memoryWindowSeconds * 1000;
  return fresh && mayDecideTask(people, memory.by)
    ? run('remembered')
    : ask('medium', policy.memoryWindowSeconds > 0);
};

/** Names the settings that a decision was made under, for the audit. */
export const policyVersion = (policy: Settings['approval']): string =>
  digest(policy as Json).slice(0, 16);
