import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type FeishuStandIn, startFeishuStandIn } from '#hosts/local/standins/feishu/index.ts';
import { environmentNamed } from '../../infra/environments.ts';
import { createCloud } from './cloud.ts';
import type { Target } from './command.ts';
import { bootstrap, deploy, destroy, type Outputs, stackName } from './deployment.ts';
import { type Emulator, startMinistack } from './emulator.ts';
import { createOperator } from './operator.ts';
import { play } from './story.ts';

/**
 * Deploys the real stack and drives it from outside. With AWS_ENDPOINT_URL it uses that emulator, else it starts one.
 * `--real` uses the account of the caller's credentials; then Lambda has to reach the stand-in, so say how:
 * `--standin-port 8080 --standin-url https://<a tunnel to it>`.
 */
const OPTIONS = {
  real: { type: 'boolean', default: false },
  context: { type: 'string', short: 'c', default: 'env=dev' },
  'standin-port': { type: 'string', default: '0' },
  'standin-url': { type: 'string' },
} as const;

const SETTINGS = resolve('test/cloud/settings.json');
const started = Date.now();

const print = (line: string) => process.stdout.write(`${line}\n`);
const step = async (name: string, run: () => Promise<string>): Promise<void> => {
  const from = Date.now();
  const saw = await run();
  print(`ok ${((Date.now() - from) / 1000).toFixed(1).padStart(6)} s  ${name}: ${saw}`);
};

const readOptions = () => {
  const { values } = parseArgs({ options: OPTIONS });
  const [key, environment = ''] = values.context.split('=');
  if (key !== 'env') throw new Error(`-c ${values.context}: expected -c env=<name>`);
  const { keepData, region } = environmentNamed(environment);
  if (keepData)
    throw new Error(
      `${environment} keeps its data, and this test destroys what it deploys: take an environment of its own`,
    );
  if (values.real && process.env['AWS_ENDPOINT_URL'])
    throw new Error(
      '--real means the account, AWS_ENDPOINT_URL an emulator: leave out one of them',
    );
  if (values.real && !values['standin-url'])
    throw new Error(
      '--real needs --standin-port and --standin-url: the deployed functions call the stand-in',
    );
  return { ...values, environment, region };
};
type Options = ReturnType<typeof readOptions>;

/** Emulators serve an API under their own address; its own name does not resolve everywhere. */
const emulatedUrl = ({ ApiId = '' }: Outputs, endpoint: string | undefined): string | undefined =>
  endpoint && `${endpoint}/_aws/execute-api/${ApiId}/$default`;

/** The same settings but for a word, so that a second deploy has something to change. */
const changedSettings = (folder: string): string => {
  const settings = JSON.parse(readFileSync(SETTINGS, 'utf8')) as object;
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify({ ...settings, agent: { systemPrompt: 'Be brief.' } }));
  return file;
};

/** The functions' own lines are all in it. */
const searchLog = (file: string, secret: Readonly<Record<string, string>>): string => {
  const log = readFileSync(file, 'utf8');
  const lines = log.split('\n').filter((line) => line.includes('"event":'));
  const leaked = Object.entries(secret).filter(
    ([name, value]) => /KEY|TOKEN|SECRET/.test(name) && log.includes(value),
  );
  if (leaked.length > 0) throw new Error(`in the log: ${leaked.map(([name]) => name).join(', ')}`);
  if (lines.length === 0) throw new Error('the log holds no line of a function');
  return `none in ${lines.length} lines`;
};

/** Deploys, plays, destroys. Returns what must be in no log. */
const test = async (
  target: Target,
  options: Options,
  feishu: FeishuStandIn,
  folder: string,
): Promise<Readonly<Record<string, string>>> => {
  const { endpoint } = target;
  const cloud = createCloud(target, stackName(target));
  if (endpoint) await step('bootstrap', async () => bootstrap(target).then(() => 'done'));
  if (await cloud.hasSecretValue())
    throw new Error(
      `${stackName(target)} is there already, and its secret has a value that this test would overwrite: take another environment, or destroy it first`,
    );
  let outputs: Outputs = {};
  await step('deploy', async () => {
    outputs = await deploy(target);
    return `${await cloud.resources()} resources`;
  });
  const url = emulatedUrl(outputs, endpoint);
  const webhookUrl = url ? `${url}/webhook/feishu` : (outputs['FeishuUrl'] ?? '');
  feishu.setCallbackUrl(webhookUrl);
  const secret = {
    ...feishu.environment,
    ...(options['standin-url'] && { FEISHU_BASE_URL: options['standin-url'] }),
    MODEL: 'demo',
  };
  const redeploy = async () =>
    void (await deploy({ ...target, settings: changedSettings(folder) }));
  const operator = createOperator(target, url);
  await play({ feishu, cloud, operator, webhookUrl, secret, redeploy, step });
  await step('destroy leaves nothing', async () => {
    const { count, kinds, leftovers } = await cloud.remember();
    await destroy(target);
    const left = await leftovers();
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
    return `${count} resources of ${kinds} kinds were listed by their services, and are no more; nor is the stack`;
  });
  return secret;
};

/** Nothing of a failed run is taken away where somebody may want to look at it. */
const whereToLook = (target: Target, emulator: Emulator | undefined): string => {
  if (emulator) return `what the functions wrote is in ${emulator.logFile}`;
  const command = target.endpoint ? 'cdklocal' : 'cdk';
  return `${stackName(target)} is left as it is, if it was deployed: npx ${command} destroy -c env=${target.environment}`;
};

const main = async (): Promise<void> => {
  const options = readOptions();
  const { environment, region } = options;
  const stops: (() => unknown)[] = [];
  let emulator: Emulator | undefined;
  let target: Target = {
    environment,
    region,
    endpoint: process.env['AWS_ENDPOINT_URL'],
    settings: SETTINGS,
  };
  try {
    if (!options.real && !target.endpoint)
      await step('start MiniStack', async () => {
        emulator = await startMinistack();
        stops.push(emulator.stop);
        target = { ...target, endpoint: emulator.endpoint };
        return emulator.endpoint;
      });
    const folder = mkdtempSync(join(tmpdir(), 'countersign-cloud-'));
    stops.push(() => rmSync(folder, { recursive: true, force: true }));
    const feishu = await startFeishuStandIn({
      port: Number(options['standin-port']),
      // A first call of a function on a busy machine must not turn into a redelivery.
      answerWithinMs: 10_000,
    });
    stops.push(feishu.stop);
    const secret = await test(target, options, feishu, folder);
    if (emulator)
      await step('no secret was logged', async () => searchLog(emulator?.logFile ?? '', secret));
    print(`test:cloud passed in ${((Date.now() - started) / 1000).toFixed(0)} s`);
  } catch (error) {
    print(whereToLook(target, emulator));
    throw error;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};

main().catch((error: Error) => {
  process.stderr.write(`test:cloud failed: ${error.message}\n`);
  process.exitCode = 1;
});
