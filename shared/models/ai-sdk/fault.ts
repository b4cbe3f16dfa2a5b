import { ModelError, type ModelTrouble } from '#ports/model-error.ts';
import { CutOffError, StreamError } from './read-stream.ts';

/** What went wrong, as far as it decides what is done next. */
export interface Fault {
  /** `reasoning-unwanted`, `reasoning-missing`: the same request may pass with other reasoning in it. */
  readonly code: ModelTrouble | 'reasoning-unwanted' | 'reasoning-missing';
  readonly why: string;
  readonly afterMs?: number;
}

const OVERFLOW =
  /context.{0,12}(length|window|size|limit)|(?<!string )too long|too large|too many (input )?tokens|token limit|max(imum)? (prompt|input|message|model).{0,8}(length|tokens)|range of input length|exceed\w*.{0,40}(length|tokens)/i;
const NO_CREDIT = /insufficient_(quota|user_quota|balance)|insufficient balance|billing/i;
const REASONING = /reasoning_content|thinking/i;
const MISSING = /missing|must (be passed|be provided|include|contain)|is required/i;

export const faultOf = (error: unknown, now: number): Fault => {
  if (error instanceof ModelError) return { code: error.code, why: error.message };
  const cut = error instanceof CutOffError ? error : property(error, 'cause');
  if (cut instanceof CutOffError) return { code: 'unavailable', why: cut.message };
  const cause = error instanceof StreamError ? error.cause : error;
  const { status, said, all } = answerIn(cause);
  const why = `${status === undefined ? '' : `${status} `}${said}`;
  // An answer that began well and could not be read to its end was cut off, whatever the SDK makes of it.
  const temporary =
    error instanceof StreamError ||
    property(cause, 'isRetryable') === true ||
    property(cause, 'statusCode') === 200;
  if (status === 401 || status === 402 || status === 403 || NO_CREDIT.test(all))
    return { code: 'account', why };
  if (status === undefined ? temporary : status === 408 || status === 429 || status >= 500)
    return { code: 'unavailable', why, ...retryAfter(cause, now) };
  if (status === 413 || OVERFLOW.test(all)) return { code: 'overflow', why };
  if (status === 400 && REASONING.test(all))
    return { code: MISSING.test(all) ? 'reasoning-missing' : 'reasoning-unwanted', why };
  return { code: 'rejected', why };
};

const property = (from: unknown, name: string): unknown =>
  typeof from === 'object' && from !== null ? Reflect.get(from, name) : undefined;
const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * `said` is what may be logged: the server's own sentence. Errors of parsing quote the conversation, and a body may
 * echo it, so of those only the name and known fields are taken; `all` is for looking at, never for showing.
 */
const answerIn = (cause: unknown) => {
  const body = asText(property(cause, 'responseBody')) ?? '';
  const code = property(cause, 'code');
  const status = property(cause, 'statusCode') ?? (typeof code === 'number' ? code : undefined);
  const own = asText(property(cause, 'message'));
  const spoken =
    !(cause instanceof Error) || property(cause, 'isRetryable') !== undefined ? own : cause.name;
  return {
    status: typeof status === 'number' && status >= 400 ? status : undefined,
    said: (sentenceIn(body) ?? spoken ?? 'no reason given').slice(0, 300),
    all: `${own} ${asText(code)} ${asText(property(cause, 'type'))} ${body.slice(0, 4_000)}`,
  };
};

const sentenceIn = (body: string): string | undefined => {
  try {
    const parsed: unknown = JSON.parse(body);
    const inner = property(parsed, 'error') ?? parsed;
    return asText(inner) ?? asText(property(inner, 'message')) ?? asText(property(inner, 'detail'));
  } catch {
    return undefined;
  }
};

const retryAfter = (cause: unknown, now: number): { afterMs?: number } => {
  const headers = property(cause, 'responseHeaders');
  const exact = Number.parseFloat(asText(property(headers, 'retry-after-ms')) ?? '');
  if (exact >= 0) return { afterMs: exact };
  const header = asText(property(headers, 'retry-after')) ?? '';
  const afterMs = /^[\d.]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return afterMs >= 0 ? { afterMs } : {};
};
