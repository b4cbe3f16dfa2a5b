import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoStore } from '#adapters/aws/dynamodb.ts';
import { tools } from '#tools/index.ts';
import { chooseModel } from '../lambda/choose-model.ts';
import type { Environment } from '../lambda/environment.ts';
import { checkToolNames, loadSettings } from '../load-settings.ts';
import { startLocalCloud } from './aws/local-cloud.ts';
import { openDoor } from './door.ts';
import { enterLocalCloud } from './environment.ts';
import { startEventSource } from './event-source.ts';
import { functions, VISIBILITY_SECONDS, warmUp } from './functions.ts';
import { answerJson, serveByFunction } from './http-gateway.ts';
import { createJournal } from './journal.ts';
import { captureLogLines, shortLine } from './log-lines.ts';
import { lookAt } from './look.ts';
import { createPlayground } from './playground.ts';
import { announce } from './running.ts';
import type { StandIn } from './standins/stand-in.ts';
import { openStateFolder } from './state-folder.ts';
import { platformsToStandIn, startDatabase, startStandIn, webhookUrl } from './surroundings.ts';

export interface LocalHostOptions {
  /** 0 is any free one. */
  readonly port: number;
  readonly stateDir: string;
  /** Starts empty. */
  readonly reset?: boolean;
  /** The stand-in DingTalk has no card template. */
  readonly actionCards?: boolean;
}

export interface LocalHost {
  readonly url: string;
  readonly stateDir: string;
  readonly model: string;
  /** Platforms played by a stand-in. */
  readonly standIns: readonly string[];
  stop(): Promise<void>;
}

type OnStop = (stop: () => unknown) => void;

/** For work that is being done when the host is stopped; what is cut off comes again at the next start. */
const GRACE_MS = 2_000;
const BY_WEBHOOK_FUNCTION = /^\/(?:healthz$|webhook\/)/;

/**
 * The whole bot in this process. Settings come from `process.env`, which is changed so that the functions find the
 * emulators there; as they read it once, a process can hold one local host in its life.
 */
export const startLocalHost = async (options: LocalHostOptions): Promise<LocalHost> => {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return { ...(await start(options, (one) => stops.push(one))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (
  options: LocalHostOptions,
  onStop: OnStop,
): Promise<Omit<LocalHost, 'stop'>> => {
  const { env } = process;
  const settings = await loadSettings(env['COUNTERSIGN_CONFIG']);
  checkToolNames(settings, tools);
  const { language } = settings.agent;
  const model = env['MODEL'] || 'demo';
  env['MODEL'] = model;
  chooseModel(env);
  const platforms = platformsToStandIn(env);

  const state = openStateFolder(options.stateDir, options);
  onStop(state.stop);
  const door = await openDoor(options.port);
  onStop(door.stop);
  const journal = createJournal((line) => process.stdout.write(`${shortLine(line)}\n`));
  const { log } = journal;
  onStop(captureLogLines(process.stdout, journal.note));

  const up = Promise.withResolvers<void>();
  const cloud = await startLocalCloud({
    state,
    visibilitySeconds: VISIBILITY_SECONDS,
    // A timer that ran out while nobody was here is due at once; the functions are not ready for it.
    invoke: async (_arn, input) => {
      await up.promise;
      await functions.timeout(JSON.parse(input));
    },
    onStop,
  });
  enterLocalCloud(env, cloud);
  const standIns: StandIn[] = [];
  for (const platform of platforms) {
    const standIn = await startStandIn(platform, state, {
      actionCards: options.actionCards ?? false,
    });
    onStop(standIn.stop);
    Object.assign(env, standIn.environment);
    standIns.push(standIn);
  }
  let databaseUp: Promise<unknown> = Promise.resolve();
  if (!env['DATABASE_URL']) {
    const database = await startDatabase(state, log);
    onStop(database.stop);
    env['DATABASE_URL'] = database.url;
    databaseUp = database.settled;
  }
  await warmUp();

  const sqs = new SQSClient({});
  const agent = journal.watch('agent', async (event: Parameters<typeof functions.agent>[0]) => {
    await databaseUp;
    return functions.agent(event);
  });
  const deadletter = journal.watch('deadletter', functions.deadletter);
  const sources = [
    startEventSource({ client: sqs, queue: cloud.queue, invoke: agent, log }),
    startEventSource({ client: sqs, queue: cloud.deadLetters, invoke: deadletter, log }),
  ];
  onStop(() => Promise.all(sources.map((source) => source.stop(GRACE_MS))));

  const store = createDynamoStore(new DynamoDBClient({}), cloud.table);
  const playground = createPlayground({
    standIns,
    look: (platform, chat) => lookAt(store, journal, platform, appOf(env, platform), chat),
    language,
    model,
  });
  door.open(async (request, response) => {
    if (await playground(request, response)) return;
    const [path = ''] = (request.url ?? '').split('?');
    if (BY_WEBHOOK_FUNCTION.test(path))
      return serveByFunction(functions.webhook, log, request, response);
    answerJson(response, 404, 'Not Found');
  });
  const queues = { jobs: cloud.queue.url, deadLetters: cloud.deadLetters.url };
  onStop(announce(state.path, { ...cloud, url: door.url, queues }));
  // Again, as it is also the first to be closed.
  onStop(door.stop);
  up.resolve();
  // Not before: an event that was due would be wasted on a bot that is not up.
  for (const standIn of standIns) standIn.setCallbackUrl(webhookUrl(door.url, standIn.name));
  return { url: door.url, stateDir: state.path, model, standIns: platforms };
};

const APP_OF: Readonly<Record<string, string>> = {
  dingtalk: 'DINGTALK_APP_KEY',
  feishu: 'FEISHU_APP_ID',
};
const appOf = (environment: Environment, platform: string): string =>
  environment[APP_OF[platform] ?? ''] ?? '';
