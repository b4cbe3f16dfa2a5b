import type { Message, State } from './state.ts';

/**
 * Cards as people see them. "An update before the callback is answered fails, or the card snaps back to what it was"
 * (page delayed update): what is put on a card while a click on it waits for its answer is gone when the answer comes.
 */
export interface CardsShown {
  /** Shows another card in a message. */
  replace(message: Message, card: unknown): void;
  /** A click on a card waits for its answer. */
  begin(id: string): void;
  /** The answer came, with a card or without. */
  end(id: string, card?: unknown): void;
}

export const createCardsShown = (
  { messages }: Pick<State, 'messages'>,
  now: () => number,
  changed: (chat: string) => void,
): CardsShown => {
  const waiting = new Map<string, number>();
  const before = new Map<string, string>();

  const show = (message: Message, content: string) => {
    messages.put(message.id, { ...message, content, updatedAt: now() });
    changed(message.chat);
  };

  return {
    replace: (message, card) => {
      const unanswered = (waiting.get(message.id) ?? 0) > 0;
      if (unanswered && !before.has(message.id)) before.set(message.id, message.content);
      show(message, JSON.stringify(card));
    },
    begin: (id) => {
      waiting.set(id, (waiting.get(id) ?? 0) + 1);
    },
    end: (id, card) => {
      const left = (waiting.get(id) ?? 1) - 1;
      if (left > 0) waiting.set(id, left);
      else waiting.delete(id);
      const content = card === undefined ? before.get(id) : JSON.stringify(card);
      before.delete(id);
      const message = messages.get(id);
      if (message && content !== undefined) show(message, content);
    },
  };
};
