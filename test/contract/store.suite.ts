import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Kept } from '#domain/ask.ts';
import type { Json } from '#domain/canonical-json.ts';
import {
  above,
  all,
  any,
  append,
  atMost,
  below,
  type Change,
  type Condition,
  contains,
  exists,
  is,
  isNot,
  type Key,
  missing,
  not,
  remove,
  same,
  set,
  setIfMissing,
} from '#domain/expression.ts';
import { putIfAbsent } from '#domain/moves.ts';
import { INLINE_BYTES, type Store } from '#ports/store.ts';

let partitions = 0;
/** A partition of its own per test: the tests share one table. */
const newPartition = () => {
  partitions += 1;
  return `S#suite-${partitions}`;
};
const newKey = (): Key => ({ pk: newPartition(), sk: '#' });

const ITEM = {
  phase: 'EXECUTING',
  count: 7,
  empty: '',
  nothing: null,
  yes: true,
  sequence: '0042',
  turn: { id: 't1', job: 'j1' },
  ask: { turn: 't1', tasks: [{ may: ['a', 'b'], not: [] }] },
  aside: ['m1', 'm2'],
} satisfies Record<string, Json>;

const HOLDS: readonly (readonly [string, Condition])[] = [
  ['exists', exists('phase')],
  ['exists, nested in a list', exists('ask.tasks.0.may')],
  ['missing', missing('other')],
  ['missing, nested', missing('ask.tasks.1.may')],
  ['missing under a missing parent', missing('other.shown.0')],
  ['= of a text', is('phase', 'EXECUTING')],
  ['= of an empty text', is('empty', '')],
  ['= of a number', is('count', 7)],
  ['= of a boolean', is('yes', true)],
  ['= of null', is('nothing', null)],
  ['= of a list element', is('aside.0', 'm1')],
  ['<>', isNot('phase', 'IDLE')],
  ['<> of a missing attribute', isNot('other', 'IDLE')],
  ['<> of another type', isNot('count', '7')],
  ['< of numbers', below('count', 8)],
  ['< of texts', below('sequence', '0043')],
  ['<= of the same', atMost('count', 7)],
  ['>', above('count', 6)],
  ['same', same('ask.turn', 'turn.id')],
  ['contains', contains('ask.tasks.0.may', 'b')],
  ['all', all(is('count', 7), exists('phase'))],
  ['all of one', all(is('count', 7))],
  ['all of none', all(all(), is('count', 7))],
  ['any', any(is('count', 8), exists('phase'))],
  ['any of one inside all of one', all(any(is('count', 7)))],
  ['not', not(is('count', 8))],
  ['not of several', not(all(is('count', 7), missing('phase')))],
];

const FAILS: readonly (readonly [string, Condition])[] = [
  ['exists of a missing attribute', exists('other')],
  ['missing of one that exists', missing('phase')],
  ['= of another value', is('phase', 'IDLE')],
  ['= of another type', is('count', '7')],
  ['= of a missing attribute', is('other', 'x')],
  ['= of null and a missing attribute', is('other', null)],
  ['= under a missing parent', is('other.id', 'x')],
  ['<> of the same', isNot('count', 7)],
  ['< of the same', below('count', 7)],
  ['< of a missing attribute', below('other', 8)],
  ['< across types', below('count', '9')],
  ['<= of less', atMost('count', 6)],
  ['> of the same', above('count', 7)],
  ['> of a missing attribute', above('other', 0)],
  ['same of different values', same('ask.turn', 'turn.job')],
  ['same of two missing attributes', same('other', 'another')],
  ['same of one missing attribute', same('turn.id', 'another')],
  ['contains of a stranger', contains('ask.tasks.0.may', 'c')],
  ['contains in an empty list', contains('ask.tasks.0.not', 'a')],
  ['contains in a missing list', contains('ask.tasks.1.may', 'a')],
  ['all with one that fails', all(exists('phase'), is('count', 8))],
  ['any with none that holds', any(missing('phase'), is('count', 8))],
  ['any of none', any()],
  ['not of one that holds', not(contains('ask.tasks.0.may', 'a'))],
];

const CHANGES: readonly (readonly [string, readonly Change[], object])[] = [
  ['sets a new attribute', [set('other', { deep: [1, null] })], { other: { deep: [1, null] } }],
  [
    'sets a nested attribute',
    [set('turn.job', 'j2'), set('turn.part', 1)],
    { turn: { id: 't1', job: 'j2', part: 1 } },
  ],
  [
    'sets inside a list',
    [set('ask.tasks.0.may', ['c'])],
    { ask: { turn: 't1', tasks: [{ may: ['c'], not: [] }] } },
  ],
  ['sets if missing', [setIfMissing('turn.job', 'j2'), setIfMissing('late', 1)], { late: 1 }],
  ['appends', [append('aside', 'm3')], { aside: ['m1', 'm2', 'm3'] }],
  ['appends to a missing list', [append('fresh', 'm1')], { fresh: ['m1'] }],
  ['removes a list element', [remove('aside.0')], { aside: ['m2'] }],
  ['removes and sets in one write', [remove('turn'), set('phase', 'IDLE')], { phase: 'IDLE' }],
  [
    'leaves out what is undefined',
    [set('turn', { id: 't2', job: undefined } as never)],
    { turn: { id: 't2' } },
  ],
];

export const describeStore = (name: string, store: Store): void => {
  const put = async (key: Key, item: Record<string, Json> = ITEM) => {
    expect((await store.write(putIfAbsent(key, item))).kind).toBe('written');
  };
  const readOne = async (key: Key) => (await store.read([key]))[0];

  describe(`${name}: write`, () => {
    it('puts an item that is absent and answers with it, keys included', async () => {
      const key = newKey();
      const written = await store.write(putIfAbsent(key, ITEM));
      expect(written).toEqual({ kind: 'written', item: { ...key, ...ITEM } });
      expect(await readOne(key)).toEqual({ ...key, ...ITEM });
    });

    it('refuses to put over an item and says what stands there', async () => {
      const key = newKey();
      await put(key);
      const second = await store.write(putIfAbsent(key, { phase: 'IDLE' }));
      expect(second).toEqual({ kind: 'refused', item: { ...key, ...ITEM } });
      expect(await readOne(key)).toEqual({ ...key, ...ITEM });
    });

    it('puts an item that has nothing but its key', async () => {
      const key = newKey();
      expect(await store.write(putIfAbsent(key, {}))).toEqual({ kind: 'written', item: key });
      expect(await store.write(putIfAbsent(key, {}))).toEqual({ kind: 'refused', item: key });
    });

    it('says that nothing stands there when a condition fails on a missing item', async () => {
      const key = newKey();
      const refused = await store.write({ key, only: exists('phase'), change: [set('n', 1)] });
      expect(refused).toEqual({ kind: 'refused', item: undefined });
      expect(await readOne(key)).toBeUndefined();
    });

    it('takes a missing item for one that is not idle, unless it must exist', async () => {
      const change = [set('n', 1)];
      const loose = { key: newKey(), only: isNot('phase', 'IDLE'), change };
      const strict = { key: newKey(), only: all(exists('phase'), isNot('phase', 'IDLE')), change };
      expect((await store.write(loose)).kind).toBe('written');
      expect((await store.write(strict)).kind).toBe('refused');
    });

    it.each(HOLDS)('lets a write through when this holds: %s', async (_, only) => {
      const key = newKey();
      await put(key);
      const written = await store.write({ key, only, change: [set('mark', 1)] });
      expect(written).toEqual({ kind: 'written', item: { ...key, ...ITEM, mark: 1 } });
    });

    it.each(FAILS)('refuses a write when this fails: %s', async (_, only) => {
      const key = newKey();
      await put(key);
      const refused = await store.write({ key, only, change: [set('mark', 1)] });
      expect(refused).toEqual({ kind: 'refused', item: { ...key, ...ITEM } });
      expect(await readOne(key)).toEqual({ ...key, ...ITEM });
    });

    it.each(CHANGES)('%s', async (_, change, expected) => {
      const key = newKey();
      await put(key);
      const removed = change.flatMap((one) => (one.do === 'remove' ? one.path.slice(0, 1) : []));
      const rest = Object.fromEntries(
        Object.entries(ITEM).filter(([member]) => !removed.includes(member)),
      );
      const item = { ...key, ...rest, ...expected };
      expect(await store.write({ key, change })).toEqual({ kind: 'written', item });
      expect(await readOne(key)).toEqual(item);
    });

    it('fails loudly on a change under a missing parent', async () => {
      const key = newKey();
      await put(key);
      await expect(store.write({ key, change: [set('other.id', 1)] })).rejects.toThrow();
      expect(await readOne(key)).toEqual({ ...key, ...ITEM });
    });

    it('lets exactly one of fifty racing claims through, and tells the others who won', async () => {
      const key = newKey();
      await put(key, { ask: { state: 'open' } });
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, by) =>
          store.write({
            key,
            only: is('ask.state', 'open'),
            change: [set('ask.state', 'decided'), set('ask.by', by)],
          }),
        ),
      );
      const winners = claims.flatMap((one, by) => (one.kind === 'written' ? [by] : []));
      expect(winners).toHaveLength(1);
      const item = { ...key, ask: { state: 'decided', by: winners[0] } };
      for (const claim of claims) expect(claim.item).toEqual(item);
    });

    it('keeps Chinese text, emoji and quotation marks as they are', async () => {
      const key = { pk: `${newPartition()}:群聊😀`, sk: 'I#消息"1"' };
      const text = '不确认，先等一下 👩‍👩‍👧 "quoted" \\ \u202e\u0000';
      await put(key, { text });
      expect(await readOne(key)).toEqual({ ...key, text });
    });

    it('keeps whole and fractional numbers exactly', async () => {
      const key = newKey();
      const numbers = [0, -1, 0.1, 1_795_000_000_123, Number.MAX_SAFE_INTEGER, 1e-7, 1.5e21];
      await put(key, { numbers });
      expect(await readOne(key)).toEqual({ ...key, numbers });
    });
  });

  describe(`${name}: read`, () => {
    it('answers in the order asked, with gaps for what is missing and repeats for what is asked twice', async () => {
      const pk = newPartition();
      const [a, b, none] = ['a', 'b', 'none'].map((sk) => ({ pk, sk })) as [Key, Key, Key];
      await put(a, { n: 1 });
      await put(b, { n: 2 });
      expect(await store.read([b, none, a, b])).toEqual([
        { ...b, n: 2 },
        undefined,
        { ...a, n: 1 },
        { ...b, n: 2 },
      ]);
      expect(await store.read([a, a])).toEqual([
        { ...a, n: 1 },
        { ...a, n: 1 },
      ]);
      expect(await store.read([])).toEqual([]);
    });

    it('reads more keys than one batch holds', async () => {
      const pk = newPartition();
      const keys = Array.from({ length: 120 }, (_, n) => ({ pk, sk: `M#${n}` }));
      await Promise.all(keys.map((key) => put(key, { n: key.sk })));
      expect((await store.read(keys)).map((item) => item?.['n'])).toEqual(keys.map(({ sk }) => sk));
    });
  });

  describe(`${name}: list`, () => {
    const fill = async (...sortKeys: readonly string[]) => {
      const pk = newPartition();
      await Promise.all(sortKeys.map((sk) => put({ pk, sk }, { n: sk })));
      return pk;
    };
    const listed = async (span: Parameters<Store['list']>[0]) =>
      (await store.list(span)).map((item) => item['sk']);

    it('gives what lies between the bounds, both included, in order', async () => {
      const pk = await fill('M#3', 'M#1', 'L#9', 'M#2', 'X#1', 'M#4');
      const span = { pk, from: 'M#1', to: 'M#3', limit: 100 };
      expect(await listed(span)).toEqual(['M#1', 'M#2', 'M#3']);
      expect(await store.list({ ...span, to: 'M#1' })).toEqual([{ pk, sk: 'M#1', n: 'M#1' }]);
    });

    it('gives the newest first when asked to, and no more than the limit', async () => {
      const pk = await fill('M#1', 'M#2', 'M#3', 'M#4');
      const span = { pk, from: 'M#', to: 'M~', limit: 2 };
      expect(await listed(span)).toEqual(['M#1', 'M#2']);
      expect(await listed({ ...span, backward: true })).toEqual(['M#4', 'M#3']);
    });

    it('gives nothing for another partition, an empty span or bounds the wrong way round', async () => {
      const pk = await fill('M#1');
      const span = { pk, from: 'M#', to: 'M~', limit: 10 };
      expect(await listed({ ...span, pk: newPartition() })).toEqual([]);
      expect(await listed({ ...span, from: 'N#', to: 'N~' })).toEqual([]);
      expect(await listed({ ...span, from: 'M~', to: 'M#' })).toEqual([]);
    });

    it('goes on where an answer was cut at a megabyte', async () => {
      const pk = newPartition();
      const text = 'x'.repeat(300_000);
      const sortKeys = Array.from({ length: 6 }, (_, n) => `M#${n}`);
      await Promise.all(sortKeys.map((sk) => put({ pk, sk }, { text })));
      const span = { pk, from: 'M#', to: 'M~', limit: 5 };
      expect(await listed(span)).toEqual(sortKeys.slice(0, 5));
      expect(await listed({ ...span, limit: 50, backward: true })).toEqual(sortKeys.toReversed());
    });
  });

  describe(`${name}: find`, () => {
    it('gives the keys of the rows that have this shard, until they lose it', async () => {
      const shard = newPartition();
      const rows = ['#', 'F#a', 'F#b'].map((sk) => ({ pk: newPartition(), sk }));
      for (const key of rows) await put(key, { shard, text: 'not in the index' });
      await put(newKey(), { shard: `${shard}0` });
      await put(newKey(), { text: 'has none' });
      const found = async () =>
        (await store.find(shard)).toSorted((a, b) => a.sk.localeCompare(b.sk));
      expect(await found()).toEqual(rows);
      const [first, ...left] = rows;
      await store.write({ key: first as Key, change: [remove('shard')] });
      expect(await found()).toEqual(left);
      expect(await store.find(newPartition())).toEqual([]);
    });
  });

  describe(`${name}: keep and fetch`, () => {
    it('leaves a short text where it is', async () => {
      const under = newKey();
      const text = '好'.repeat(INLINE_BYTES / 3);
      const kept = await store.keep(under, text);
      expect(kept).toEqual({ kind: 'inline', text });
      expect(await store.fetch(kept)).toBe(text);
      expect(await store.list({ pk: under.pk, from: ' ', to: '~', limit: 1 })).toEqual([]);
    });

    it('counts bytes, not characters', async () => {
      const text = '好'.repeat(Math.ceil(INLINE_BYTES / 3));
      const kept = await store.keep(newKey(), text);
      expect(kept).toMatchObject({ kind: 'rows', bytes: text.length * 3 });
      expect(await store.fetch(kept)).toBe(text);
    });

    it('keeps five megabytes that do not compress, and the same again under the same name', async () => {
      const under = { pk: newPartition(), sk: 'M#1#0001#result-000' };
      const text = randomBytes(3_900_000).toString('base64');
      const kept = await store.keep(under, text);
      expect(kept).toMatchObject({ kind: 'rows', pk: under.pk, bytes: text.length });
      expect(await store.fetch(kept)).toBe(text);
      expect(await store.keep(under, text)).toEqual(kept);
    });

    it('gives two texts under one key names of their own', async () => {
      const under = newKey();
      const [one, two] = ['1', '2'].map((text) => text.repeat(INLINE_BYTES + 1)) as [
        string,
        string,
      ];
      const keptOne = await store.keep(under, one);
      const keptTwo = await store.keep(under, two);
      expect(await store.fetch(keptOne)).toBe(one);
      expect(await store.fetch(keptTwo)).toBe(two);
    });

    it('keeps a text longer without touching it, and says nothing of one that is gone', async () => {
      const text = 'long '.repeat(9_000);
      const kept = await store.keep(newKey(), text, Date.UTC(2030, 0, 1));
      await store.prolong(kept, Date.UTC(2031, 0, 1));
      expect(await store.fetch(kept)).toBe(text);
      await store.prolong({ ...kept, pk: 'S#gone' } as Kept, Date.UTC(2031, 0, 1));
      await store.prolong({ kind: 'inline', text: 'short' }, Date.UTC(2031, 0, 1));
    });
  });
};
