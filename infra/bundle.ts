import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

export const FUNCTIONS = ['webhook', 'agent', 'timeout', 'deadletter'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

export interface Bundle {
  readonly code: Uint8Array;
  readonly map: Uint8Array;
  /** Every file that went in, and how many bytes of it came out. */
  readonly inputs: Metafile['outputs'][string]['inputs'];
  /** Packages it loads only when it needs them: not in it, they are bundled beside it. */
  readonly lazy: readonly string[];
}

export type Entry = { readonly file: string } | { readonly source: string };

/**
 * What Lambda loads: one CommonJS file. `module` before `main` takes the smaller build of the AWS SDK; dynamic imports
 * become `require`, because the first ESM import of a process costs more than the whole handler.
 */
export const bundle = async (entry: Entry, ...plugins: readonly Plugin[]): Promise<Bundle> => {
  const lazy = new Set<string>();
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
    plugins: [leaveOutLazy(lazy), ...plugins],
  });
  const file = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending));
  const [code, map] = [file('.js'), file('.js.map')];
  const inputs = metafile.outputs['index.js']?.inputs;
  if (!code || !map || !inputs) throw new Error('esbuild gave no bundle');
  return { code: code.contents, map: map.contents, inputs, lazy: [...lazy] };
};

/**
 * A package that our own code imports dynamically stays outside, so that a cold start does not read it. Inside, it would
 * also break: esbuild wraps what a lazy package shares with eager code, and then leaves out that zod has to be run first.
 */
const leaveOutLazy = (lazy: Set<string>): Plugin => ({
  name: 'leave-out-lazy',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^.#]/ }, ({ kind, path, importer }) => {
      if (kind !== 'dynamic-import' || importer.includes('node_modules')) return undefined;
      lazy.add(path);
      return { path, external: true };
    });
  },
});

/**
 * A channel is defined in one place, with both its halves; the webhook calls no platform, so the outward ones stay out of
 * it. They are never made there: what stands for them is empty.
 */
const leaveOutOutward: Plugin = {
  name: 'leave-out-outward',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'outward';
    onResolve({ filter: /^\.\/channel\.ts$/ }, ({ path, importer }) =>
      /[\\/]channels[\\/]\w+[\\/]index\.ts$/.test(importer) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, () => ({ contents: 'module.exports = {};' }));
  },
};

export const bundleFunction = (name: FunctionName): Promise<Bundle> =>
  bundle({ file: `functions/${name}.ts` }, ...(name === 'webhook' ? [leaveOutOutward] : []));

export const writeBundle = async (path: string, { code }: Pick<Bundle, 'code'>): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
};

/** The name of the settings in a function's folder, which is its working directory. */
export const SETTINGS_FILE = 'countersign.config.json';

export interface Folders {
  /** Gets a folder per function: exactly what is deployed. */
  readonly code: string;
  /** Gets the source maps, which stay at home. */
  readonly maps: string;
}

export const writeFunctions = async ({ code, maps }: Folders, settings: string): Promise<void> => {
  const bundles = await Promise.all(FUNCTIONS.map(bundleFunction));
  const names = [...new Set(bundles.flatMap(({ lazy }) => lazy))];
  const packages = await Promise.all(names.map((name) => bundle({ file: name })));
  for (const [index, bundled] of bundles.entries()) {
    const name = FUNCTIONS[index] ?? '';
    const folder = join(code, name);
    await writeBundle(join(folder, 'index.js'), bundled);
    await writeBundle(join(maps, `${name}.js.map`), { code: bundled.map });
    await writeFile(join(folder, SETTINGS_FILE), settings);
    for (const [nth, one] of packages.entries()) {
      const needed = names[nth] ?? '';
      if (bundled.lazy.includes(needed)) await writePackage(folder, needed, one);
    }
  }
};

/** Where `require` finds it. */
const writePackage = async (folder: string, name: string, bundled: Bundle): Promise<void> => {
  const place = join(folder, 'node_modules', name);
  await writeBundle(join(place, 'index.js'), bundled);
  const data = BESIDE[name];
  if (data) await copyFile(join(homeOf(name), data), join(place, data));
};

/** What a package looks for beside itself. */
const BESIDE: Readonly<Record<string, string>> = {
  'libpg-query': 'libpg-query.wasm',
};
const homeOf = (name: string) => dirname(createRequire(import.meta.url).resolve(name));
