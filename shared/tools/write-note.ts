import * as z from 'zod';
import { MOST_NOTES, NOTE_CHARACTERS, NOTES_BYTES, notesFrom } from '#ports/notes.ts';
import { defineTool } from '#ports/tool.ts';

export const writeNote = defineTool({
  needs: 'notes',
  description: 'Write a note into this conversation, to be read later with read_notes.',
  input: z.object({ text: z.string().trim().min(1).max(NOTE_CHARACTERS) }),
  risk: 'MEDIUM',
  summary: ({ text }, language) =>
    language === 'zh-CN' ? `写一条笔记：${text}` : `Write a note: ${text}`,
  idempotent: true,
  run: async ({ text }, { resources, session, idempotencyKey }) => {
    const added = await notesFrom(resources).add(session, idempotencyKey, text);
    if (added === 'full')
      throw new Error(
        `the notes are full (at most ${MOST_NOTES}, ${NOTES_BYTES / 1000} KB together); delete them with delete_notes first`,
      );
    return { saved: true };
  },
});
