import type { Ask, Kept } from '#domain/ask.ts';
import { readMessage } from '#domain/conversation.ts';
import type { Item } from '#domain/expression.ts';
import type { MessageId } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { keepUntil, longerFor } from '#domain/retention.ts';
import { currentAsk, type Session, type Turn } from '#domain/session.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Store } from '#ports/store.ts';

type Ports = Pick<EnginePorts, 'store' | 'settings' | 'clock'>;

const MOST_ROWS = 1000;

/**
 * No retention limit deletes a row of a turn that waits, nor a message put aside meanwhile. Only a long question, or one
 * of many in a long turn, makes it necessary to do anything.
 */
export const outlive = async (
  { store, settings }: Ports,
  session: Session,
  turn: Turn,
  ask: Ask,
): Promise<void> => {
  // When its message was written: before any of its rows, and before any message that was put aside.
  const until = longerFor(ask.expiresAt, turn.sentAt ?? 0, settings.retention);
  if (until === undefined) return;
  const pk = keys.partition(session.id);
  for (const from of [`M#${turn.id}`, `X#${turn.id}`])
    for (const item of await store.list({ pk, from, to: `${from}~`, limit: MOST_ROWS }))
      await prolong(store, item, until);
  for (const message of [turn.message, ...session.aside])
    await store.write(keepUntil(keys.inbox(session.id, message), until));
};

/** The same for a message that is put aside while the question is out already. */
export const outliveAside = async (
  { store, settings, clock }: Ports,
  session: Session,
  message: MessageId,
): Promise<void> => {
  const ask = session.aside.includes(message) ? currentAsk(session) : undefined;
  const until = ask && longerFor(ask.expiresAt, clock.now(), settings.retention);
  if (until !== undefined) await store.write(keepUntil(keys.inbox(session.id, message), until));
};

const prolong = async (store: Store, item: Item, until: number): Promise<void> => {
  const [pk, sk] = [String(item['pk']), String(item['sk'])];
  const text = sk.startsWith('M#')
    ? readMessage(item).message.text
    : (item['result'] as Kept | undefined);
  if (text) await store.prolong(text, until);
  await store.write(keepUntil({ pk, sk }, until));
};
