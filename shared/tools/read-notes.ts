import * as z from 'zod';
import { notesFrom } from '#ports/notes.ts';
import { defineTool } from '#ports/tool.ts';

export const readNotes = defineTool({
  needs: 'notes',
  description: 'Read the notes of this conversation, oldest first.',
  input: z.object({}),
  risk: 'LOW',
  summary: (_, language) => (language === 'zh-CN' ? '读取笔记' : 'Read the notes'),
  run: async (_, { resources, session }) => ({ notes: await notesFrom(resources).list(session) }),
});
