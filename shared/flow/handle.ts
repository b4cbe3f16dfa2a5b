import type { Job } from '#domain/job.ts';
import type { EnginePorts } from '#ports/engine.ts';
import type { Delivery } from '#ports/queue.ts';
import { control } from './control.ts';
import { isRetryable } from './errors.ts';
import { giveUp } from './give-up.ts';
import { resume } from './resume.ts';
import { runMore, runNext, runTurn } from './run-turn.ts';

/** One job to its arrow. What will never succeed is given up at once; everything else is thrown for the queue to bring back. */
export const handle = async (ports: EnginePorts, job: Job, delivery: Delivery): Promise<string> => {
  try {
    return await dispatch(ports, job, delivery);
  } catch (error) {
    if (isRetryable(error)) throw error;
    ports.log.error('job-cannot-succeed', {
      session: job.session,
      type: job.type,
      why: String(error),
    });
    return giveUp(ports, job, delivery);
  }
};

const dispatch = async (ports: EnginePorts, job: Job, delivery: Delivery): Promise<string> => {
  switch (job.type) {
    case 'message':
      return runTurn(ports, job, delivery);
    case 'next':
      return runNext(ports, job, delivery);
    case 'more':
      return runMore(ports, job, delivery);
    case 'resume':
      return resume(ports, job, delivery);
    case 'command':
    case 'notice':
      await control(ports, job, delivery);
      return 'answered';
    default:
      return job satisfies never;
  }
};
