import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log } from '#ports/log.ts';
import { createJsonLog } from '../json-log.ts';
import type { Invoke } from './invocation.ts';
import { type LogLine, readLogLine } from './log-lines.ts';

/** What happened lately, by session. */
export interface Journal {
  /** For what the host itself has to say. */
  readonly log: Log;
  note(line: LogLine): void;
  /** Knows from then on whose delivery it is, and logs how long the function took. */
  watch<Result>(name: string, invoke: Invoke<SQSEvent, Result>): Invoke<SQSEvent, Result>;
  eventsOf(session: string): readonly LogLine[];
  /** The one that last did something, of the session with this name and those that are named below it. */
  latestOf(session: string): string;
}

const MOST_LINES = 2_000;
const MOST_EVENTS = 50;

export const createJournal = (show: (line: LogLine) => void): Journal => {
  const lines: { readonly line: LogLine; readonly session: string | undefined }[] = [];
  const sessionOf = new Map<unknown, string>();

  const note = (line: LogLine) => {
    const { session, delivery } = line.facts;
    lines.push({ line, session: session ? String(session) : sessionOf.get(delivery) });
    if (lines.length > MOST_LINES) lines.shift();
    show(line);
  };
  const log = createJsonLog((text) => {
    const line = readLogLine(text);
    if (line) note(line);
  });

  return {
    log,
    note,

    watch: (name, invoke) => async (event) => {
      const [record] = event.Records;
      if (!record) return invoke(event);
      const { session, type } = jobOf(record);
      const startedAt = Date.now();
      sessionOf.set(record.messageId, session);
      try {
        return await invoke(event);
      } finally {
        sessionOf.delete(record.messageId);
        log.info(`${name}-worked`, { session, job: type, ms: Date.now() - startedAt });
      }
    },

    eventsOf: (session) =>
      lines.flatMap((one) => (one.session === session ? one.line : [])).slice(-MOST_EVENTS),

    latestOf: (session) =>
      lines.findLast((one) => one.session === session || one.session?.startsWith(`${session}:`))
        ?.session ?? session,
  };
};

const jobOf = ({ body }: SQSRecord): { readonly session: string; readonly type: string } => {
  try {
    const { session, type } = JSON.parse(body);
    return { session: String(session), type: String(type) };
  } catch {
    return { session: 'unknown', type: 'unreadable' };
  }
};
