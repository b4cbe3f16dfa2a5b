import { failedJobs } from './found.ts';
import { expectNoWords, timeText, type Verb } from './verb.ts';

export const failed: Verb = async (asked) => {
  expectNoWords('failed', asked);
  const { store } = await asked.target();
  return {
    none: 'no job has failed',
    rows: (await failedJobs(store)).map((found) => ({
      job: found.name,
      type: 'job' in found ? found.job.type : 'unreadable',
      session: found.session,
      at: timeText(found.at),
      delivery: found.delivery,
    })),
  };
};
