import { nameOf } from '#domain/job.ts';
import { failedJobs } from './found.ts';
import { expectNoWords, timeText, type Verb } from './verb.ts';

export const failed: Verb = async (asked) => {
  expectNoWords('failed', asked);
  const { store } = await asked.target();
  return {
    none: 'no job has failed',
    rows: (await failedJobs(store)).map(({ job, at, delivery }) => ({
      job: nameOf(job),
      type: job.type,
      session: job.session,
      at: timeText(at),
      delivery,
    })),
  };
};
