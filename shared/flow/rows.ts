import {
  MESSAGE_VERSION,
  type Outcome,
  type Row,
  readMessage,
  recentTurns,
  type SavedMessage,
  type ToolCall,
} from '#domain/conversation.ts';
import type { Item, Key } from '#domain/expression.ts';
import type { SessionId, TurnId } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { putIfAbsent } from '#domain/moves.ts';
import { isOver } from '#domain/retention.ts';
import { resultText } from '#domain/texts.ts';
import type { ModelMessage } from '#ports/model.ts';
import type { Store } from '#ports/store.ts';
import type { Run } from './run.ts';

const PAGE = 100;
/** What a model reads of one tool result; the whole of it stays in the store. */
const RESULT_BYTES = 32 * 1024;

/** This turn's rows and the history before it, oldest first. Reads no further back than the settings ask for. */
export const loadRows = async (run: Run): Promise<Row[]> => {
  const { historyMessages } = run.ports.settings.agent;
  const pk = keys.partition(run.session.id);
  // A /reset may have overtaken this turn's message in its own lane: it hides what was before, never the turn itself.
  const { historyFrom = '' } = run.session;
  const from = `M#${historyFrom < run.turn.id ? historyFrom : run.turn.id}`;
  const now = run.ports.clock.now();
  // Of what is over, the long texts may be deleted already.
  const isHistoryOver = (item: Item) => item['turn'] !== run.turn.id && isOver(item, now);
  const rows: Row[] = [];
  let to = `M#${run.turn.id}~`;
  for (;;) {
    const page = await run.ports.store.list({ pk, from, to, limit: PAGE, backward: true });
    rows.unshift(
      ...page
        .filter((item) => item['sk'] !== to && !isHistoryOver(item))
        .map(readMessage)
        .reverse(),
    );
    const before = rows.filter((row) => row.turn < run.turn.id);
    const oldestWanted = before[Math.max(0, before.length - historyMessages)]?.turn;
    // A row of an older turn was seen, so the oldest turn wanted is whole.
    if (page.length < PAGE || (before.length >= historyMessages && oldestWanted !== rows[0]?.turn))
      break;
    to = String(page.at(-1)?.['sk']);
  }
  return [...recentTurns(rows, run.turn.id, historyMessages)];
};

/** Saved if absent. Who comes second goes on with what is stored, never with its own. */
export const saveMessage = async (
  store: Store,
  key: Key,
  turn: TurnId,
  message: SavedMessage,
): Promise<Row> => {
  const written = await store.write(putIfAbsent(key, { version: MESSAGE_VERSION, turn, message }));
  if (!written.item)
    throw new Error(`the store refused ${key.sk} without saying what stands there`);
  return readMessage(written.item);
};

export const saveResult = async (
  run: Run,
  rows: Row[],
  at: { step: number; call: number },
  outcome: Outcome,
  text: string,
): Promise<void> => {
  const { store } = run.ports;
  const key = keys.message(
    run.session.id,
    run.turn.id,
    at.step,
    `result-${String(at.call).padStart(3, '0')}`,
  );
  const kept = await store.keep(key, text);
  rows.push(
    await saveMessage(store, key, run.turn.id, { role: 'result', ...at, outcome, text: kept }),
  );
};

export const finalOf = async (
  store: Store,
  session: SessionId,
  turn: TurnId,
): Promise<Row | undefined> => {
  const [item] = await store.read([keys.final(session, turn)]);
  return item && readMessage(item);
};

const cutForModel = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= RESULT_BYTES) return text;
  const head = new TextDecoder().decode(bytes.subarray(0, RESULT_BYTES)).replace(/\uFFFD$/u, '');
  return `${head}\n[truncated: ${RESULT_BYTES} of ${bytes.length} bytes]`;
};

/** The rows as a model reads them. Every call gets a result, also one that a cancelled turn left without. */
export const modelMessages = async (
  store: Store,
  rows: readonly Row[],
): Promise<ModelMessage[]> => {
  const messages: ModelMessage[] = [];
  const open = new Map<number, ToolCall>();
  const closeOpen = () => {
    for (const call of open.values())
      messages.push({ role: 'result', call, outcome: 'stopped', text: resultText('stopped', {}) });
    open.clear();
  };
  let turn: TurnId | undefined;
  for (const row of rows) {
    const { message } = row;
    if (message.role === 'step' || row.turn !== turn) closeOpen();
    turn = row.turn;
    if (message.role === 'user')
      messages.push({ role: 'user', text: await store.fetch(message.text) });
    if (message.role === 'step') {
      const { calls, provider } = message;
      messages.push({
        role: 'assistant',
        text: await store.fetch(message.text),
        calls,
        ...(provider !== undefined && { provider }),
      });
      for (const [index, call] of message.calls.entries()) open.set(index, call);
    }
    if (message.role === 'result') {
      const call = open.get(message.call);
      open.delete(message.call);
      if (call)
        messages.push({
          role: 'result',
          call,
          outcome: message.outcome,
          text: cutForModel(await store.fetch(message.text)),
        });
    }
    if (message.role === 'final' && message.how !== 'answer') {
      closeOpen();
      messages.push({ role: 'assistant', text: await store.fetch(message.text), calls: [] });
    }
  }
  closeOpen();
  return messages;
};
