import { afterAll } from 'vitest';
import { startDynalite, startFauxqs } from './emulators.ts';

/** A table and queues for the tests of a file, stopped behind the last of them. */
export const startAws = async () => {
  const [dynamo, sqs] = await Promise.all([startDynalite(), startFauxqs()]);
  afterAll(async () => {
    await Promise.all([dynamo.stop(), sqs.stop()]);
  });
  return { dynamo, sqs };
};
