import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { createState } from '#hosts/local/standins/feishu/state.ts';
import { HOUR, newFile, openFeishu, START } from './given.ts';

const text = (words: string) => ({ text: words });

it('has the same chats after a restart, and remembers the uuids', async () => {
  const stateFile = newFile();
  const { feishu, api, ops } = await openFeishu({ stateFile });
  await api.send(ops, 'text', text('one'), { uuid: 'u' });
  const posts = feishu.posts(ops);
  await feishu.stop();
  const later = await openFeishu({ stateFile });
  expect(later.feishu.posts(ops)).toEqual(posts);
  const repeat = await later.api.send(ops, 'text', text('one'), { uuid: 'u' });
  expect(repeat.data.message_id).toBe(posts[0]?.id);
  expect(later.feishu.posts(ops)).toHaveLength(1);
});

it('loses nothing to a kill but the line that was being written', async () => {
  const stateFile = newFile();
  // Not stopped: the file is what a kill leaves.
  const { api, ops } = await openFeishu({ stateFile });
  await api.send(ops, 'text', text('one'));
  const { length } = readFileSync(stateFile);
  await api.send(ops, 'text', text('two'));
  const torn = `${stateFile}.torn`;
  const bytes = readFileSync(stateFile);
  for (const end of [length + 1, bytes.length - 1]) {
    writeFileSync(torn, bytes.subarray(0, end));
    const { feishu, api: client } = await openFeishu({ stateFile: torn });
    expect(feishu.posts(ops)).toMatchObject([{ content: { text: 'one' } }]);
    await client.send(ops, 'text', text('three'));
    const again = await openFeishu({ stateFile: torn });
    expect(again.feishu.posts(ops)).toMatchObject([
      { content: { text: 'one' } },
      { content: { text: 'three' } },
    ]);
  }
});

it('says which line of a file is not its own', () => {
  const file = newFile();
  mkdirSync(dirname(file));
  writeFileSync(file, '{"table":"messages","key":"a","value":{}}\nnonsense\n');
  expect(() => createState(file, () => START)).toThrow(/feishu\.jsonl, line 2: .*Delete the file/);
  truncateSync(file, 0);
  appendFileSync(file, '{"table":"people","key":"a"}\n');
  expect(() => createState(file, () => START)).toThrow(/line 1/);
});

it('keeps 500 posts of each chat, uuids for an hour, and what is yet to be sent', () => {
  const file = newFile();
  let now = START;
  const first = createState(file, () => now);
  const common = { type: 'text', from: 'bot', content: '', at: 0, edits: 0 } as const;
  for (let number = 0; number < 600; number += 1)
    for (const chat of ['a', 'b'].slice(0, number < 10 ? 2 : 1)) {
      const id = `${chat}${number}`;
      first.messages.put(id, { ...common, id, chat, mentions: [], reactions: [] });
    }
  first.uuids.put('old', { message: 'a1', at: START });
  first.uuids.put('new', { message: 'a2', at: START + 1 });
  const delivery = { type: 'x', message: 'a1', payload: '{}', tries: [] };
  first.deliveries.put('due', { ...delivery, id: 'due', nextAt: START });
  for (let number = 0; number < 300; number += 1)
    first.deliveries.put(`${number}`, { ...delivery, id: `${number}` });
  first.close();

  now += HOUR;
  const second = createState(file, () => now);
  const kept = second.messages.all().map(({ id }) => id);
  expect(kept.filter((id) => id.startsWith('a'))).toHaveLength(500);
  expect(kept.filter((id) => id.startsWith('b'))).toHaveLength(10);
  expect(kept.at(0)).toBe('b0');
  expect(kept.at(-1)).toBe('a599');
  expect(second.uuids.get('old')).toBeUndefined();
  expect(second.uuids.get('new')).toBeDefined();
  expect(second.deliveries.all()).toHaveLength(201);
  expect(second.deliveries.get('due')).toBeDefined();
  second.close();
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(510 + 1 + 201);
});

it('stays short while it runs, with a file and without', () => {
  const file = newFile();
  for (const where of [file, undefined]) {
    const state = createState(where, () => START);
    for (let number = 0; number < 12_000; number += 1)
      state.uuids.put('same', { message: `${number}`, at: START });
    for (let number = 0; number < 6_000; number += 1)
      state.deliveries.put(`${number}`, {
        id: `${number}`,
        type: 'x',
        message: '',
        payload: '',
        tries: [],
      });
    expect(state.deliveries.all().length).toBeLessThan(5_300);
    state.close();
  }
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(5_300);
});
