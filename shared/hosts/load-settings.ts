import { readFile } from 'node:fs/promises';
import { readSettings, type Settings } from '#domain/settings.ts';

const DEFAULT_FILE = 'countersign.config.json';

/** Without a named file the default one is read, and its absence means: every default. */
export const loadSettings = async (path?: string): Promise<Settings> => {
  const file = path ?? DEFAULT_FILE;
  const read = readSettings(parseJson(file, await textOf(file, path !== undefined)));
  if (read.kind === 'settings') return read.settings;
  throw new Error(`${file} has wrong settings:\n${read.problems.join('\n')}`);
};

/** A rule for a tool that is not there guards nothing: most often its name is misspelt. */
export const checkToolNames = ({ approval }: Settings, tools: object): void => {
  const unknown = Object.keys(approval.toolOverrides).find((name) => !Object.hasOwn(tools, name));
  if (unknown !== undefined)
    throw new Error(
      `approval.toolOverrides.${unknown}: there is no such tool; known are ${Object.keys(tools).join(', ')}`,
    );
};

const textOf = async (file: string, required: boolean): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
    throw new Error(`${file} cannot be read; COUNTERSIGN_CONFIG must name a readable JSON file`, {
      cause: error,
    });
  }
};

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
};
