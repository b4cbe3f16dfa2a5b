import type {
  Change,
  ChatView,
  ClickShown,
  NewClick,
  NewMessage,
  PlaygroundState,
} from './wire.ts';

const RECONNECT_MS = 1000;

/** Thrown with what the server said; its message is for people. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

const call = async <T>(path: string, body?: object): Promise<T> => {
  const response = await fetch(
    path,
    body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
  );
  const answer = await response.json();
  if (!response.ok) throw new RefusedError(answer.error.message);
  return answer;
};

const addressOf = (platform: string, chat: string): string =>
  `/playground/${encodeURIComponent(platform)}/chats/${encodeURIComponent(chat)}`;

export const readState = () => call<PlaygroundState>('/playground/state');

export const readChat = (platform: string, chat: string) =>
  call<ChatView>(addressOf(platform, chat));

export const postMessage = (platform: string, chat: string, message: NewMessage) =>
  call<{ readonly id: string }>(`${addressOf(platform, chat)}/messages`, message);

export const postClick = (platform: string, chat: string, click: NewClick) =>
  call<ClickShown>(`${addressOf(platform, chat)}/clicks`, click);

interface Listener {
  changed(change: Change): void;
  /** Also after every reconnection: what happened meanwhile has to be read. */
  connected(): void;
  lost(): void;
}

/** Connects again by itself, for ever. A browser left to do that gives up on the first refused answer. */
export const listen = (listener: Listener): void => {
  const source = new EventSource('/playground/events');
  source.onopen = () => listener.connected();
  source.onmessage = ({ data }) => listener.changed(JSON.parse(data));
  source.onerror = () => {
    source.close();
    listener.lost();
    setTimeout(() => listen(listener), RECONNECT_MS);
  };
};
