import type { Tool } from '#ports/tool.ts';

/** Every tool, by the name the model calls it. */
export const tools: Readonly<Record<string, Tool>> = {};
