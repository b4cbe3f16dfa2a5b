import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface Queues {
  readonly jobs: Queue;
  readonly deadLetters: Queue;
  /** Timers that neither Scheduler nor Lambda could deliver. Only a standard queue may stand there. */
  readonly undelivered: Queue;
}

export interface Seconds {
  readonly agent: number;
  readonly deadletter: number;
  readonly timeout: number;
}

const LONGEST = Duration.days(14);
const MAX_RECEIVES = 5;
/** A job comes back only when its function is surely over. */
const SPARE_SECONDS = 60;

const GUARDED: QueueProps = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  removalPolicy: RemovalPolicy.DESTROY,
};
/** High throughput: the limits count per group, which is a session, and not for the whole queue. */
const FIFO: QueueProps = {
  ...GUARDED,
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
};

const visibleAfter = (seconds: number) => Duration.seconds(seconds + SPARE_SECONDS);

export const createQueues = (scope: Construct, seconds: Seconds): Queues => {
  const deadLetters = new Queue(scope, 'DeadLetters', {
    ...FIFO,
    visibilityTimeout: visibleAfter(seconds.deadletter),
    retentionPeriod: LONGEST,
  });
  const jobs = new Queue(scope, 'Jobs', {
    ...FIFO,
    visibilityTimeout: visibleAfter(seconds.agent),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
  });
  const undelivered = new Queue(scope, 'UndeliveredTimers', {
    ...GUARDED,
    // AWS advises six times the function's own limit, so that a throttled poller does not use up receives.
    visibilityTimeout: Duration.seconds(seconds.timeout * 6),
    retentionPeriod: LONGEST,
  });
  Validations.of(undelivered).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason:
      'It is itself the last resort: its consumer tries for 14 days, and an alarm tells of a message that stays.',
  });
  return { jobs, deadLetters, undelivered };
};

/**
 * Messages that nobody has dealt with, minute by minute. One that is tried in vain is hidden between tries and seldom
 * visible: only both numbers together stay above zero. SQS writes them once a minute, and within a longer period each
 * would have a minimum of zero.
 */
export const leftIn = (queues: Queues, name: keyof Queues): MathExpression => {
  const eachMinute = { period: Duration.minutes(1), statistic: 'Maximum' };
  return new MathExpression({
    label: name,
    period: eachMinute.period,
    // By the queue's name: ids are those of a whole graph.
    expression: `${name}Visible + ${name}Hidden`,
    usingMetrics: {
      [`${name}Visible`]: queues[name].metricApproximateNumberOfMessagesVisible(eachMinute),
      [`${name}Hidden`]: queues[name].metricApproximateNumberOfMessagesNotVisible(eachMinute),
    },
  });
};
