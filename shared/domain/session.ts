import { type Ask, type Refusal, type Settled, settledOf } from './ask.ts';
import type { Item } from './expression.ts';
import type { AskId, JobName, MessageId, PersonId, SessionId, TurnId } from './ids.ts';
import { checkVersion } from './version.ts';

export type Phase = 'IDLE' | 'EXECUTING' | 'WAITING_INPUT' | 'WAITING_CONFIRM';

/** Where answers of a turn go. */
export interface Address {
  readonly channel: string;
  readonly app: string;
  readonly chat: string;
  readonly thread?: string;
  /** The message answered, on platforms that have replies. */
  readonly replyTo?: string;
  readonly group: boolean;
  /** For the channel alone: what else it needs to answer here, such as an address that lives for a while. */
  readonly own?: Readonly<Record<string, string | number>>;
}

export interface Turn {
  readonly id: TurnId;
  readonly message: MessageId;
  /** The job that holds the turn: every session write of an agent is conditional on it. */
  readonly job: JobName;
  /** How often the turn was handed on because a function's time ran out. */
  readonly part: number;
  readonly cancelAt?: number;
  readonly requester: PersonId;
  readonly to: Address;
  /** When the person wrote the message; turns of earlier releases do not say. */
  readonly sentAt?: number;
}

export interface Session {
  readonly id: SessionId;
  readonly phase: Phase;
  readonly turn?: Turn;
  /** The open ask, or the last one: it stays until the next is opened, so that late clicks hear who decided. */
  readonly ask?: Ask;
  readonly aside: readonly MessageId[];
  readonly accepted?: { readonly queue: string; readonly sequence: string };
  readonly asked: number;
  readonly recent: readonly Settled[];
  readonly historyFrom?: TurnId;
}

export const SESSION_VERSION = 1;
const RECENT = 5;

/** A missing item is an idle session; one that was only ever fenced has no version yet, which v1 wrote. */
export const readSession = (id: SessionId, item: Item | undefined): Session => {
  if (item) checkVersion('session', item['version'] ?? 1, SESSION_VERSION);
  return { phase: 'IDLE', aside: [], asked: 0, recent: [], ...item, id } as unknown as Session;
};

export const waitingPhase = (kind: Ask['kind']) =>
  kind === 'confirm' ? 'WAITING_CONFIRM' : 'WAITING_INPUT';

/** The ask of the current turn; an earlier turn's ask has no say any more. */
export const currentAsk = (session: Session): Ask | undefined =>
  session.ask && session.ask.turn === session.turn?.id ? session.ask : undefined;

export const openAsk = (session: Session): Ask | undefined => {
  const ask = currentAsk(session);
  return ask?.state === 'open' && session.phase.startsWith('WAITING') ? ask : undefined;
};

/** An open ask that nobody can have seen: whoever finds it finishes the suspension. */
export const unshownAsk = (session: Session): Ask | undefined => {
  const ask = openAsk(session);
  return ask && ask.shown.length === 0 ? ask : undefined;
};

/** A decision that should long have been taken up: whoever finds it queues the resume again. */
export const leftLying = (session: Session, now: number): Ask | undefined => {
  const ask = currentAsk(session);
  return ask?.state === 'decided' && now - (ask.decision?.at ?? now) >= 5_000 ? ask : undefined;
};

export const settledAsks = (session: Session): readonly Settled[] => {
  const last = session.ask && settledOf(session.ask);
  return last ? [last, ...session.recent.filter((one) => one.id !== last.id)] : session.recent;
};

/** `recent` for the write that opens the next ask: the writer holds the turn, so nobody else changes it meanwhile. */
export const recentWith = (session: Session): readonly Settled[] =>
  settledAsks(session).slice(0, RECENT);

/** Why a claim was refused, read from the item that refused it. */
export const refusalOf = (
  session: Session,
  id: AskId,
  at: number,
  may: boolean,
  binding?: string,
): Refusal => {
  const settled = settledAsks(session).find((one) => one.id === id);
  if (settled) return { reason: 'already-decided', settled };
  const ask = openAsk(session);
  if (ask?.id !== id) return { reason: 'no-open-ask' };
  if (!may)
    return { reason: 'not-an-approver', may: [...new Set(ask.tasks.flatMap((task) => task.may))] };
  if (binding !== undefined && binding !== ask.binding) return { reason: 'changed' };
  return at >= ask.expiresAt ? { reason: 'expired', at: ask.expiresAt } : { reason: 'changed' };
};
