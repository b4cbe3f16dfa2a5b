import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { createEventBridgeScheduler } from '#adapters/aws/scheduler.ts';
import type { TimerPorts } from '#flow/expire.ts';
import { type Environment, required } from './environment.ts';
import { createFrontPorts } from './front-ports.ts';
import { PATIENT } from './patience.ts';

export const createTimerPorts = async (environment: Environment): Promise<TimerPorts> => {
  const deadLetterArn = environment['SCHEDULE_DEAD_LETTER_ARN'];
  return {
    ...(await createFrontPorts(environment, PATIENT)),
    scheduler: createEventBridgeScheduler(new SchedulerClient(PATIENT), {
      group: required(environment, 'SCHEDULE_GROUP'),
      targetArn: required(environment, 'TIMEOUT_FUNCTION_ARN'),
      roleArn: required(environment, 'SCHEDULE_ROLE_ARN'),
      ...(deadLetterArn && { deadLetterArn }),
    }),
  };
};
