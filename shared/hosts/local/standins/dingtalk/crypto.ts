import { createHmac, randomBytes } from 'node:crypto';

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64');

/** Page receive-message: the headers of a robot message. They prove the sender, not the body. */
export const robotHeaders = (appSecret: string, now: number): Readonly<Record<string, string>> => ({
  timestamp: String(now),
  sign: hmac(appSecret, `${now}\n${appSecret}`),
});

/** Page event-callback-card: the headers of a card callback whose route has a secret. */
export const cardHeaders = (apiSecret: string, now: number): Readonly<Record<string, string>> => ({
  'x-ddpaas-signature-timestamp': String(now),
  'x-ddpaas-signature': hmac(apiSecret, String(now)),
});

/** `msg…==` and the like. */
export const newId = (prefix: string): string => prefix + randomBytes(16).toString('base64');

export const newHexId = (): string => randomBytes(16).toString('hex');
