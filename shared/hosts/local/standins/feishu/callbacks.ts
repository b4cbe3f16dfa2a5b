import { type BotAnswer, callBot } from '../bot-call.ts';
import { encrypt, sign } from './crypto.ts';
import type { FeishuSecrets } from './world.ts';

export interface Caller {
  /** The bot's address, once it is known. */
  url(): string | undefined;
  setUrl(url: string): void;
  /** Posts an event, encrypted and, but for the check of the URL, signed. */
  call(payload: string, limitMs: number, signed?: boolean): Promise<BotAnswer>;
  stop(): void;
}

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
      const headers = signed ? sign(secrets.encryptKey, body, now()) : {};
      return callBot({ url, headers, body, limitMs, stopping: stopping.signal });
    },
    stop: () => stopping.abort(),
  };
};
