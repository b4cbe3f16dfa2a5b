import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { expire, type TimerPorts } from '#flow/expire.ts';
import type { Timer } from '#ports/scheduler.ts';

const text = z.string().check(z.minLength(1));
const schema = z.object({
  session: text,
  ask: text,
  expiresAt: z.int(),
  tick: z.optional(z.boolean()),
});

/** Invoked by the schedule itself, and by the queue of what the schedule or Lambda could not deliver. */
export const createTimeoutHandler =
  (build: () => Promise<TimerPorts>) =>
  async (event: unknown): Promise<SQSBatchResponse | undefined> => {
    const ports = await build();
    if (isSqsEvent(event)) return eachAlone(ports, event);
    await fire(ports, event);
    return undefined;
  };

const isSqsEvent = (event: unknown): event is SQSEvent =>
  Array.isArray((event as Partial<SQSEvent> | null)?.Records);

/** A standard queue: one that fails keeps no other from being tried. */
const eachAlone = async (ports: TimerPorts, { Records }: SQSEvent): Promise<SQSBatchResponse> => {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
  for (const { messageId, body } of Records) {
    try {
      await fire(ports, undelivered(body));
    } catch (error) {
      ports.log.warn('timer-put-back', { delivery: messageId, why: String(error) });
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
};

/** A timer that cannot be read never will be: trying again would only hide the line that says so. */
const fire = async (ports: TimerPorts, payload: unknown): Promise<void> => {
  const parsed = z.safeParse(schema, payload);
  if (parsed.success) return expire(ports, parsed.data as unknown as Timer);
  ports.log.error('timer-unreadable', {
    problems: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
  });
};

/** Scheduler leaves the payload itself; Lambda's on-failure destination wraps it in a record of the invocation. */
const undelivered = (body: SQSRecord['body']): unknown => {
  try {
    const left = JSON.parse(body) as { readonly requestPayload?: unknown } | null;
    return left?.requestPayload ?? left;
  } catch {
    return undefined;
  }
};
