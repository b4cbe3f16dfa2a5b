import { afterAll, describe, expect, it } from 'vitest';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { renderWrite } from '#adapters/aws/render.ts';
import { createMemoryStore } from '#adapters/memory/store.ts';
import type { Decision } from '#domain/ask.ts';
import { exists } from '#domain/expression.ts';
import type { AskId, Binding, PersonId, SessionId } from '#domain/ids.ts';
import { claim, putIfAbsent } from '#domain/moves.ts';
import { KEPT_BYTES } from '#ports/store.ts';
import { type DynamoEmulator, startDynalite, startDynoxide } from '../support/emulators.ts';
import { describeStore } from './store.suite.ts';

const dynalite = await startDynalite();
const dynoxide = await startDynoxide();
afterAll(async () => {
  await dynalite.stop();
  await dynoxide?.stop();
});

describeStore('memory', createMemoryStore());
describeStore('dynalite', createDynamoStore(dynalite.client, dynalite.table));
if (dynoxide) describeStore('dynoxide', createDynamoStore(dynoxide.client, dynoxide.table));
else it.skip('dynoxide: its package is not installed');

it('renders the claim of forty tasks within the 4 KB that DynamoDB reads', () => {
  const tasks = Array.from({ length: 40 }, (_, index) => index);
  const decision: Decision = { id: 'e1', kind: 'confirm', at: 1, via: 'click' };
  const claimant = { person: 'feishu:ann' as PersonId, tasks, needs: 'all' } as const;
  const check = { binding: 'b' as Binding, claimant };
  const write = claim('s' as SessionId, 'a' as AskId, decision, check);
  expect(renderWrite(write).ConditionExpression?.length).toBeLessThanOrEqual(4096);
});

const describeDynamo = (name: string, { client, table }: DynamoEmulator, refusal: string[]) => {
  describe(`${name}: what DynamoDB is asked`, () => {
    const store = createDynamoStore(client, table);
    const calls: string[] = [];
    client.middlewareStack.add(
      (next, context) => async (args) => {
        calls.push(String(context.commandName).replace('Command', ''));
        return next(args);
      },
      { step: 'initialize' },
    );
    const callsOf = async (act: () => Promise<unknown>) => {
      calls.length = 0;
      await act();
      return [...calls];
    };
    const key = (sk: string) => ({ pk: 'S#calls', sk });

    it('makes one call for a write, and says in how many a loser learns why', async () => {
      expect(await callsOf(() => store.write(putIfAbsent(key('a'), {})))).toEqual(['PutItem']);
      expect(await callsOf(() => store.write(putIfAbsent(key('a'), {})))).toEqual(refusal);
    });

    it('makes one call for a read, however many keys', async () => {
      expect(await callsOf(() => store.read([]))).toEqual([]);
      expect(await callsOf(() => store.read([key('a'), key('a')]))).toEqual(['GetItem']);
      expect(await callsOf(() => store.read([key('a'), key('b')]))).toEqual(['BatchGetItem']);
    });

    it('makes no call for a short text and one for a long one that compresses', async () => {
      expect(await callsOf(() => store.keep(key('a'), 'short'))).toEqual([]);
      expect(await callsOf(() => store.keep(key('a'), 'long '.repeat(9_000)))).toEqual(['PutItem']);
    });

    it('reads consistently', async () => {
      const inputs: unknown[] = [];
      client.middlewareStack.add(
        (next) => async (args) => {
          inputs.push(args.input);
          return next(args);
        },
        { step: 'initialize', name: 'inputs' },
      );
      await store.read([key('a')]);
      await store.read([key('a'), key('b')]);
      await store.list({ pk: 'S#calls', from: 'a', to: 'b', limit: 1 });
      client.middlewareStack.remove('inputs');
      for (const input of inputs) expect(JSON.stringify(input)).toContain('"ConsistentRead":true');
      expect(inputs).toHaveLength(3);
    });

    it('passes on an error that is not a refusal', async () => {
      const elsewhere = createDynamoStore(client, 'no-such-table');
      const write = { key: key('a'), only: exists('pk'), change: [] };
      await expect(elsewhere.write(write)).rejects.toThrow(/resource/i);
    });

    it('refuses a number that DynamoDB cannot hold', async () => {
      await expect(store.write(putIfAbsent(key('nan'), { n: Number.NaN }))).rejects.toThrow(
        /finite/,
      );
    });

    it('cuts what is far too long on a whole character and says so', async () => {
      const text = `${'x'.repeat(KEPT_BYTES - 2)}😀`;
      const fetched = await store.fetch(await store.keep(key('a'), text));
      expect(fetched.slice(KEPT_BYTES - 4)).toBe(
        `xx\n[truncated: ${KEPT_BYTES - 2} of ${KEPT_BYTES + 2} bytes]`,
      );
    });

    it('says which row of a long text is gone', async () => {
      const gone = { kind: 'rows', pk: 'S#calls', prefix: 'L#gone', count: 1, bytes: 9 } as const;
      await expect(store.fetch(gone)).rejects.toThrow('row 0 of 1 of the text L#gone');
    });
  });
};
describeDynamo('dynalite', dynalite, ['PutItem', 'GetItem']);
if (dynoxide) describeDynamo('dynoxide', dynoxide, ['PutItem']);
