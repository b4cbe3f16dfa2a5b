import type { Json, JsonObject } from '#domain/canonical-json.ts';
import type { SessionId } from '#domain/ids.ts';
import type { Language } from '#domain/settings.ts';
import type { Database } from '#ports/database.ts';
import { Changed, type Tool, type ToolContext } from '#ports/tool.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

export const contextWith = (database: Database, more: Partial<ToolContext> = {}): ToolContext => ({
  idempotencyKey: 'key',
  signal: new AbortController().signal,
  session: 'session' as SessionId,
  log: quiet,
  language: 'en',
  resources: { database },
  shown: undefined,
  checkpoint: async () => {},
  ...more,
});

const workOf = (tool: Tool) => {
  if (!tool.work) throw new Error('not a tool that works');
  return tool.work;
};

/** What the tool answers, or in what words it fails. */
export const call = async (
  tool: Tool,
  database: Database,
  input: JsonObject,
  more: Partial<ToolContext> = {},
): Promise<Json | undefined | { changed: string }> => {
  const answer = await workOf(tool).run(input, contextWith(database, more));
  return answer instanceof Changed ? { changed: answer.why } : answer;
};

export const previewOf = async (
  tool: Tool,
  database: Database,
  sql: string,
  language: Language = 'en',
): Promise<string> => {
  const preview = workOf(tool).preview?.({ sql }, contextWith(database, { language }));
  return (await preview) ?? '';
};

export const recover = (tool: Tool, database: Database, checkpoint: Json) =>
  workOf(tool).recover?.(checkpoint, contextWith(database));
