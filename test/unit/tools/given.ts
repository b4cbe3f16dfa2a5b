import { createMemoryStore } from '#adapters/memory/store.ts';
import { createStoreNotes } from '#adapters/notes.ts';
import type { Json } from '#domain/canonical-json.ts';
import type { SessionId } from '#domain/ids.ts';
import type { Tool, ToolContext, Work } from '#ports/tool.ts';

export const createContext = (more: Partial<ToolContext> = {}): ToolContext => ({
  idempotencyKey: 'key-1',
  signal: new AbortController().signal,
  session: 'test:app:chat' as SessionId,
  log: { info: () => {}, warn: () => {}, error: () => {} },
  language: 'zh-CN',
  resources: { notes: createStoreNotes(createMemoryStore()) },
  shown: undefined,
  checkpoint: async () => {},
  ...more,
});

export const workOf = ({ work }: Tool): Work => {
  if (!work) throw new Error('this tool runs nothing');
  return work;
};

/** As the engine does it: only what parses is run. */
export const runTool = async (tool: Tool, input: Json, context: ToolContext) => {
  const parsed = tool.parse(input);
  if (parsed.kind === 'wrong') throw new Error(parsed.why);
  return workOf(tool).run(parsed.input, context);
};
