import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { type Answer, refusal } from './answer.ts';

const FOLDER = new URL('../../../console/', import.meta.url);
/** One folder, lower-case names: nothing that climbs, hides or configures matches. */
const NAME = /^[a-z][a-z0-9-]*\.(?:ts|css|svg)$/;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the page as it lies in `shared/console`; TypeScript with its types blanked out, so that nothing is built. */
export const pageFile = async (path: string): Promise<Answer> => {
  const name = path === '/' ? 'index.html' : path.slice('/console/'.length);
  if (path !== '/' && !NAME.test(name)) return noSuchFile(path);
  try {
    const source = await readFile(new URL(name, FOLDER), 'utf8');
    const body = name.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
    return { status: 200, type: TYPES[extname(name)] ?? 'text/plain', body };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return noSuchFile(path);
    throw error;
  }
};

const noSuchFile = (path: string) =>
  refusal(404, 'not-found', `The page has no file ${path.slice(0, 100)}`);
