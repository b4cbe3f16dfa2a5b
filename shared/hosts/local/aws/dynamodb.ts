import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createTableInput } from '#adapters/aws/dynamodb.ts';
import { emulated } from './emulated.ts';

export interface LocalDynamo {
  readonly endpoint: string;
  stop(): Promise<void>;
}

interface Database {
  open(): Promise<void>;
  close(): Promise<void>;
}
type LevelPackage = { readonly Level: new (path: string) => Database };

/** On disk under `path`, else in memory. */
export const startLocalDynamo = async (path?: string): Promise<LocalDynamo> => {
  if (path !== undefined) await tryToOpen(path);
  const server = dynalite({ createTableMs: 0, ...(path !== undefined && { path }) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    // Requests under way are answered first: dynalite throws out of its server when one meets a closed database.
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

/** A database that dynalite cannot open would end the process at the first request, with a stack for an answer. */
const tryToOpen = async (path: string): Promise<void> => {
  const itsOwn = createRequire(import.meta.resolve('dynalite'));
  const { Level } = itsOwn('level') as LevelPackage;
  const database = new Level(path);
  await database.open();
  await database.close();
};

export const createTableIfAbsent = async (endpoint: string, table: string): Promise<void> => {
  const client = new DynamoDBClient(emulated(endpoint));
  try {
    await client.send(new CreateTableCommand(createTableInput(table))).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName: table });
  } finally {
    client.destroy();
  }
};
