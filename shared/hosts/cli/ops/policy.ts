import type { Json } from '#domain/canonical-json.ts';
import { judge, policyVersion, type Rule, type Verdict } from '#domain/gate.ts';
import type { PersonId } from '#domain/ids.ts';
import type { Settings } from '#domain/settings.ts';
import type { Work } from '#ports/tool.ts';
import { tools } from '#tools/index.ts';
import { loadSettings } from '../../load-settings.ts';
import type { Row, Verb } from './verb.ts';

const USAGE = `usage: ops policy explain <tool> '<arguments as JSON>'`;

const WHY: Readonly<Record<Rule, string>> = {
  disabled: 'approval.enabled is false: everything runs',
  override: 'approval.toolOverrides says so of this tool',
  strict: 'approval.strictMode asks for everything that is not LOW',
  low: 'LOW runs',
  high: 'HIGH is always asked',
  medium: 'MEDIUM is asked, unless the same call was confirmed in this chat a moment ago',
  remembered: 'the same call was confirmed in this chat a moment ago',
};

/** By the settings file of this folder, or the one that COUNTERSIGN_CONFIG names. */
export const policy: Verb = async ({ words, environment }) => {
  const [explain, name, given, more] = words;
  if (explain !== 'explain' || name === undefined || given === undefined || more !== undefined)
    throw new Error(USAGE);
  const { approval } = await loadSettings(environment['COUNTERSIGN_CONFIG']);
  const row: Row = { tool: name, ...explained(name, parse(given), approval) };
  return { none: '', rows: [{ ...row, policy_version: policyVersion(approval) }] };
};

const explained = (name: string, given: Json, approval: Settings['approval']): Row => {
  const refused = (why: string): Row => ({ answer: 'refuse', why });
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) return refused(`there is no tool ${name}; known are ${Object.keys(tools).join(', ')}`);
  const parsed = tool.parse(given);
  if (parsed.kind === 'wrong') return refused(`the arguments do not fit: ${oneLine(parsed.why)}`);
  if (!tool.work) return { answer: 'ask', why: 'the tool is itself a question' };
  try {
    return byGate(name, tool.work, parsed.input, approval);
  } catch (error) {
    return refused(`its risk could not be told: ${oneLine((error as Error).message)}`);
  }
};

const byGate = (tool: string, work: Work, input: unknown, approval: Settings['approval']): Row => {
  const { approvers, askSeconds: timeoutSeconds } = work;
  const call = { tool, risk: work.risk(input), approvers, timeoutSeconds };
  const requester = 'the requester' as PersonId;
  const verdict = judge({ ...call, requester }, approval, Date.now());
  const { kind, rule, risk } = verdict;
  return { answer: kind, rule, risk, why: WHY[rule], ...peopleOf(verdict) };
};

const peopleOf = (verdict: Verdict): Row =>
  verdict.kind === 'ask'
    ? { may: verdict.may, not: verdict.not, timeout_seconds: verdict.timeoutSeconds }
    : {};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const parse = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(`the arguments are not JSON (${(error as Error).message}); ${USAGE}`);
  }
};
