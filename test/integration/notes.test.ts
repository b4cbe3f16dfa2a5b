import { describe, expect, it, onTestFinished } from 'vitest';
import { createStoreNotes } from '#adapters/notes.ts';
import { createDemoModel } from '#models/demo/demo-model.ts';
import { askUser } from '#tools/ask-user.ts';
import { deleteNotes } from '#tools/delete-notes.ts';
import { readNotes } from '#tools/read-notes.ts';
import { writeNote } from '#tools/write-note.ts';
import { startCloud } from '../support/cloud.ts';
import { startAws } from '../support/emulated-aws.ts';

const { dynamo, sqs } = await startAws();

let chats = 0;
const startNotes = async () => {
  chats += 1;
  const cloud = await startCloud({
    dynamo,
    sqs,
    model: createDemoModel(),
    tools: {
      write_note: writeNote,
      read_notes: readNotes,
      delete_notes: deleteNotes,
      ask_user: askUser,
    },
    chat: `notes-${chats}`,
  });
  onTestFinished(cloud.stop);
  const notes = createStoreNotes(cloud.ports.store);
  Object.assign(cloud.ports.resources, { notes });
  return {
    ...cloud,
    saved: () => notes.list(cloud.sessionId),
    saveBehindTheScenes: (text: string) => notes.add(cloud.sessionId, text, text),
    /** A person writes, and the agent does what it can. */
    tell: async (text: string) => {
      await cloud.write(text);
      await cloud.runAgent();
    },
    phase: async () => (await cloud.session()).phase,
    lastSaid: () => cloud.platform.texts().at(-1),
    tasks: () => cloud.platform.lastCard().views[0]?.tasks,
  };
};

describe('notes by way of the demo model, on emulated AWS', () => {
  it('asks before it writes one, and for a while not again for the same', async () => {
    const world = await startNotes();
    await world.tell('记一条笔记：周五核对');
    expect(await world.phase()).toBe('WAITING_CONFIRM');
    expect(world.tasks()).toMatchObject([
      {
        tool: 'write_note',
        risk: 'MEDIUM',
        input: { text: '周五核对' },
        summary: '写一条笔记：周五核对',
      },
    ]);
    expect(await world.saved()).toEqual([]);

    await world.tell('确认');
    expect(await world.saved()).toEqual(['周五核对']);
    expect(world.lastSaid()).toBe('已记下：周五核对');

    await world.tell('记一条笔记：周五核对');
    expect(await world.phase()).toBe('IDLE');
    expect(await world.saved()).toEqual(['周五核对', '周五核对']);
    expect(world.platform.cards.size).toBe(1);

    await world.tell('记一条笔记：周六核对');
    expect(await world.phase()).toBe('WAITING_CONFIRM');
    await world.tell('取消');
    expect(world.lastSaid()).toContain('没有执行');
    expect(await world.saved()).toHaveLength(2);

    world.clock.advance(301_000);
    await world.tell('记一条笔记：周五核对');
    expect(await world.phase()).toBe('WAITING_CONFIRM');
  });

  it('asks before it deletes them, and asks anew when one was added meanwhile', async () => {
    const world = await startNotes();
    for (const text of ['a', 'b']) await world.saveBehindTheScenes(text);
    await world.tell('清空笔记');
    expect(world.tasks()).toMatchObject([
      { tool: 'delete_notes', risk: 'HIGH', preview: '将删除 2 条笔记\n1. a\n2. b' },
    ]);

    await world.saveBehindTheScenes('c');
    await world.tell('确认');
    expect(await world.saved()).toEqual(['a', 'b', 'c']);
    expect(await world.phase()).toBe('WAITING_CONFIRM');
    expect(world.tasks()?.[0]?.preview).toBe('将删除 3 条笔记\n1. a\n2. b\n3. c');

    await world.tell('确认');
    expect(await world.saved()).toEqual([]);
    expect(world.lastSaid()).toBe('已删除 3 条笔记。');
    expect(await world.phase()).toBe('IDLE');
  });

  it('takes a change to the card, a question, and several requests at once', async () => {
    const world = await startNotes();
    await world.tell('新增一条笔记');
    expect(await world.phase()).toBe('WAITING_INPUT');
    await world.tell('周五核对');
    expect(world.tasks()).toMatchObject([{ input: { text: '周五核对' } }]);
    await world.tell('改成 周六核对');
    expect(world.tasks()).toMatchObject([{ input: { text: '周六核对' } }]);
    await world.tell('确认');
    expect(await world.saved()).toEqual(['周六核对']);

    await world.tell('记一条笔记：一；记一条笔记：二；看笔记');
    expect(world.tasks()?.map(({ input }) => input)).toEqual([{ text: '一' }, { text: '二' }]);
    await world.tell('确认 2');
    expect(await world.saved()).toEqual(['周六核对', '二']);
    expect(world.lastSaid()).toContain('共 2 条笔记：\n1. 周六核对\n2. 二');
    expect(world.lastSaid()).toContain('没有执行（被取消）：一');
  });

  it('says what it is when it is not understood', async () => {
    const world = await startNotes();
    await world.tell('你好');
    expect(world.lastSaid()).toContain('演示模型');
    await world.tell('删除 orders 表里 status=1 的记录');
    expect(world.lastSaid()).toContain('list_tables');
    expect(await world.phase()).toBe('IDLE');
  });
});
