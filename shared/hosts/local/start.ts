import { parseArgs } from 'node:util';
import { readPort } from './environment.ts';
import { type LocalHost, startLocalHost } from './local-host.ts';
import { webhookUrl } from './surroundings.ts';

const DEFAULT_FOLDER = '.countersign';
const LOOK_MS = 500;

const main = async (): Promise<void> => {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ options: { reset: flag, 'action-cards': flag } });
  const interrupted = signalled();
  const starting = startLocalHost({
    port: readPort(process.env),
    stateDir: process.env['STATE_DIR'] || DEFAULT_FOLDER,
    reset: values.reset,
    actionCards: values['action-cards'],
  });
  const host = await Promise.race([starting, interrupted]);
  // Whoever interrupts the start does not want to wait for it, and nothing is lost by ending at any point.
  if (!host) return;
  process.stdout.write(`${welcome(host).join('\n')}\n`);
  await interrupted;
  await host.stop();
};

/** Ctrl+C. At a second one the process ends at once. */
const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    if (process.env['npm_lifecycle_event']) whenOrphaned(resolve);
  });

/** A signal to npm itself ends the shell that npm runs this in, and does not come any further. */
const whenOrphaned = (then: () => void): void => {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && then(), LOOK_MS).unref();
};

const welcome = ({ url, stateDir, model, standIns }: LocalHost): readonly string[] => [
  '',
  `Countersign is running. Try it on ${url}/`,
  '',
  `  Feishu                    ${webhookUrl(url, 'feishu')}${standIns.includes('feishu') ? '   (played by the stand-in; set FEISHU_APP_ID … for a real bot)' : ''}`,
  `  DingTalk                  ${webhookUrl(url, 'dingtalk')}/<DINGTALK_PATH_SECRET>${standIns.includes('dingtalk') ? '   (played by the stand-in; --action-cards: without a card template)' : ''}`,
  model === 'demo'
    ? '  Model                     demo   (for a real one: MODEL=anthropic/<id> or openai-compatible/<id>, with MODEL_API_KEY)'
    : `  Model                     ${model}`,
  `  State                     ${stateDir}   (npm start -- --reset starts empty)`,
  '',
  'Ctrl+C stops it; started again it goes on where it was.',
  '',
];

main().then(
  () => process.exit(0),
  (error: Error) => {
    // One line, also of a problem that was told in several.
    process.stderr.write(`countersign did not start: ${error.message.replaceAll('\n', ' ')}\n`);
    process.exit(1);
  },
);
