import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
const NONE = [
  'No Chromium to test the page with: the one from npm runs on Linux x64 only, and none of these is installed here:',
  ...INSTALLED.map((path) => `  ${path}`),
  'Install one (Debian: apt-get install chromium, macOS: brew install --cask chromium) or set CHROMIUM_PATH.',
].join('\n');

/** A real browser: the one from npm where it runs, else one that is installed here. */
export const launchBrowser = async (): Promise<Browser> => {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await fromNpm()) ?? installed();
  if (executablePath === undefined) throw new Error(NONE);
  // Containers run as root, where the sandbox does not start. Nothing from outside is loaded.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
};

const installed = (): string | undefined => INSTALLED.find((path) => existsSync(path));

/** Unpacked by us, under another name until it is whole: the package itself takes a half-unpacked one for good. */
const fromNpm = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const packed = join(dirname(entry), '../bin/chromium.br');
  const unpacked = join(tmpdir(), `countersign-chromium-${statSync(packed).size}`);
  if (existsSync(unpacked)) return unpacked;
  const partial = `${unpacked}.${process.pid}`;
  const file = createWriteStream(partial, { mode: 0o700 });
  await pipeline(createReadStream(packed), createBrotliDecompress(), file);
  await rename(partial, unpacked);
  return unpacked;
};
