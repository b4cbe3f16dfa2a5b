import type { ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

/** Trusted types make the browser itself refuse `innerHTML`: whatever a card or a text holds, it stays text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const SAFE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export const json = (value: unknown, status = 200): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

export const refusal = (status: number, code: string, message: string): Answer =>
  json({ error: { code, message } }, status);

export const send = (response: ServerResponse, { status, type, body }: Answer): void => {
  response.writeHead(status, { ...SAFE_HEADERS, 'content-type': type });
  response.end(body);
};
