import { DeleteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { fromAttributes, toAttributes } from '#adapters/aws/attribute-value.ts';
import { notesKey } from '#adapters/notes.ts';
import type { Key } from '#domain/expression.ts';
import type { SessionId } from '#domain/ids.ts';
import { keys } from '#domain/keys.ts';
import { forgetMessage, forgetSession } from '#domain/operator-moves.ts';
import { readSession, type Session } from '#domain/session.ts';
import type { Target } from './target.ts';
import type { Verb } from './verb.ts';

const AT_ONCE = 20;

/**
 * Rows first, then the one write that says whether they may go, then the rows: who is interrupted does it again. A
 * turn under way is not cut off: its ledger is what keeps a call from running twice.
 */
export const forget: Verb = async ({ words, target }) => {
  const [given, more] = words;
  if (given === undefined || more !== undefined) throw new Error('usage: ops forget <session>');
  const id = given as SessionId;
  const at = await target();
  const [item] = await at.store.read([keys.session(id)]);
  const session = readSession(id, item);
  const rows = await rowsIn(at, keys.partition(id));
  if (rows.length === 0) throw new Error(`there is no session ${id}`);
  const forgotten = await at.store.write(forgetSession(session));
  if (forgotten.kind === 'refused')
    throw new Error(
      `${id} is ${readSession(id, forgotten.item).phase}, or was until now: wait, or end it with /cancel in the chat, and try again`,
    );
  const remembered = await rowsIn(at, memoryOf(id));
  const gone = [...rows.filter(isGone), ...remembered, notesKey(id)];
  const bare = rows.filter((row) => isSettled(row, session));
  await eachOf(gone, (key) => deleteRow(at, key));
  await eachOf(bare, (row) => at.store.write(forgetMessage(keyOf(row))));
  return {
    none: '',
    rows: [{ session: id, deleted: gone.length, kept_as_bare_ids: bare.length }],
  };
};

interface Found extends Key {
  readonly sequence?: string;
  readonly dead?: boolean;
  /** The ask that this text settled; it was never a message of its own. */
  readonly decided?: string;
}

const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk });

/** Everything but the session itself and its inbox. */
const isGone = ({ sk }: Found): boolean => sk !== '#' && !sk.startsWith('I#');

/** Whose message was accepted, has failed or was an answer; of any other the turn is about to start. */
const isSettled = ({ sk, sequence, dead, decided }: Found, { accepted }: Session): boolean =>
  sk.startsWith('I#') &&
  (decided !== undefined ||
    (sequence !== undefined && (dead === true || sequence <= (accepted?.sequence ?? ''))));

/** Approvals are remembered by chat, and a session's name begins with its chat's. */
const memoryOf = (id: SessionId): string => `P#${id.split(':').slice(0, 3).join(':')}`;

/** Long texts have rows of their own, so no more is read than what tells rows apart. */
const rowsIn = async ({ dynamo, table }: Target, pk: string): Promise<readonly Found[]> => {
  const rows: Found[] = [];
  let after: QueryCommand['input']['ExclusiveStartKey'];
  do {
    const page = await dynamo.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ProjectionExpression: 'pk, sk, #sequence, dead, decided',
        ExpressionAttributeNames: { '#sequence': 'sequence' },
        ExpressionAttributeValues: toAttributes({ ':pk': pk }),
        ExclusiveStartKey: after,
      }),
    );
    rows.push(...(page.Items ?? []).map((row) => fromAttributes(row) as unknown as Found));
    after = page.LastEvaluatedKey;
  } while (after);
  return rows;
};

const deleteRow = ({ dynamo, table }: Target, key: Key) =>
  dynamo.send(new DeleteItemCommand({ TableName: table, Key: toAttributes({ ...keyOf(key) }) }));

const eachOf = async <T>(list: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> => {
  for (let start = 0; start < list.length; start += AT_ONCE)
    await Promise.all(list.slice(start, start + AT_ONCE).map(act));
};
