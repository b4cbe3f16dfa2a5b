import { digest } from '#domain/digest.ts';
import { messageId } from '#domain/ids.ts';
import { type Envelope, envelope, nameOf, type TurnJob } from '#domain/job.ts';
import { closeFailure } from '#domain/operator-moves.ts';
import { type FoundJob, failedJobs } from './found.ts';
import type { Verb } from './verb.ts';

const USAGE = 'usage: ops redrive <job> [--session <session>], a job as ops failed names it';

/**
 * Puts a failed job back. Sent first and closed after: who is interrupted does it again, and the queue or the inbox
 * recognises the repeat. Whether anything is left to do, or may still be done, is for the engine to say.
 */
export const redrive: Verb = async ({ words, session, target }) => {
  const [name, more] = words;
  if (name === undefined || more !== undefined) throw new Error(USAGE);
  const { store, queue } = await target();
  const found = (await failedJobs(store)).filter(
    (one) => one.name === name && (session === undefined || one.session === session),
  );
  const [failure] = found;
  if (!failure) throw new Error(`no failed job is called ${name}: ops failed lists them`);
  if (found.length > 1)
    throw new Error(`${found.length} sessions have a failed job ${name}: add --session <session>`);
  const { delivery, key } = failure;
  const queued = envelopeOf(failure);
  await queue.send(queued.envelope);
  await store.write(closeFailure(key, delivery, Date.now()));
  return {
    none: '',
    rows: [{ job: name, session: failure.session, queued_as: queued.as }],
  };
};

/** What could not be read goes back as it came. */
const envelopeOf = (failure: FoundJob): { readonly envelope: Envelope; readonly as: string } => {
  const { delivery, session, name } = failure;
  const intent = `redrive:${delivery}`;
  if ('job' in failure) {
    const job = again(failure.job, delivery);
    return { envelope: envelope(job, intent), as: nameOf(job) };
  }
  const { group, body } = failure;
  return { envelope: { group, deduplication: digest([session, intent]), body }, as: name };
};

/** A message was owned and given up under its id, for ever; the others find by their own name what is left of them. */
const again = (job: TurnJob, delivery: string): TurnJob => {
  if (job.type !== 'message') return job;
  const id = messageId(`${job.message.id}-again-${digest([delivery]).slice(0, 8)}`);
  return { ...job, message: { ...job.message, id } };
};
