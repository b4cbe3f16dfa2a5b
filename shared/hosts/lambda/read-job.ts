import * as z from 'zod/mini';
import type { Job } from '#domain/job.ts';

const text = z.string().check(z.minLength(1));
const address = z.looseObject({ channel: text, app: text, chat: text, group: z.boolean() });
const message = z.looseObject({ id: text, from: text, to: address, text: z.string() });
const jobOf = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.looseObject({ type: z.literal(type), session: text, ...shape });

const schema = z.discriminatedUnion('type', [
  jobOf('message', { message }),
  jobOf('resume', { ask: text, turn: text }),
  jobOf('next', { message: text, turn: text, after: text }),
  jobOf('more', { turn: text, after: text, part: z.int() }),
  jobOf('command', { command: text, message }),
  jobOf('notice', { to: address, text: z.string(), key: text }),
]);

/** Only our own functions write to the queue; this keeps a hand-made or newer message from being taken for a job. */
export const readJob = (body: string): Job => {
  const parsed = z.safeParse(schema, parseJson(body));
  if (parsed.success) return parsed.data as unknown as Job;
  throw new NotAJobError(parsed.error.issues.map(({ path, message }) => `${path}: ${message}`));
};

/** Retried like any other failure: another release may read it, and at last the dead letters keep it. */
export class NotAJobError extends Error {
  readonly code = 'NOT_A_JOB';
  constructor(problems: readonly string[]) {
    super(`the message is no job this release knows (${problems.join('; ')})`);
  }
}

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};
