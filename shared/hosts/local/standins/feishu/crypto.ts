import { createCipheriv, createHash, randomBytes } from 'node:crypto';

const sha256 = (...parts: string[]) => createHash('sha256').update(parts.join(''));

/** AES-256-CBC under the digest of the Encrypt Key, the initial vector in front, in base64. */
export const encrypt = (encryptKey: string, plain: string): string => {
  const vector = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', sha256(encryptKey).digest(), vector);
  return Buffer.concat([vector, cipher.update(plain, 'utf8'), cipher.final()]).toString('base64');
};

/** The headers that prove a body to be Feishu's. */
export const sign = (
  encryptKey: string,
  body: string,
  now: number,
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(now / 1000));
  const nonce = randomBytes(8).toString('hex');
  return {
    'X-Lark-Request-Timestamp': timestamp,
    'X-Lark-Request-Nonce': nonce,
    'X-Lark-Signature': sha256(timestamp, nonce, encryptKey, body).digest('hex'),
  };
};

export const newId = (prefix: string): string => prefix + randomBytes(16).toString('hex');
