import type { Kept } from './ask.ts';
import type { Json, JsonObject } from './canonical-json.ts';
import type { MessageId, PersonId, TurnId } from './ids.ts';
import { checkVersion } from './version.ts';

/**
 * The conversation as it is saved: ours, no library's private shape.
 * v1: user, step, result, final; provider metadata is passed through untouched.
 */
export const MESSAGE_VERSION = 1;

export interface ToolCall {
  /** The provider's own id: it goes back unchanged, and may repeat, so nothing of ours is keyed by it. */
  readonly id: string;
  readonly tool: string;
  /** Arguments as the model gave them; `malformed` holds the text that was no JSON object. */
  readonly input: JsonObject;
  readonly malformed?: string;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type SavedMessage =
  | {
      readonly role: 'user';
      readonly text: Kept;
      readonly from: PersonId;
      readonly message: MessageId;
    }
  | {
      readonly role: 'step';
      readonly step: number;
      readonly text: Kept;
      readonly calls: readonly ToolCall[];
      readonly provider?: Json;
      readonly usage?: Usage;
    }
  | {
      readonly role: 'result';
      readonly step: number;
      readonly call: number;
      readonly outcome: Outcome;
      readonly text: Kept;
    }
  | {
      readonly role: 'final';
      readonly text: Kept;
      readonly how: 'answer' | 'cancelled' | 'failed' | 'limit';
    };

/** What became of a tool call. `declined` and `timeout` are not asked again in this turn; `revised` (modify) may be. */
export type Outcome =
  | 'done'
  | 'failed'
  | 'unknown'
  | 'declined'
  | 'timeout'
  | 'revised'
  | 'refused'
  | 'answered'
  | 'stopped';

/**
 * Why a model will never answer this.
 * `account`: the key, its rights or its credit. `rejected`: the request itself, most often a wrong model or address.
 * `overflow`: more than the model can read. `refused`: stopped by the provider's filter. `empty`: neither words nor calls.
 */
export type ModelFailure = 'account' | 'rejected' | 'overflow' | 'refused' | 'empty';

export interface Row {
  readonly turn: TurnId;
  readonly message: SavedMessage;
}

export const readMessage = (item: JsonObject): Row => {
  checkVersion('message', item['version'], MESSAGE_VERSION);
  return { turn: item['turn'] as TurnId, message: item['message'] as unknown as SavedMessage };
};

/** The row of a turn's answer repeats the text of its last step: it is no message of its own. */
export const countsAsMessage = ({ message }: Row): boolean =>
  message.role !== 'final' || message.how !== 'answer';

/**
 * The last `limit` messages before this turn, rounded up to whole turns, then this turn's own. A turn whose message is
 * gone, as the oldest row goes first, is no history any more.
 */
export const recentTurns = (
  rows: readonly Row[],
  current: TurnId,
  limit: number,
): readonly Row[] => {
  const whole = new Set(rows.filter(({ message }) => message.role === 'user').map(turnOf));
  const isHistory = (row: Row) => row.turn < current && whole.has(row.turn);
  const before = rows.filter((row) => isHistory(row) && countsAsMessage(row));
  const oldest = before.slice(Math.max(0, before.length - limit))[0]?.turn;
  return rows.filter(
    (row) =>
      row.turn === current ||
      (limit > 0 && oldest !== undefined && row.turn >= oldest && isHistory(row)),
  );
};
const turnOf = ({ turn }: Row): TurnId => turn;

export interface Step {
  readonly step: number;
  readonly calls: readonly ToolCall[];
  readonly text: Kept;
  readonly results: ReadonlyMap<number, { readonly outcome: Outcome; readonly text: Kept }>;
}

/** Where a turn stands, derived from its rows alone: whoever goes on with it needs nothing else. */
export const stepsOf = (rows: readonly Row[], turn: TurnId): readonly Step[] => {
  const steps = new Map<
    number,
    Step & { results: Map<number, { outcome: Outcome; text: Kept }> }
  >();
  for (const { turn: of, message } of rows) {
    if (of !== turn) continue;
    if (message.role === 'step')
      steps.set(message.step, {
        step: message.step,
        calls: message.calls,
        text: message.text,
        results: new Map(),
      });
    if (message.role === 'result')
      steps
        .get(message.step)
        ?.results.set(message.call, { outcome: message.outcome, text: message.text });
  }
  return [...steps.values()].sort((a, b) => a.step - b.step);
};

export const openCalls = (step: Step): readonly number[] =>
  step.calls.map((_, index) => index).filter((index) => !step.results.has(index));
