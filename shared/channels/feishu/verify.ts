import { createDecipheriv, createHash } from 'node:crypto';
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
 * Order of the checks: size, JSON, signature over the raw bytes, decryption, JSON again, verification token. The URL
 * check carries no signature; its token is all there is to go by.
 */
type Verified =
  | { readonly kind: 'verified'; readonly body: JsonRecord }
  | { readonly kind: 'handshake'; readonly challenge: string }
  | Rejected;

export const verify = (request: WebhookRequest, settings: InboundSettings): Verified => {
  if (request.body.byteLength > LARGEST_BYTES) return rejected(413, 'larger than 1 MB');
  const outer = readJson(request.body);
  if (typeof outer === 'string') return rejected(400, outer);
  if (settings.encryptKeys.length === 0)
    return outer['encrypt'] === undefined
      ? checkToken(outer, settings)
      : rejected(400, 'encrypted, but FEISHU_ENCRYPT_KEY is empty: set it to the Encrypt Key');
  const { encrypt } = outer;
  if (encrypt === undefined)
    return rejected(401, legacyOr(outer, 'a plain body while an Encrypt Key is set'));
  if (typeof encrypt !== 'string') return rejected(400, '"encrypt" is not a string');
  const key = settings.encryptKeys.find((one) => isSigned(request, one));
  if (key === undefined) return unsigned(request, encrypt, settings);
  const clear = decrypt(encrypt, key);
  if (clear === undefined) return rejected(400, 'cannot be decrypted with the Encrypt Key');
  const body = readJson(clear);
  return typeof body === 'string'
    ? rejected(400, `decrypted: ${body}`)
    : checkToken(body, settings);
};

/** Whatever is wrong with it gets one answer: to tell bad padding from bad content would help to read what was sealed. */
const unsigned = (
  request: WebhookRequest,
  encrypt: string,
  settings: InboundSettings,
): Verified => {
  for (const key of settings.encryptKeys) {
    const clear = decrypt(encrypt, key);
    const body = clear && readJson(clear);
    if (!body || typeof body === 'string' || body['type'] !== 'url_verification') continue;
    return checkToken(body, settings);
  }
  return rejected(
    401,
    request.headers['x-lark-signature'] === undefined
      ? 'not signed'
      : 'wrong signature: is FEISHU_ENCRYPT_KEY the Encrypt Key of this app?',
  );
};

/** Of a request that was refused: what its sender, who may well be the right one, should change. */
const legacyOr = (body: JsonRecord, why: string): string =>
  'open_message_id' in body && 'action' in body
    ? 'legacy card callback: in the console remove card.action.trigger_v1 and add card.action.trigger'
    : why;

const isSigned = ({ headers, body }: WebhookRequest, key: string): boolean => {
  const signature = headers['x-lark-signature'];
  const timestamp = headers['x-lark-request-timestamp'];
  const nonce = headers['x-lark-request-nonce'];
  if (!signature || timestamp === undefined || nonce === undefined) return false;
  const expected = createHash('sha256')
    .update(timestamp + nonce + key)
    .update(body)
    .digest('hex');
  return sameText(signature, expected);
};

/** AES-256-CBC under sha256(key); the first 16 bytes are the IV. */
export const decrypt = (encrypted: string, key: string): Buffer | undefined => {
  const bytes = Buffer.from(encrypted, 'base64');
  if (bytes.length < 32 || bytes.length % 16 !== 0) return undefined;
  const secret = createHash('sha256').update(key).digest();
  const decipher = createDecipheriv('aes-256-cbc', secret, bytes.subarray(0, 16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  } catch {
    return undefined;
  }
};

const checkToken = (body: JsonRecord, { tokens }: InboundSettings): Verified => {
  const header = body['header'] as JsonRecord | null | undefined;
  const token = header === undefined ? body['token'] : header?.['token'];
  if (header === undefined && token === undefined) return rejected(400, 'neither header nor token');
  if (typeof token !== 'string' || !tokens.some((one) => sameText(token, one)))
    return rejected(
      401,
      legacyOr(body, 'wrong verification token: is FEISHU_VERIFICATION_TOKEN that of this app?'),
    );
  if (body['type'] !== 'url_verification') return { kind: 'verified', body };
  const { challenge } = body;
  return typeof challenge === 'string'
    ? { kind: 'handshake', challenge }
    : rejected(400, 'a URL check without a challenge');
};
