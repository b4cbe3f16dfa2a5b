import type { Card, Params, State } from './state.ts';

/** What an update, or the answer to a click, does to a card. */
export interface CardChange {
  readonly params?: Params;
  /** By userId. */
  readonly private?: Readonly<Record<string, Params>>;
  /** Without these the new data take the place of all the old. */
  readonly paramsByKey: boolean;
  readonly privateByKey: boolean;
}

/**
 * The data of cards as people see them. "Do not call the update API during the callback" (page event-callback-card):
 * what is put on a card while a click on it waits for its answer is gone when the answer comes.
 */
export interface CardData {
  get(outTrackId: string): Card | undefined;
  add(card: Card): void;
  update(card: Card, change: CardChange): void;
  /** A click on a card waits for its answer. */
  begin(outTrackId: string): void;
  /** The answer came, with a change or without. */
  end(outTrackId: string, change?: CardChange): void;
}

const changed = (card: Card, change: CardChange): Card => {
  const { params = card.params, private: given = {}, paramsByKey, privateByKey } = change;
  const merged = Object.entries(given).map(([person, own]) => [
    person,
    privateByKey ? { ...card.private[person], ...own } : own,
  ]);
  return {
    ...card,
    params: paramsByKey ? { ...card.params, ...params } : params,
    private: { ...card.private, ...Object.fromEntries(merged) },
  };
};

export const createCardData = (
  { cards, messages }: Pick<State, 'cards' | 'messages'>,
  now: () => number,
  changedIn: (chat: string) => void,
): CardData => {
  const waiting = new Map<string, number>();
  const before = new Map<string, Card>();

  const show = (card: Card) => {
    cards.put(card.outTrackId, { ...card, updatedAt: now() });
    for (const { content, chat } of messages.all())
      if (content.msgtype === 'card' && content.outTrackId === card.outTrackId) changedIn(chat);
  };

  return {
    get: cards.get,
    add: (card) => cards.put(card.outTrackId, card),
    update: (card, change) => {
      const { outTrackId } = card;
      if (waiting.has(outTrackId) && !before.has(outTrackId)) before.set(outTrackId, card);
      show(changed(card, change));
    },
    begin: (outTrackId) => {
      waiting.set(outTrackId, (waiting.get(outTrackId) ?? 0) + 1);
    },
    end: (outTrackId, change) => {
      const left = (waiting.get(outTrackId) ?? 1) - 1;
      if (left > 0) waiting.set(outTrackId, left);
      else waiting.delete(outTrackId);
      const old = before.get(outTrackId);
      before.delete(outTrackId);
      const card = old ?? cards.get(outTrackId);
      if (!card) return;
      if (change) show(changed(card, change));
      else if (old) show(old);
    },
  };
};
