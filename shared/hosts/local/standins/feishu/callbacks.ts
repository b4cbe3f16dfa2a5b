import { encrypt, sign } from './crypto.ts';
import type { FeishuSecrets } from './world.ts';

/** What came of a request to the bot. */
export type BotAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'late' | 'unreachable' | 'unknown-host' | 'stopped' };

export interface Caller {
  /** The bot's address, once it is known. */
  url(): string | undefined;
  setUrl(url: string): void;
  /** Posts an event, encrypted and, but for the check of the URL, signed. */
  call(payload: string, limitMs: number, signed?: boolean): Promise<BotAnswer>;
  stop(): void;
}

const whyNot = (error: unknown, stopped: boolean): BotAnswer => {
  if (stopped) return { kind: 'stopped' };
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return { kind: 'late' };
  return { kind: cause?.code === 'ENOTFOUND' ? 'unknown-host' : 'unreachable' };
};

export const createCaller = (
  secrets: FeishuSecrets,
  now: () => number,
  firstUrl: string | undefined,
): Caller => {
  const stopping = new AbortController();
  let url = firstUrl;
  return {
    url: () => url,
    setUrl: (given) => {
      url = given;
    },
    call: async (payload, limitMs, signed = true) => {
      if (url === undefined) return { kind: 'unknown-host' };
      const body = JSON.stringify({ encrypt: encrypt(secrets.encryptKey, payload) });
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json; charset=utf-8',
            ...(signed && sign(secrets.encryptKey, body, now())),
          },
          body,
          redirect: 'manual',
          signal: AbortSignal.any([AbortSignal.timeout(limitMs), stopping.signal]),
        });
        return { kind: 'answered', status: response.status, text: await response.text() };
      } catch (error) {
        return whyNot(error, stopping.signal.aborted);
      }
    },
    stop: () => stopping.abort(),
  };
};
