import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type CreateTableCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Kept } from '#domain/ask.ts';
import type { Item, Key, Written } from '#domain/expression.ts';
import { keepUntil, ttlAt } from '#domain/retention.ts';
import { INLINE_BYTES, KEPT_BYTES, type Span, type Store } from '#ports/store.ts';
import { fromAttributes, toAttributes } from './attribute-value.ts';
import { cutText, packText, unpackText } from './long-text.ts';
import { itemToPut, renderWrite } from './render.ts';

type Row = Record<string, AttributeValue>;
type LongText = Extract<Kept, { kind: 'rows' }>;

/** What one BatchGetItem takes. */
const BATCH = 100;
const BATCH_TRIES = 8;

/** Rows by `shard`: only those that have one are in it, and of these only the keys. */
const SHARD_INDEX = 'shards';

export const createTableInput = (table: string): CreateTableCommandInput => ({
  TableName: table,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'shard', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: SHARD_INDEX,
      KeySchema: [{ AttributeName: 'shard', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
});

const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;
const nameOfRow = (row: Row) => nameOf({ pk: String(row['pk']?.S), sk: String(row['sk']?.S) });
const itemOf = (row: Row | undefined): Item | undefined => row && fromAttributes(row);
const rowsOf = ({ pk, prefix, count }: Pick<LongText, 'pk' | 'prefix' | 'count'>): Key[] =>
  Array.from({ length: count }, (_, index) => ({ pk, sk: `${prefix}#${index}` }));

export const createDynamoStore = (client: DynamoDBClient, table: string): Store => {
  const getRow = async (key: Key): Promise<Row | undefined> => {
    const { Item } = await client.send(
      new GetItemCommand({
        TableName: table,
        Key: toAttributes({ ...key }),
        ConsistentRead: true,
      }),
    );
    return Item;
  };

  const getBatch = async (keys: readonly Key[]): Promise<Row[]> => {
    const rows: Row[] = [];
    let wanted: Row[] = keys.map((key) => toAttributes({ ...key }));
    for (let tried = 1; ; tried += 1) {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetItemCommand({
          RequestItems: { [table]: { Keys: wanted, ConsistentRead: true } },
        }),
      );
      rows.push(...(Responses?.[table] ?? []));
      const left = UnprocessedKeys?.[table]?.Keys ?? [];
      if (left.length === 0) return rows;
      // Throttled, unless the answer was merely full: then each try brings 16 MB.
      if (tried === BATCH_TRIES)
        throw new Error(
          `DynamoDB left ${left.length} keys of ${table} unread in ${tried} tries: it is throttled; try again later`,
        );
      wanted = left;
      await sleep(10 * 2 ** tried);
    }
  };

  const getRows = async (keys: readonly Key[]): Promise<readonly (Row | undefined)[]> => {
    // DynamoDB refuses a batch that names a key twice.
    const distinct = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
    const [only] = distinct;
    if (only && distinct.length === 1) {
      const row = await getRow(only);
      return keys.map(() => row);
    }
    const found = new Map<string, Row>();
    for (let start = 0; start < distinct.length; start += BATCH)
      for (const row of await getBatch(distinct.slice(start, start + BATCH)))
        found.set(nameOfRow(row), row);
    return keys.map((key) => found.get(nameOf(key)));
  };

  const refused = async (key: Key, error: unknown): Promise<Written> => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Not every engine sends what stands there along with the refusal.
    return { kind: 'refused', item: itemOf(error.Item ?? (await getRow(key))) };
  };

  const queryPage = ({ pk, from, to, backward }: Span, limit: number, after?: Row) =>
    client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: toAttributes({ ':pk': pk, ':from': from, ':to': to }),
        ScanIndexForward: !backward,
        Limit: limit,
        ExclusiveStartKey: after,
      }),
    );

  const keepRows = async ({ pk, sk }: Key, text: string, until?: number): Promise<Kept> => {
    const { rows, digest } = await packText(text);
    const prefix = `L#${sk}#${digest}`;
    const kept = { kind: 'rows', pk, prefix, count: rows.length } as const;
    const end = until === undefined ? {} : toAttributes({ ttl: ttlAt(until) });
    await Promise.all(
      rowsOf(kept).map((key, index) => {
        const data = { B: rows[index] ?? new Uint8Array() };
        return client.send(
          new PutItemCommand({
            TableName: table,
            Item: { ...toAttributes({ ...key }), data, ...end },
          }),
        );
      }),
    );
    return { ...kept, bytes: Buffer.byteLength(text) };
  };

  /** One that is gone cannot be kept. */
  const prolongRow = async (key: Key, until: number): Promise<void> => {
    const update = { TableName: table, ...renderWrite(keepUntil(key, until)) };
    await client.send(new UpdateItemCommand(update)).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  };

  const putRow = async (row: Row): Promise<Written> => {
    await client.send(
      new PutItemCommand({
        TableName: table,
        Item: row,
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { kind: 'written', item: fromAttributes(row) };
  };

  return {
    read: async (keys) => (await getRows(keys)).map(itemOf),

    write: async (write) => {
      const item = itemToPut(write);
      try {
        if (item) return await putRow(toAttributes(item));
        const { Attributes } = await client.send(
          new UpdateItemCommand({
            TableName: table,
            ...renderWrite(write),
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { kind: 'written', item: fromAttributes(Attributes ?? {}) };
      } catch (error) {
        return refused(write.key, error);
      }
    },

    list: async (span) => {
      // DynamoDB calls bounds the wrong way round an error; here they hold nothing.
      if (Buffer.compare(Buffer.from(span.from), Buffer.from(span.to)) > 0) return [];
      const rows: Row[] = [];
      let after: Row | undefined;
      while (rows.length < span.limit) {
        const page = await queryPage(span, span.limit - rows.length, after);
        rows.push(...(page.Items ?? []));
        after = page.LastEvaluatedKey;
        if (!after) break;
      }
      return rows.map(fromAttributes);
    },

    find: async (shard) => {
      const rows: Row[] = [];
      let after: Row | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: table,
            IndexName: SHARD_INDEX,
            KeyConditionExpression: '#shard = :shard',
            ExpressionAttributeNames: { '#shard': 'shard' },
            ExpressionAttributeValues: toAttributes({ ':shard': shard }),
            ExclusiveStartKey: after,
          }),
        );
        rows.push(...(page.Items ?? []));
        after = page.LastEvaluatedKey;
      } while (after);
      return rows.map(({ pk, sk }) => ({ pk: String(pk?.S), sk: String(sk?.S) }));
    },

    keep: async (under, text, until) =>
      Buffer.byteLength(text) <= INLINE_BYTES
        ? { kind: 'inline', text }
        : keepRows(under, cutText(text, KEPT_BYTES), until),

    fetch: async (kept) => {
      if (kept.kind === 'inline') return kept.text;
      const { pk, prefix, count } = kept;
      const rows = await getRows(rowsOf(kept));
      return unpackText(
        rows.map((row, index) => {
          if (row?.['data']?.B) return row['data'].B;
          throw new Error(
            `row ${index} of ${count} of the text ${prefix} in ${pk} is gone; restore it from a backup of the table`,
          );
        }),
      );
    },

    prolong: async (kept, until) => {
      if (kept.kind === 'inline') return;
      await Promise.all(rowsOf(kept).map((key) => prolongRow(key, until)));
    },
  };
};
