import { digest } from './digest.ts';
import type { Key } from './expression.ts';
import type { AskId, Binding, JobName, MessageId, SessionId, TurnId } from './ids.ts';

const stepOf = (step: number) => String(step).padStart(4, '0');
const partition = (session: SessionId) => `S#${session}`;

/** Of the index: a single partition of it would take no more than a thousand writes a second. */
const SHARDS = 16;
const shardOf = (id: SessionId): number =>
  [...digest([id])].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SHARDS;

/** Where the index holds what operators look for. A row is in it as long as it has an attribute `shard`. */
export const shards = {
  busy: (id: SessionId) => `W#${shardOf(id)}`,
  failed: (id: SessionId) => `F#${shardOf(id)}`,
  all: (of: 'W' | 'F') => Array.from({ length: SHARDS }, (_, shard) => `${of}#${shard}`),
};

/** Every row's key, in one place. */
export const keys = {
  partition,
  session: (id: SessionId): Key => ({ pk: partition(id), sk: '#' }),
  inbox: (id: SessionId, message: MessageId): Key => ({ pk: partition(id), sk: `I#${message}` }),
  /** A turn's rows sort by step; `final` sorts behind every step and has a key that needs no step to be known. */
  message: (id: SessionId, turn: TurnId, step: number, part: string): Key => ({
    pk: partition(id),
    sk: `M#${turn}#${stepOf(step)}#${part}`,
  }),
  final: (id: SessionId, turn: TurnId): Key => ({ pk: partition(id), sk: `M#${turn}#final` }),
  /** `nth` is the number of the ask in its turn, 0 for a call that ran unasked: a call asked anew is a new row. */
  ledger: (id: SessionId, turn: TurnId, step: number, call: number, nth: number): Key => ({
    pk: partition(id),
    sk: `X#${turn}#${stepOf(step)}.${call}#${nth}`,
  }),
  memory: (channel: string, app: string, chat: string, tool: string, binding: Binding): Key => ({
    pk: `P#${channel}:${app}:${chat}`,
    sk: `A#${tool}#${binding}`,
  }),
  audit: (id: SessionId, time: number, ask: AskId, what: 'decided' | 'outcome'): Key => ({
    pk: `AUDIT#${id}`,
    sk: `${new Date(time).toISOString()}#${ask}#${what}`,
  }),
  reference: (channel: string, app: string, card: string): Key => ({
    pk: `R#${channel}:${app}:${card}`,
    sk: '#',
  }),
  app: (channel: string, app: string): Key => ({ pk: `APP#${channel}:${app}`, sk: '#' }),
  failedJob: (id: SessionId, job: JobName): Key => ({ pk: partition(id), sk: `F#${job}` }),
};
