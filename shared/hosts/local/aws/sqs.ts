import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type BuildAppOptions, buildApp } from 'fauxqs';
import { emulated } from './emulated.ts';

export interface LocalSqs {
  readonly endpoint: string;
  /** Creates it, or gives the one that is there these attributes. */
  openFifoQueue(name: string, attributes?: QueueAttributes): Promise<LocalQueue>;
  stop(): Promise<void>;
}

export interface LocalQueue {
  readonly url: string;
  readonly arn: string;
}

export interface QueueAttributes {
  readonly visibilitySeconds?: number;
  readonly maxReceiveCount?: number;
  readonly deadLetters?: LocalQueue;
}

type Stores = NonNullable<BuildAppOptions['stores']>;
type Queue = ReturnType<Stores['sqsStore']['createQueue']>;
interface Persistence {
  readonly db: { exec(sql: string): void; prepare(sql: string): { run(value: string): void } };
  updateMessageReady(messageId: string): void;
  transaction(work: () => void): void;
  loadSqsAndSns(sqs: Stores['sqsStore'], sns: Stores['snsStore']): void;
  close(): void;
}

/** What the package does not export: its own start function listens on every interface, whatever host it is given. */
const inside = (path: string) => import(new URL(path, import.meta.resolve('fauxqs')).href);
const { INVALID_MESSAGE_BODY_CHAR } = (await inside('./sqs/sqsTypes.js')) as {
  INVALID_MESSAGE_BODY_CHAR: RegExp;
};
const { SqsQueue, SqsStore } = (await inside('./sqs/sqsStore.js')) as {
  SqsQueue: { readonly prototype: Queue };
  SqsStore: new () => Stores['sqsStore'];
};
const { SnsStore } = (await inside('./sns/snsStore.js')) as {
  SnsStore: new () => Stores['snsStore'];
};
const { S3Store } = (await inside('./s3/s3Store.js')) as { S3Store: new () => Stores['s3Store'] };
const { PersistenceManager } = (await inside('./persistence.js')) as {
  PersistenceManager: new (directory: string) => Persistence;
};

/** fauxqs takes no emoji. SQS takes these. */
const INVALID = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
INVALID_MESSAGE_BODY_CHAR.test = (body) => INVALID.test(body);

/** fauxqs counts from 1 in every queue. Real numbers have 20 digits and never go back: not with a new queue, not with the clock. */
SqsQueue.prototype.nextSequenceNumber = function (this: Queue) {
  this.sequenceCounter = Math.max(this.sequenceCounter + 1, Date.now() * 1000);
  this.persistence?.updateQueueSequenceCounter(this.name, this.sequenceCounter);
  return String(10n ** 19n + 256n * BigInt(this.sequenceCounter));
};

const { dequeue } = SqsQueue.prototype;
/** As one transaction: a dead letter is deleted in one queue and inserted in the other, and a kill may fall between. */
SqsQueue.prototype.dequeue = function (this: Queue, ...given: Parameters<Queue['dequeue']>) {
  const persistence = this.persistence as unknown as Persistence | undefined;
  if (!persistence) return dequeue.apply(this, given);
  let received: ReturnType<Queue['dequeue']> = [];
  persistence.transaction(() => {
    received = dequeue.apply(this, given);
  });
  return received;
};

const MAKE_VISIBLE = 'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL';

/** Kept in `directory`, else in memory. */
export const startLocalSqs = async (directory?: string): Promise<LocalSqs> => {
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = directory === undefined ? undefined : load(stores, directory);
  const app = buildApp({ logger: false, stores });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = new SQSClient(emulated(endpoint));

  const openFifoQueue = async (name: string, wanted: QueueAttributes = {}): Promise<LocalQueue> => {
    const QueueName = `${name}.fifo`;
    await client.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: 'true' } }));
    // The address in the answer names a host that need not resolve, and the port of the first start.
    const QueueUrl = `${endpoint}/000000000000/${QueueName}`;
    await client.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: attributesOf(wanted) }),
    );
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    return { url: QueueUrl, arn: String(Attributes?.['QueueArn']) };
  };

  return {
    endpoint,
    openFifoQueue,
    stop: async () => {
      client.destroy();
      await app.close();
      persistence?.close();
    },
  };
};

const attributesOf = ({
  visibilitySeconds = 30,
  maxReceiveCount = 5,
  deadLetters,
}: QueueAttributes): Record<string, string> => ({
  VisibilityTimeout: String(visibilitySeconds),
  ...(deadLetters && {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount }),
  }),
});

const load = ({ sqsStore, snsStore }: Stores, directory: string): Persistence => {
  const persistence = new PersistenceManager(directory);
  // Safe against a killed process, which is what is promised; against a power cut it would take a flush per write.
  persistence.db.exec('PRAGMA synchronous = NORMAL');
  // Whoever had received a message is gone with the last process.
  persistence.db.exec(MAKE_VISIBLE);
  persistence.loadSqsAndSns(sqsStore, snsStore);
  // Its own writes a null where its table takes none, so ChangeMessageVisibility to 0 would fail.
  persistence.updateMessageReady = (messageId) =>
    persistence.db.prepare(`${MAKE_VISIBLE} WHERE message_id = ?`).run(messageId);
  const writer = persistence as unknown as NonNullable<Queue['persistence']>;
  sqsStore.persistence = writer;
  for (const queue of sqsStore.allQueues()) queue.persistence = writer;
  return persistence;
};
