import type { SavedMessage } from '#domain/conversation.ts';
import { jobName, type MessageId, platformKey, turnId } from '#domain/ids.ts';
import type { InboundMessage } from '#domain/inbound.ts';
import { envelope } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { endTurn, handOver, skipAside } from '#domain/moves.ts';
import { readSession, type Turn } from '#domain/session.ts';
import { saveMessage } from './rows.ts';
import { holds, type Run, say } from './run.ts';

/** Told first, ended after: a crash between the two tells again under the same key, and never stays silent. */
export const finish = async (
  run: Run,
  text: string,
  how: Extract<SavedMessage, { role: 'final' }>['how'],
  tell = say,
): Promise<'finished'> => {
  const { store } = run.ports;
  const key = keys.final(run.session.id, run.turn.id);
  const { message } = await saveMessage(store, key, run.turn.id, {
    role: 'final',
    text: await store.keep(key, text),
    how,
  });
  const told = message.role === 'final' ? await store.fetch(message.text) : text;
  await tell(run, told, platformKey(run.session.id, run.turn.id, 'final'));
  await endOrDrain(run);
  const { id: turn, sentAt } = run.turn;
  const ms = sentAt === undefined ? undefined : run.ports.clock.now() - sentAt;
  run.ports.log.info('turn-finished', { session: run.session.id, turn, how, ms });
  return 'finished';
};

export interface InboxRow {
  readonly message: InboundMessage;
  readonly sequence: string;
  readonly delivery: string;
  readonly decided?: string;
  readonly dead?: boolean;
}

/** The next turn's id is its message's own queue number: never reused, whoever hands it over. */
export const turnOf = (row: InboxRow, job: Turn['job']): Turn => ({
  id: turnId(row.sequence),
  message: row.message.id,
  job,
  part: 0,
  requester: row.message.from,
  to: row.message.to,
  sentAt: row.message.sentAt,
});

/** Ends the turn if nothing waits; else ends it and starts the next message's turn in one write. */
export const endOrDrain = async (run: Run): Promise<void> => {
  const { store, queue } = run.ports;
  const { id: session } = run.session;
  for (;;) {
    const ended = await store.write(endTurn(session, run.turn.id, run.job));
    if (ended.kind === 'written') return;
    run.session = readSession(session, ended.item);
    const head = run.session.aside[0];
    if (!stillMine(run) || head === undefined) return;
    const row = await inboxRow(run, head);
    if (!row || row.decided !== undefined) {
      // Put aside, then delivered again and taken as a decision: it must not run as a message as well.
      await store.write(skipAside(session, run.turn.id, run.job, head));
      continue;
    }
    const name = jobName.next(head, run.job);
    await queue.send(
      envelope({ type: 'next', session, message: head, turn: run.turn.id, after: run.job }, name),
    );
    const handed = await store.write(handOver(session, run.turn.id, run.job, turnOf(row, name)));
    run.session = readSession(session, handed.item);
    if (handed.kind === 'written' || !stillMine(run)) return;
  }
};

const stillMine = (run: Run): boolean =>
  holds(run.session, run.job) && run.session.turn?.id === run.turn.id;

const inboxRow = async (run: Run, message: MessageId): Promise<InboxRow | undefined> => {
  const [item] = await run.ports.store.read([keys.inbox(run.session.id, message)]);
  return item as unknown as InboxRow | undefined;
};
