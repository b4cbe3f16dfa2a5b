import { openCalls, readMessage, type Step, stepsOf } from '#domain/conversation.ts';
import type { Item, Key } from '#domain/expression.ts';
import { keys } from '#domain/keys.ts';
import { voidCall } from '#domain/moves.ts';
import { currentAsk, type Session, type Turn } from '#domain/session.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Work } from '#ports/tool.ts';
import { toolNamed } from './run.ts';

export interface Fenced {
  readonly tool: string;
  readonly work: Work | undefined;
  readonly key: Key;
  /** Our own `void`, or whatever stood in the ledger before it. */
  readonly stopped: boolean;
  readonly row: Item | undefined;
}

const MOST_ROWS = 1000;

/**
 * Whoever tells a person "not run" must first own the ledger row: for every risky call of the current step that has no
 * result yet, `void` is written if nothing is there, and then nobody may start it.
 */
export const fenceCalls = async (
  ports: EnginePorts,
  session: Session,
  turn: Turn,
): Promise<readonly Fenced[]> => {
  const prefix = `M#${turn.id}`;
  const items = await ports.store.list({
    pk: keys.partition(session.id),
    from: prefix,
    to: `${prefix}~`,
    limit: MOST_ROWS,
    backward: true,
  });
  const last = stepsOf(items.map(readMessage).reverse(), turn.id).at(-1);
  const fenced: Fenced[] = [];
  for (const index of last ? openCalls(last) : []) {
    const ask = currentAsk(session);
    const asked = ask?.step === last?.step && ask?.tasks.some((task) => task.call === index);
    const call = last && recordedCall(ports, last, index, asked ?? false);
    if (!last || !call) continue;
    const key = keys.ledger(session.id, turn.id, last.step, index, asked && ask ? ask.nth : 0);
    const written = await ports.store.write(voidCall(key, call.tool));
    fenced.push({ ...call, key, stopped: written.item?.['state'] === 'void', row: written.item });
  }
  return fenced;
};

/** A call that runs only by its ledger row: one that was asked, whatever its risk, or that cannot be told to be LOW. */
const recordedCall = (
  ports: EnginePorts,
  step: Step,
  index: number,
  asked: boolean,
): { tool: string; work: Work | undefined } | undefined => {
  const call = step.calls[index];
  const tool = call && toolNamed(ports, call.tool);
  if (!call || !tool?.work) return undefined;
  if (asked) return { tool: call.tool, work: tool.work };
  const parsed = tool.parse(call.input);
  if (parsed.kind === 'wrong') return undefined;
  const override = ports.settings.approval.toolOverrides[call.tool]?.risk;
  try {
    return (override ?? tool.work.risk(parsed.input)) === 'LOW'
      ? undefined
      : { tool: call.tool, work: tool.work };
  } catch {
    return { tool: call.tool, work: tool.work };
  }
};
