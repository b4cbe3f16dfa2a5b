import * as z from 'zod';
import type { Language } from '#domain/settings.ts';
import { notesFrom } from '#ports/notes.ts';
import { changed, defineTool } from '#ports/tool.ts';

const NOTES_SHOWN = 3;
const CHARACTERS_SHOWN = 60;

export const deleteNotes = defineTool({
  needs: 'notes',
  description: 'Delete all notes of this conversation. They cannot be brought back.',
  input: z.object({}),
  risk: 'HIGH',
  summary: (_, language) => (language === 'zh-CN' ? '删除所有笔记' : 'Delete all notes'),
  idempotent: true,
  preview: async (_, { resources, session, language }) =>
    previewOf(await notesFrom(resources).list(session), language),
  run: async (_, { resources, session, idempotencyKey, shown }) => {
    const most = shown === undefined ? Number.POSITIVE_INFINITY : countIn(shown);
    const cleared = await notesFrom(resources).clear(session, idempotencyKey, most);
    return cleared.kind === 'cleared'
      ? { deleted: cleared.count }
      : changed(`there are ${cleared.count} notes now, more than were shown`);
  },
});

const previewOf = (notes: readonly string[], language: Language): string => {
  const zh = language === 'zh-CN';
  const count = notes.length;
  const rest = count - NOTES_SHOWN;
  return [
    zh ? `将删除 ${count} 条笔记` : `Would delete ${count} ${count === 1 ? 'note' : 'notes'}`,
    ...notes.slice(0, NOTES_SHOWN).map((note, index) => `${index + 1}. ${cut(note, zh)}`),
    ...(rest > 0 ? [zh ? `……还有 ${rest} 条` : `… and ${rest} more`] : []),
  ].join('\n');
};

const cut = (note: string, zh: boolean): string => {
  const characters = [...note.replace(/\s+/gu, ' ')];
  const left = characters.length - CHARACTERS_SHOWN;
  if (left <= 0) return characters.join('');
  const head = characters.slice(0, CHARACTERS_SHOWN).join('');
  return zh ? `${head}……（还有 ${left} 字）` : `${head}… (${left} more characters)`;
};

/** Only our own first line counts: a preview that could not be made, whatever figures it names, promised nothing. */
const countIn = (shown: string): number =>
  Number(/^(?:将删除|Would delete) (\d+) (?:条笔记|notes?)(?:\n|$)/u.exec(shown)?.[1] ?? 0);
