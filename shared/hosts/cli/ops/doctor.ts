import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { createChannels, createWebhooks } from '#channels/index.ts';
import { createSystemClock } from '../../clock.ts';
import { createJsonLog } from '../../json-log.ts';
import { chooseModel, wantedModel } from '../../lambda/choose-model.ts';
import type { Environment } from '../../lambda/environment.ts';
import { loadSettings } from '../../load-settings.ts';
import { challengeFeishu, refusesUnsigned } from './challenge.ts';
import { failedJobs } from './found.ts';
import { answersHealth, type Target } from './target.ts';
import { expectNoWords, type Row, type Verb } from './verb.ts';

type State = 'ok' | 'wrong';
const check = (name: string, state: State, note: string): Row => ({ check: name, state, note });

/** What is said of a check that fails is its error's message. */
const tried = async (name: string, look: () => Promise<Row>): Promise<Row> => {
  try {
    return await look();
  } catch (error) {
    return check(name, 'wrong', (error as Error).message.replaceAll(/\s+/g, ' '));
  }
};

export const doctor: Verb = async (asked) => {
  expectNoWords('doctor', asked);
  const { env, url, environment, target } = asked;
  const rows = [await tried('settings', () => settings(environment))];
  try {
    const at = { ...(await target()), ...(url && { url: url.replace(/\/+$/, '') }) };
    rows.push(...(await (env === undefined ? ofLocal(at) : ofDeployed(at))));
  } catch (error) {
    rows.push(check('bot', 'wrong', (error as Error).message));
  }
  return { none: '', rows, wrong: rows.some(({ state }) => state === 'wrong') };
};

const settings = async (environment: Environment): Promise<Row> => {
  const file = environment['COUNTERSIGN_CONFIG'];
  await loadSettings(file);
  return check('settings', 'ok', `${file ?? 'countersign.config.json, or every default'} is valid`);
};

const ofLocal = async (at: Target): Promise<readonly Row[]> => [
  await health(at),
  ...(await queues(at)),
  await failures(at),
];

const ofDeployed = async (at: Target): Promise<readonly Row[]> => {
  const rows = [await health(at)];
  const environment = await at.environment().catch((error: Error) => error);
  if (environment instanceof Error) rows.push(check('secret', 'wrong', environment.message));
  else rows.push(...(await channels(at, environment)), await model(environment));
  rows.push(...(await queues(at)), await failures(at), await alarms(at));
  return rows;
};

const health = async ({ url }: Target): Promise<Row> =>
  (await answersHealth(url))
    ? check('bot', 'ok', `${url} answers`)
    : check('bot', 'wrong', `${url}/healthz does not answer 200`);

/** Both halves of every channel are built, as the functions do it: what is missing is named. */
const channels = async (at: Target, environment: Environment): Promise<readonly Row[]> => {
  const secret = await tried('secret', async () => {
    const setup = { environment, language: 'en', log: createJsonLog(() => {}) } as const;
    createChannels({ ...setup, clock: createSystemClock(), fetch });
    const names = Object.keys(createWebhooks(setup));
    return names.length > 0
      ? check('secret', 'ok', `complete for ${names.join(', ')}`)
      : check('secret', 'wrong', 'it holds no key of a channel: FEISHU_… or DINGTALK_…');
  });
  if (secret['state'] !== 'ok') return [secret];
  const rows = [secret];
  if (environment['FEISHU_APP_ID']) {
    const why = await challengeFeishu(at.url, environment);
    rows.push(
      why === undefined
        ? check('feishu', 'ok', 'the address answers the challenge')
        : check('feishu', 'wrong', `the address does not answer the challenge: ${why}`),
    );
  }
  if (environment['DINGTALK_APP_KEY']) {
    const why = await refusesUnsigned(at.url, environment);
    rows.push(
      why === undefined
        ? check('dingtalk', 'ok', 'the address refuses what is not signed (there is no challenge)')
        : check('dingtalk', 'wrong', why),
    );
  }
  return rows;
};

/** Chosen as the agent does it. A bot may be tried without one, so the demo is named and not wrong. */
const model = (environment: Environment): Promise<Row> =>
  tried('model', async () => {
    chooseModel(environment);
    const wanted = wantedModel(environment);
    const isDemo = wanted.split('/')[0] === 'demo';
    const note = isDemo ? 'demo: no language model, for trying things out' : wanted;
    return check('model', 'ok', note);
  });

const queues = (at: Target): Promise<readonly Row[]> =>
  Promise.all(
    Object.entries(at.queues).map(([name, url]) => tried(name, () => depth(at, name, url))),
  );

/**
 * Jobs come and go, and a session's wait for one another: that they wait too long is what the alarm on their age says.
 * Whatever lies in the others was left there by a function that failed.
 */
const depth = async ({ sqs }: Target, name: string, url: string): Promise<Row> => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  const waiting = Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0);
  const taken = Number(Attributes?.['ApproximateNumberOfMessagesNotVisible'] ?? 0);
  const note = waiting + taken === 0 ? 'empty' : `${waiting} waiting, ${taken} under way`;
  return check(name, name === 'jobs' || waiting + taken === 0 ? 'ok' : 'wrong', note);
};

const failures = ({ store }: Target): Promise<Row> =>
  tried('failed', async () => {
    const { length } = await failedJobs(store);
    return length === 0
      ? check('failed', 'ok', 'no job has failed')
      : check('failed', 'wrong', `${length} failed: ops failed lists them`);
  });

/** One that has seen nothing yet is no bad sign: a quiet bot counts no failures. That there is none at all is. */
const alarms = (at: Target): Promise<Row> =>
  tried('alarms', async () => {
    const all = await at.alarms();
    if (all.length === 0) return check('alarms', 'wrong', 'the stack has none: deploy it again');
    const raised = all.filter(({ state }) => state === 'ALARM').map(({ name }) => name);
    if (raised.length > 0) return check('alarms', 'wrong', `raised: ${raised.join(', ')}`);
    const unsure = all.filter(({ state }) => state !== 'OK').length;
    const note = `none of ${all.length} is raised`;
    return check('alarms', 'ok', unsure > 0 ? `${note}, ${unsure} without data yet` : note);
  });
