import type { AskId, Binding, MessageId, PersonId, TurnId } from './ids.ts';
import type { Approvers, Risk } from './settings.ts';

/** What settles an ask. `gave-up` is written only by the dead-letter function, for an ask that nobody saw. */
export type DecisionKind = 'confirm' | 'modify' | 'cancel' | 'answer' | 'timeout' | 'gave-up';

/** What became of an ask, or of one of its tasks. */
export type SettledState =
  | 'running'
  | 'done'
  | 'failed'
  | 'unknown'
  | 'cancelled'
  | 'expired'
  | 'replaced'
  | 'answered'
  | 'lapsed'
  | 'changed'
  | 'gave-up';

export interface Decision {
  /** Event id of a click, message id of a text, `timeout`: recognises its own retried write. */
  readonly id: string;
  readonly kind: DecisionKind;
  readonly by?: PersonId;
  readonly at: number;
  readonly via: 'click' | 'text' | 'command' | 'timer' | 'dead-letter';
  /** Positions in `ask.tasks`, counted from 0; absent on a confirm means all. */
  readonly picked?: readonly number[];
  /** Feedback of a modify, reason of a confirm or cancel, answer to a question. */
  readonly text?: string;
  /** The text message that decided: its redelivery hours later is recognised by its inbox row. */
  readonly message?: MessageId;
}

export interface Task {
  /** Position of the call in its step. */
  readonly call: number;
  readonly tool: string;
  readonly risk: Risk;
  readonly binding: Binding;
  /** People who may decide this task, `*` for anyone; `not` are those who may not although listed. */
  readonly may: readonly string[];
  readonly not: readonly string[];
}

export interface Question {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly pattern?: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
}

export interface Shown {
  readonly chat: string;
  readonly message: string;
  /** The time the platform gave the card, else our clock after the send returned. */
  readonly time: number;
}

export interface Ask {
  readonly id: AskId;
  readonly kind: 'confirm' | 'input' | 'choice';
  /** Counted over the session: no two questions share a `step_id`. */
  readonly number: number;
  /** Counted within the turn: part of the ledger's key. */
  readonly nth: number;
  readonly round: number;
  readonly step: number;
  readonly turn: TurnId;
  readonly state: 'open' | 'decided' | 'taken';
  readonly decision?: Decision;
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly binding: Binding;
  readonly tasks: readonly Task[];
  readonly question?: Question;
  readonly requester: PersonId;
  readonly shown: readonly Shown[];
  /** What the card shows of each task; long ones live in rows of their own. */
  readonly details: Kept;
}

/** A value that may be too long for its item: in place, or in rows written before the row that names them. */
export type Kept =
  | { readonly kind: 'inline'; readonly text: string }
  | {
      readonly kind: 'rows';
      readonly pk: string;
      readonly prefix: string;
      readonly count: number;
      readonly bytes: number;
    };

/** How an ask ended, kept so that an old card still hears who decided. */
export interface Settled {
  readonly id: AskId;
  /** The decision's own id: a late repeat of it is told that it counted. */
  readonly decision: string;
  readonly kind: DecisionKind;
  readonly by?: PersonId;
  readonly at: number;
}

export type Refusal =
  | { readonly reason: 'already-decided'; readonly settled: Settled }
  | { readonly reason: 'expired'; readonly at: number }
  | { readonly reason: 'not-an-approver'; readonly may: readonly string[] }
  | { readonly reason: 'changed' }
  /** A form's answer that does not fit its question; `options` is how many there are to choose from. */
  | { readonly reason: 'wrong-answer'; readonly options: number }
  | { readonly reason: 'no-open-ask' };

export const whoMay = (
  approvers: Approvers,
  requester: PersonId,
): { readonly may: readonly string[]; readonly not: readonly string[] } => {
  if (approvers === 'requester') return { may: [requester], not: [] };
  if (approvers === 'anyone') return { may: ['*'], not: [] };
  if (approvers === 'other-than-requester') return { may: ['*'], not: [requester] };
  return { may: approvers, not: [] };
};

export const mayDecideTask = (task: Pick<Task, 'may' | 'not'>, person: PersonId): boolean =>
  (task.may.includes(person) || task.may.includes('*')) && !task.not.includes(person);

/** Confirming takes the right to every confirmed task; declining takes the right to any one. */
export const mayDecide = (
  ask: Ask,
  person: PersonId,
  kind: DecisionKind,
  picked?: readonly number[],
): boolean => {
  const confirmed = confirmedTasks(ask, picked);
  if (kind !== 'confirm' || confirmed.length === 0)
    return ask.tasks.some((task) => mayDecideTask(task, person));
  return confirmed.every((task) => task !== undefined && mayDecideTask(task, person));
};

export const confirmedTasks = (
  ask: Ask,
  picked?: readonly number[],
): readonly (Task | undefined)[] =>
  picked === undefined ? ask.tasks : picked.map((index) => ask.tasks[index]);

export const everyoneWhoMay = (ask: Ask): readonly string[] => [
  ...new Set(ask.tasks.flatMap((task) => task.may)),
];

export const settledOf = (ask: Ask): Settled | undefined =>
  ask.decision && {
    id: ask.id,
    decision: ask.decision.id,
    kind: ask.decision.kind,
    at: ask.decision.at,
    ...(ask.decision.by && { by: ask.decision.by }),
  };
