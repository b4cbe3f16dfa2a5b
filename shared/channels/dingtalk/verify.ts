import { createHmac } from 'node:crypto';
import type { WebhookRequest } from '#ports/channel.ts';
import {
  type JsonRecord,
  LARGEST_BYTES,
  type Rejected,
  readJson,
  rejected,
  sameText,
} from '../request.ts';
import type { InboundSettings } from './settings.ts';

/**
 * Neither signature covers the body: who once saw a signed request could send any body for as long as its time is good.
 * So the path holds a secret too, and what a body says of people and asks is checked against what is stored.
 */
type Verified = { readonly kind: 'message' | 'card'; readonly body: JsonRecord } | Rejected;

const MESSAGE_WINDOW_MS = 3_600_000;
/** The platform states none for cards; ours. */
const CARD_WINDOW_MS = 300_000;

const PATH = /^\/webhook\/dingtalk\/([^/]+)(\/card)?$/;

export const verify = (
  request: WebhookRequest,
  settings: InboundSettings,
  now: number,
): Verified => {
  if (request.body.byteLength > LARGEST_BYTES) return rejected(413, 'larger than 1 MB');
  const [, secret = '', card] = PATH.exec(request.path) ?? [];
  if (!settings.pathSecrets.some((one) => sameText(secret, encodeURIComponent(one))))
    return rejected(401, 'wrong path: does the URL end with DINGTALK_PATH_SECRET?');
  const unsigned = card
    ? cardTrouble(request, settings, now)
    : messageTrouble(request, settings, now);
  if (unsigned !== undefined) return rejected(401, unsigned);
  const body = readJson(request.body);
  if (typeof body === 'string') return rejected(400, body);
  return { kind: card ? 'card' : 'message', body };
};

const messageTrouble = (
  { headers }: WebhookRequest,
  { secrets }: InboundSettings,
  now: number,
): string | undefined => {
  const { timestamp, sign } = headers;
  if (!timestamp || !sign) return 'not signed';
  if (!secrets.some((secret) => sameText(sign, hmac(secret, `${timestamp}\n${secret}`))))
    return 'wrong signature: is DINGTALK_APP_SECRET that of this app?';
  return staleness(timestamp, MESSAGE_WINDOW_MS, now);
};

const cardTrouble = (
  { headers }: WebhookRequest,
  { cardSecrets }: InboundSettings,
  now: number,
): string | undefined => {
  const timestamp = headers['x-ddpaas-signature-timestamp'];
  const signature = headers['x-ddpaas-signature'];
  if (cardSecrets.length === 0) return 'a card callback, but DINGTALK_CARD_API_SECRET is not set';
  if (!timestamp || !signature)
    return 'not signed: was the callback registered with DINGTALK_CARD_API_SECRET?';
  if (!cardSecrets.some((secret) => sameText(signature, hmac(secret, timestamp))))
    return 'wrong signature: was the callback registered with DINGTALK_CARD_API_SECRET?';
  return staleness(timestamp, CARD_WINDOW_MS, now);
};

const hmac = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64');

/** Documented in milliseconds for messages, not at all for cards; seconds are a thousand times smaller. */
const staleness = (timestamp: string, windowMs: number, now: number): string | undefined => {
  const value = Number(timestamp);
  const at = value < 1e11 ? value * 1000 : value;
  return Math.abs(now - at) <= windowMs ? undefined : 'signed too long ago, or a clock is wrong';
};
