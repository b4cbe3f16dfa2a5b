import { type StateFolder, unreadable } from '../state-folder.ts';
import { createTableIfAbsent, startLocalDynamo } from './dynamodb.ts';
import { startLocalScheduler } from './scheduler.ts';
import { type LocalQueue, startLocalSqs } from './sqs.ts';

/** What the stack makes on AWS, for the functions on this machine. */
export interface LocalCloud {
  readonly endpoints: Readonly<Record<'dynamodb' | 'sqs' | 'scheduler', string>>;
  readonly table: string;
  readonly queue: LocalQueue;
  readonly deadLetters: LocalQueue;
}

export interface LocalCloudOptions {
  readonly state: Pick<StateFolder, 'dynamodb' | 'sqs' | 'schedules'>;
  readonly visibilitySeconds: number;
  /** Calls a schedule's target. */
  readonly invoke: (targetArn: string, input: string) => Promise<void>;
  /** Takes what has to be stopped, in the order it was started. */
  readonly onStop: (stop: () => unknown) => void;
}

const TABLE = 'countersign';

export const startLocalCloud = async (options: LocalCloudOptions): Promise<LocalCloud> => {
  const { state, visibilitySeconds, invoke, onStop } = options;
  const start = async <T extends { stop(): Promise<unknown> }>(
    path: string,
    starting: Promise<T>,
  ): Promise<T> => {
    const started = await starting.catch((error: unknown) => {
      throw unreadable(path, error);
    });
    onStop(started.stop);
    return started;
  };
  const dynamo = await start(state.dynamodb, startLocalDynamo(state.dynamodb));
  const sqs = await start(state.sqs, startLocalSqs(state.sqs));
  const scheduler = await start(
    state.schedules,
    startLocalScheduler({ invoke, file: state.schedules }),
  );
  await createTableIfAbsent(dynamo.endpoint, TABLE);
  const deadLetters = await sqs.openFifoQueue('dead-letters', { visibilitySeconds });
  const queue = await sqs.openFifoQueue('jobs', { visibilitySeconds, deadLetters });
  return {
    endpoints: {
      dynamodb: dynamo.endpoint,
      sqs: sqs.endpoint,
      scheduler: scheduler.endpoint,
    },
    table: TABLE,
    queue,
    deadLetters,
  };
};
