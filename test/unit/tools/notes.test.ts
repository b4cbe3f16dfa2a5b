import { describe, expect, it } from 'vitest';
import { Changed } from '#ports/tool.ts';
import { deleteNotes } from '#tools/delete-notes.ts';
import { readNotes } from '#tools/read-notes.ts';
import { writeNote } from '#tools/write-note.ts';
import { createContext, runTool, workOf } from './given.ts';

const withNotes = async (...texts: readonly string[]) => {
  const context = createContext();
  for (const [index, text] of texts.entries())
    await runTool(writeNote, { text }, { ...context, idempotencyKey: `note-${index}` });
  const preview = (language: 'zh-CN' | 'en' = 'zh-CN') =>
    workOf(deleteNotes).preview?.({}, { ...context, language }) ?? Promise.resolve('');
  return { context, preview };
};

it('states its risks', () => {
  const risks = [writeNote, readNotes, deleteNotes].map((tool) => workOf(tool).risk({}));
  expect(risks).toEqual(['MEDIUM', 'LOW', 'HIGH']);
});

describe('write_note', () => {
  it('saves what read_notes gives back', async () => {
    const { context } = await withNotes('  周五核对  ');
    expect(await runTool(readNotes, {}, context)).toEqual({ notes: ['周五核对'] });
  });

  it('tried again under the same key saves once', async () => {
    const context = createContext();
    await runTool(writeNote, { text: 'once' }, context);
    await runTool(writeNote, { text: 'once' }, context);
    expect(workOf(writeNote).idempotent).toBe(true);
    expect(await runTool(readNotes, {}, context)).toEqual({ notes: ['once'] });
  });

  it.each([{}, { text: '' }, { text: ' \n' }, { text: 'x'.repeat(1_001) }, { text: 1 }])(
    'refuses %j',
    (input) => {
      expect(writeNote.parse(input).kind).toBe('wrong');
    },
  );

  it('says what to do when the notes are full', async () => {
    const context = createContext();
    const notes = context.resources.notes;
    for (let index = 0; index < 200; index += 1) await notes?.add(context.session, `${index}`, 'x');
    await expect(runTool(writeNote, { text: 'one more' }, context)).rejects.toThrow(
      /full.*at most 200.*delete_notes/,
    );
  });

  it('says whose task it is where the host gives no notes', async () => {
    const context = createContext({ resources: {} });
    await expect(runTool(writeNote, { text: 'x' }, context)).rejects.toThrow(/host.*notes/);
  });

  it('is summed up in both languages', () => {
    expect(writeNote.summary({ text: 'a' }, 'zh-CN')).toBe('写一条笔记：a');
    expect(writeNote.summary({ text: 'a' }, 'en')).toBe('Write a note: a');
  });
});

describe('delete_notes', () => {
  it('shows how many would go, the first of them, and what it left out', async () => {
    const { preview } = await withNotes('a\n1. b', 'x'.repeat(70), 'c', 'd', 'e');
    expect(await preview()).toBe(
      `将删除 5 条笔记\n1. a 1. b\n2. ${'x'.repeat(60)}……（还有 10 字）\n3. c\n……还有 2 条`,
    );
    expect(await preview('en')).toBe(
      `Would delete 5 notes\n1. a 1. b\n2. ${'x'.repeat(60)}… (10 more characters)\n3. c\n… and 2 more`,
    );
    expect(await (await withNotes()).preview('en')).toBe('Would delete 0 notes');
    expect(await (await withNotes('a')).preview('en')).toBe('Would delete 1 note\n1. a');
  });

  it.each(['zh-CN', 'en'] as const)('deletes what was shown in %s', async (language) => {
    const { context, preview } = await withNotes('a', 'b');
    const shown = await preview(language);
    expect(await runTool(deleteNotes, {}, { ...context, shown })).toEqual({ deleted: 2 });
    expect(await runTool(readNotes, {}, context)).toEqual({ notes: [] });
  });

  it('does nothing when there are more than were shown', async () => {
    const { context, preview } = await withNotes('a', 'b');
    const shown = await preview();
    await runTool(writeNote, { text: 'c' }, { ...context, idempotencyKey: 'later' });
    expect(await runTool(deleteNotes, {}, { ...context, shown })).toBeInstanceOf(Changed);
    expect(await runTool(readNotes, {}, context)).toEqual({ notes: ['a', 'b', 'c'] });
  });

  it.each(['(no preview: it took more than 10 s)', '将删除 很多 条笔记', '9 notes', ''])(
    'takes "%s" for no promise at all',
    async (shown) => {
      const { context } = await withNotes('a');
      expect(await runTool(deleteNotes, {}, { ...context, shown })).toBeInstanceOf(Changed);
    },
  );

  it('deletes all where nobody had to be asked', async () => {
    const { context } = await withNotes('a', 'b');
    expect(await runTool(deleteNotes, {}, context)).toEqual({ deleted: 2 });
  });

  it('tried again under the same key spares the notes written since', async () => {
    const { context } = await withNotes('a', 'b');
    await runTool(deleteNotes, {}, { ...context, idempotencyKey: 'delete' });
    await runTool(writeNote, { text: 'c' }, { ...context, idempotencyKey: 'later' });
    expect(await runTool(deleteNotes, {}, { ...context, idempotencyKey: 'delete' })).toEqual({
      deleted: 2,
    });
    expect(await runTool(readNotes, {}, context)).toEqual({ notes: ['c'] });
  });
});
