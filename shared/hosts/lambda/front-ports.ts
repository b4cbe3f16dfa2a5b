import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { createSqsQueue } from '#adapters/aws/sqs.ts';
import { createRetainingStore } from '#adapters/retaining-store.ts';
import type { FrontPorts } from '#ports/engine.ts';
import { createSystemClock } from '../clock.ts';
import { createJsonLog } from '../json-log.ts';
import { loadSettings } from '../load-settings.ts';
import { type Environment, required } from './environment.ts';
import type { Patience } from './patience.ts';

/** What every function has. No model, no tools, no scheduler: the webhook has to start fast. */
export const createFrontPorts = async (
  environment: Environment,
  patience: Patience,
): Promise<FrontPorts> => {
  const settings = await loadSettings(environment['COUNTERSIGN_CONFIG']);
  const clock = createSystemClock();
  const table = createDynamoStore(
    new DynamoDBClient(patience),
    required(environment, 'TABLE_NAME'),
  );
  return {
    store: createRetainingStore(table, settings.retention, clock),
    queue: createSqsQueue(new SQSClient(patience), required(environment, 'QUEUE_URL')),
    clock,
    log: createJsonLog(),
    settings,
  };
};
