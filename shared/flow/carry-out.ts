import type { Kept } from '#domain/ask.ts';
import type { Json } from '#domain/canonical-json.ts';
import type { Outcome } from '#domain/conversation.ts';
import type { Item, Key } from '#domain/expression.ts';
import { type AttemptId, platformKey } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { checkpointCall, retryCall, settleCall, startCall } from '#domain/moves.ts';
import { resultText } from '#domain/texts.ts';
import type { EnginePorts } from '#ports/engine.ts';
import {
  Changed,
  OutcomeUnknownError,
  type PreviewContext,
  type Recovered,
  type ToolAnswer,
  type ToolContext,
  ToolTimeoutError,
  type Work,
} from '#ports/tool.ts';
import { RetryLaterError } from './errors.ts';
import type { Run } from './run.ts';

export interface Call {
  readonly step: number;
  readonly call: number;
  /** The number of the ask that approved it, 0 if none had to. */
  readonly nth: number;
  readonly tool: string;
  readonly work: Work;
  readonly input: unknown;
  readonly shown?: string | undefined;
}

export type Carried = { readonly outcome: Outcome | 'changed'; readonly text: string };

interface LedgerRow {
  readonly state: 'started' | 'done' | 'failed' | 'changed' | 'unknown' | 'void';
  readonly attempt: AttemptId;
  readonly until: number;
  readonly checkpoint?: Json;
  readonly result?: Kept;
}

/** A runner whose deadline is this long past is gone: its clock and ours may differ by seconds. */
const LEASE_MARGIN_MS = 10_000;

/** At most once per approval: the ledger row is written before the tool runs, and it alone says whether it did. */
export const carryOut = async (run: Run, call: Call): Promise<Carried> => {
  const { store, clock } = run.ports;
  const key = keys.ledger(run.session.id, run.turn.id, call.step, call.call, call.nth);
  const written = await store.write(startCall(key, call.tool, run.attempt, run.deadline));
  const row = asRow(written.item);
  if (written.kind === 'written' || (row.state === 'started' && row.attempt === run.attempt))
    return runTool(run, key, call);
  if (row.state !== 'started') return replay(run.ports, row);
  if (row.until + LEASE_MARGIN_MS > clock.now())
    throw new RetryLaterError(
      row.until + LEASE_MARGIN_MS,
      `${call.tool} may still be running in another process`,
    );
  if (call.work.idempotent && !call.work.recover) {
    const retried = await store.write(retryCall(key, row.attempt, run.attempt, run.deadline));
    const now = asRow(retried.item);
    if (now.attempt === run.attempt && now.state === 'started')
      return runTool(run, key, call, true);
    return now.state === 'started' ? carryOut(run, call) : replay(run.ports, now);
  }
  return judgeLost(run.ports, key, row, call.work, contextOf(run));
};

const asRow = (item: Item | undefined): LedgerRow => item as unknown as LedgerRow;

const RECOVER_MS = 10_000;

const recover = async (
  { runner }: EnginePorts,
  { checkpoint }: LedgerRow,
  work: Work | undefined,
  context: PreviewContext,
): Promise<Recovered | undefined> =>
  checkpoint === undefined
    ? undefined
    : runner.within(RECOVER_MS, async (signal) =>
        work?.recover?.(checkpoint, { ...context, signal }),
      );

/**
 * Somebody started it and is gone. The tool may be able to say what happened; nobody may run it again. On the last try
 * a tool that cannot even be asked leaves it unknown: the session must not wait for ever.
 */
const judgeLost = async (
  ports: EnginePorts,
  key: Key,
  row: LedgerRow,
  work: Work | undefined,
  context: PreviewContext,
  lastTry = false,
): Promise<Carried> => {
  const recovered = await recover(ports, row, work, context).catch((error: unknown) => {
    if (!lastTry) throw error;
    ports.log.warn('recover-failed', { session: context.session, why: String(error) });
    return 'unknown' as const;
  });
  const settled =
    !recovered || recovered === 'unknown' ? 'unknown' : recovered.happened ? 'done' : 'failed';
  const text =
    typeof recovered === 'object' && recovered.happened
      ? asText(recovered.result)
      : settled === 'failed'
        ? 'Not run: the process that was to run it was lost before it took effect'
        : resultText('unknown', {});
  const result = await ports.store.keep(key, text);
  const written = await ports.store.write(settleCall(key, row.attempt, settled, result));
  return replay(ports, asRow(written.item));
};

/** Why a call that was asked before answered `changed`. */
export const changedBecause = async (ports: EnginePorts, key: Key): Promise<string | undefined> => {
  const [item] = await ports.store.read([key]);
  const row = item && asRow(item);
  return row?.state === 'changed' && row.result ? ports.store.fetch(row.result) : undefined;
};

/** What the ledger says of a call somebody else started, once its runner is surely gone. */
export const readLedger = async (
  ports: EnginePorts,
  key: Key,
  item: Item | undefined,
  work: Work | undefined,
  context: PreviewContext,
  lastTry = false,
): Promise<Carried> => {
  const row = asRow(item);
  if (row.state !== 'started') return replay(ports, row);
  if (row.until + LEASE_MARGIN_MS > ports.clock.now())
    throw new RetryLaterError(
      row.until + LEASE_MARGIN_MS,
      'a call of this turn may still be running',
    );
  return judgeLost(ports, key, row, work, context, lastTry);
};

const replay = async (ports: EnginePorts, row: LedgerRow): Promise<Carried> => {
  if (row.state === 'void') return { outcome: 'stopped', text: resultText('stopped', {}) };
  const text = row.result ? await ports.store.fetch(row.result) : '';
  return {
    outcome: row.state as Carried['outcome'],
    text: text || resultText(row.state === 'unknown' ? 'unknown' : 'done', { text }),
  };
};

/** A call below the ledger: reading again does no harm. */
export const runUnrecorded = async (run: Run, call: Call): Promise<Carried> => {
  const { state, text } = await attemptTool(run, call, async () => {});
  return { outcome: state, text };
};

const runTool = async (run: Run, key: Key, call: Call, again = false): Promise<Carried> => {
  const { store, clock } = run.ports;
  if (clock.now() >= run.deadline)
    throw new RetryLaterError(
      run.deadline + LEASE_MARGIN_MS,
      'the function ran out of time before the tool began',
    );
  const checkpoint = async (data: Json) => {
    const written = await store.write(checkpointCall(key, run.attempt, data));
    const row = asRow(written.item);
    if (written.kind === 'refused' || row.attempt !== run.attempt)
      throw new Error('this call was taken from its runner; nothing may be committed');
  };
  const tried = await attemptTool(run, call, checkpoint);
  // The runner that is gone may have done it: that this try failed does not say that nothing was done.
  const { state, text } =
    again && tried.state === 'failed'
      ? ({ state: 'unknown', text: `${tried.text}; an earlier try may have run` } as const)
      : tried;
  const written = await store.write(
    settleCall(key, run.attempt, state, await store.keep(key, text)),
  );
  // Refused: another process judged this runner lost, or our own write was applied and its answer was not.
  return replay(run.ports, asRow(written.item));
};

const attemptTool = async (
  run: Run,
  call: Call,
  checkpoint: ToolContext['checkpoint'],
): Promise<{ state: 'done' | 'failed' | 'changed' | 'unknown'; text: string }> => {
  const { runner, clock } = run.ports;
  run.fresh = false;
  const limitMs = Math.max(
    1,
    Math.min(call.work.timeoutSeconds * 1000, run.deadline - clock.now()),
  );
  try {
    const answer = await runner.within(limitMs, (signal) =>
      call.work.run(call.input, {
        ...contextOf(run, signal),
        idempotencyKey: platformKey(run.session.id, run.turn.id, call.step, call.call, call.nth),
        shown: call.shown,
        checkpoint,
      }),
    );
    return answer instanceof Changed
      ? { state: 'changed', text: answer.why }
      : { state: 'done', text: asText(answer) };
  } catch (error) {
    if (error instanceof OutcomeUnknownError) return { state: 'unknown', text: error.message };
    if (error instanceof ToolTimeoutError)
      return {
        state: 'unknown',
        text: `Stopped at its limit of ${limitMs / 1000} s; it may have run in part or in full`,
      };
    return {
      state: 'failed',
      text: `Failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
};

const NEVER = new AbortController().signal;

export const contextOf = (
  run: Pick<Run, 'ports' | 'session'>,
  signal: AbortSignal = NEVER,
): PreviewContext => ({
  signal,
  session: run.session.id,
  log: run.ports.log,
  language: run.ports.settings.agent.language,
  resources: run.ports.resources,
});

/** A result that has no JSON form does not undo what the tool did. */
const asText = (answer: Exclude<ToolAnswer, Changed>): string => {
  if (answer === undefined) return 'done';
  if (typeof answer === 'string') return answer;
  try {
    return JSON.stringify(answer);
  } catch (error) {
    return `done; its result cannot be written down: ${error instanceof Error ? error.message : error}`;
  }
};
