import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build, type Metafile } from 'esbuild';

export const FUNCTIONS = ['webhook', 'agent', 'timeout', 'deadletter'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

export interface Bundle {
  readonly code: Uint8Array;
  readonly map: Uint8Array;
  /** Every file that went in, and how many bytes of it came out. */
  readonly inputs: Metafile['outputs'][string]['inputs'];
}

export type Entry = { readonly file: string } | { readonly source: string };

/**
 * What Lambda loads: one CommonJS file. `module` before `main` takes the smaller build of the AWS SDK; dynamic imports
 * become `require`, because the first ESM import of a process costs more than the whole handler.
 */
export const bundle = async (entry: Entry): Promise<Bundle> => {
  const { outputFiles, metafile } = await build({
    ...('file' in entry
      ? { entryPoints: [entry.file] }
      : { stdin: { contents: entry.source, resolveDir: process.cwd(), loader: 'ts' as const } }),
    outfile: 'index.js',
    bundle: true,
    write: false,
    minify: true,
    sourcemap: 'external',
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    supported: { 'dynamic-import': false },
    logLevel: 'error',
  });
  const file = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending));
  const [code, map] = [file('.js'), file('.js.map')];
  const inputs = metafile.outputs['index.js']?.inputs;
  if (!code || !map || !inputs) throw new Error('esbuild gave no bundle');
  return { code: code.contents, map: map.contents, inputs };
};

export const bundleFunction = (name: FunctionName): Promise<Bundle> =>
  bundle({ file: `functions/${name}.ts` });

export const writeBundle = async (path: string, { code }: Pick<Bundle, 'code'>): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
};
