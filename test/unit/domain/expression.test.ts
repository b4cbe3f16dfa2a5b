import { describe, expect, it } from 'vitest';
import type { Json } from '#domain/canonical-json.ts';
import {
  above,
  all,
  any,
  append,
  applied,
  atMost,
  below,
  type Condition,
  contains,
  evaluate,
  exists,
  holds,
  type Item,
  is,
  isNot,
  missing,
  not,
  remove,
  same,
  set,
  setIfMissing,
} from '#domain/expression.ts';

const item: Item = {
  n: 5,
  s: 'b',
  nothing: null,
  list: ['x', 'y'],
  map: { inner: { deep: 1 }, twin: 5, tasks: [{ may: ['alice'] }] },
};

describe('a condition', () => {
  it.each<[string, Condition, boolean]>([
    ['equal', is('n', 5), true],
    ['equal, of another type', is('n', '5'), false],
    ['equal, missing', is('gone', 5), false],
    ['equal, whole maps in any order', is('map.inner', { deep: 1 }), true],
    ['unequal', isNot('n', 5), false],
    ['unequal, of another type', isNot('n', '5'), true],
    ['unequal, missing: the one comparison that is true then', isNot('gone', 5), true],
    ['below', below('n', 6), true],
    ['below, equal', below('n', 5), false],
    ['below, missing', below('gone', 6), false],
    ['below, of another type', below('n', '6'), false],
    ['at most, equal', atMost('n', 5), true],
    ['at most, missing', atMost('gone', 5), false],
    ['above', above('n', 4), true],
    ['above, equal', above('n', 5), false],
    ['above, missing', above('gone', 4), false],
    ['text compares as text', below('s', 'c'), true],
    ['digits compare as text too', all(below('s', 'ba'), not(below('s', 'a'))), true],
    ['maps do not compare', below('map', 'z'), false],
    ['exists', exists('map.inner.deep'), true],
    ['exists, null', exists('nothing'), true],
    ['missing', missing('map.inner.gone'), true],
    ['missing under a missing parent', missing('gone.inner.deep'), true],
    ['missing, null', missing('nothing'), false],
    ['a position of a list', is('list.1', 'y'), true],
    ['a position behind the end', missing('list.2'), true],
    ['a name in a list', missing('list.length'), true],
    ['a position in a map', missing('map.0'), true],
    ['names every object has are missing all the same', missing('map.constructor'), true],
    ['same', same('n', 'map.twin'), true],
    ['same, different', same('n', 's'), false],
    ['same, both missing', same('gone', 'lost'), false],
    ['same, one missing', any(same('n', 'gone'), same('gone', 'n')), false],
    ['contains', contains('list', 'y'), true],
    ['contains, deep in a list', contains('map.tasks.0.may', 'alice'), true],
    ['contains, not there', contains('list', 'z'), false],
    ['contains, missing', contains('gone', 'y'), false],
    ['not', not(contains('gone', 'y')), true],
    ['all', all(is('n', 5), is('s', 'a')), false],
    ['any', any(is('n', 6), is('s', 'b')), true],
  ])('%s', (_, condition, expected) => {
    expect(holds(condition, item)).toBe(expected);
  });

  it('meets a missing item as one without attributes', () => {
    expect(holds(missing('pk'), undefined)).toBe(true);
    expect(holds(isNot('phase', 'IDLE'), undefined)).toBe(true);
    expect(holds(is('phase', 'IDLE'), undefined)).toBe(false);
  });
});

describe('a change', () => {
  it.each<[string, Parameters<typeof applied>[0], Json]>([
    ['sets', [set('n', 6)], { ...item, n: 6 }],
    [
      'sets below',
      [set('map.inner.deep', 2)],
      { ...item, map: { ...(item['map'] as Item), inner: { deep: 2 } } },
    ],
    ['sets in a list', [set('list.0', 'z')], { ...item, list: ['z', 'y'] }],
    ['sets only what is missing', [setIfMissing('n', 6), setIfMissing('m', 6)], { ...item, m: 6 }],
    ['appends', [append('list', 'z')], { ...item, list: ['x', 'y', 'z'] }],
    ['appends to a list that is not there yet', [append('more', 'z')], { ...item, more: ['z'] }],
    ['removes the head of a list', [remove('list.0')], { ...item, list: ['y'] }],
    ['removes nothing that is not there', [remove('list.7'), remove('gone')], item],
  ])('%s', (_, change, expected) => {
    expect(applied(change, item)).toEqual(expected);
  });

  it('makes an item that was not there', () => {
    expect(applied([set('phase', 'IDLE'), append('aside', 'm')], undefined)).toEqual({
      phase: 'IDLE',
      aside: ['m'],
    });
  });

  it.each([
    set('gone.deep', 1),
    setIfMissing('gone.deep', 1),
    append('map.gone.deep', 1),
    remove('gone.deep'),
    set('n.deep', 1),
  ])('under a missing parent throws, as DynamoDB does: %j', (change) => {
    expect(() => applied([change], item)).toThrow(`missing parent (${change.path.join('.')})`);
  });

  it('leaves the item it started from alone', () => {
    const before = structuredClone(item);
    applied([set('map.inner.deep', 2), append('list', 'z'), remove('list.0'), set('n', 0)], item);
    expect(item).toEqual(before);
  });
});

describe('a conditional write', () => {
  const key = { pk: 'S#1', sk: '#' };

  it('gives the new item', () => {
    expect(evaluate({ key, only: is('n', 5), change: [set('n', 6)] }, item)).toEqual({
      kind: 'written',
      item: { ...item, n: 6 },
    });
  });

  it('that is refused changes nothing and says what stands there', () => {
    expect(evaluate({ key, only: is('n', 6), change: [set('n', 7)] }, item)).toEqual({
      kind: 'refused',
      item,
    });
    expect(evaluate({ key, only: exists('n'), change: [] }, undefined)).toEqual({
      kind: 'refused',
      item: undefined,
    });
  });

  it('without a condition always happens', () => {
    expect(evaluate({ key, change: [set('n', 1)] }, undefined)).toEqual({
      kind: 'written',
      item: { n: 1 },
    });
  });
});
