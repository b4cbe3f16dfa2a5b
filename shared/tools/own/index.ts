import type { Tool } from '#ports/tool.ts';

/** Your team's tools, one file each beside this one. Releases of Countersign never touch this folder. */
export const ownTools: Readonly<Record<string, Tool>> = {};
