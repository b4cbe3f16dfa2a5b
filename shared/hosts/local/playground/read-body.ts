import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { type Answer, refusal } from './answer.ts';

const MOST_BYTES = 64 * 1024;
const id = z.string().check(z.minLength(1));

export const newMessage = z.strictObject({
  from: id,
  text: z.string().check(z.regex(/\S/, 'expected something to say')),
  mention: z.boolean(),
  replyTo: z.exactOptional(id),
  inTopic: z.exactOptional(z.boolean()),
});

export const newClick = z.strictObject({
  message: id,
  by: id,
  value: z.optional(z.unknown()),
  name: z.exactOptional(z.string()),
  form: z.exactOptional(
    z.record(z.string(), z.union([z.string(), z.array(z.string()), z.boolean()])),
  ),
});

type Body<T> =
  | { readonly kind: 'body'; readonly body: T }
  | { readonly kind: 'refused'; readonly answer: Answer };

const refused = (status: number, code: string, message: string): Body<never> => ({
  kind: 'refused',
  answer: refusal(status, code, message),
});

export const readBody = async <T>(
  request: IncomingMessage,
  shape: z.ZodMiniType<T>,
): Promise<Body<T>> => {
  const bytes = await readBytes(request);
  if (!bytes)
    return refused(413, 'too-large', `The body is too large: at most ${MOST_BYTES} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return refused(400, 'invalid-body', 'The body is not JSON');
  }
  const parsed = z.safeParse(shape, value);
  return parsed.success
    ? { kind: 'body', body: parsed.data }
    : refused(400, 'invalid-body', parsed.error.issues.map(problem).join('; '));
};

/** Nothing, once there are more bytes than allowed; the rest is let through unread, so that the answer can be read. */
const readBytes = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
  }
  return size <= MOST_BYTES ? Buffer.concat(chunks) : undefined;
};

const problem = (issue: z.core.$ZodIssue): string => {
  const path = issue.path.join('.') || 'the body';
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown key ${issue.keys.join(', ')}`;
    case 'invalid_type':
      return `${path}: expected ${issue.expected}`;
    case 'too_small':
      return `${path}: must not be empty`;
    case 'invalid_union':
      return `${path}: expected a string, a list of strings or a boolean`;
    default:
      return `${path}: ${issue.message}`;
  }
};
