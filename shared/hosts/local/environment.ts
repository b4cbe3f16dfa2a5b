import { devNull } from 'node:os';
import type { Environment } from '../lambda/environment.ts';
import type { LocalCloud } from './aws/local-cloud.ts';
import { functionArn } from './invocation.ts';

/** What a channel needs as soon as anything of it is set. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  dingtalk: [
    'DINGTALK_APP_KEY',
    'DINGTALK_APP_SECRET',
    'DINGTALK_ROBOT_CODE',
    'DINGTALK_CORP_ID',
    'DINGTALK_PATH_SECRET',
  ],
  feishu: ['FEISHU_APP_ID', 'FEISHU_APP_SECRET', 'FEISHU_ENCRYPT_KEY', 'FEISHU_VERIFICATION_TOKEN'],
};
const DEFAULT_PORT = '3000';

/** 0 is any free port. */
export const readPort = (environment: Environment): number => {
  const port = environment['PORT'] || DEFAULT_PORT;
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
  throw new Error(`PORT is ${port}: expected a number from 0 to 65535`);
};

/**
 * Whether a bot of the user's own is set up, in place of the stand-in. Half a set-up is refused: the stand-in's values
 * are known to everyone, and must not guard a real bot.
 */
export const hasOwnBot = (environment: Environment, channel: string): boolean => {
  const prefix = `${channel.toUpperCase()}_`;
  const given = Object.keys(environment).filter(
    (name) => name.startsWith(prefix) && environment[name],
  );
  if (given.length === 0) return false;
  const missing = (NEEDED[channel] ?? []).filter((name) => !given.includes(name));
  if (missing.length === 0) return true;
  throw new Error(
    `${given.join(', ')} set, but not ${missing.join(', ')}: a real ${channel} bot needs all of them; unset them all to use the stand-in`,
  );
};

/** What the stack gives its functions on AWS. */
const variablesOf = (cloud: LocalCloud): Readonly<Record<string, string>> => ({
  TABLE_NAME: cloud.table,
  QUEUE_URL: cloud.queue.url,
  QUEUE_ARN: cloud.queue.arn,
  DEAD_LETTER_QUEUE_URL: cloud.deadLetters.url,
  SCHEDULE_GROUP: 'countersign',
  TIMEOUT_FUNCTION_ARN: functionArn('timeout'),
  SCHEDULE_ROLE_ARN: 'arn:aws:iam::000000000000:role/scheduler',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: cloud.endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: cloud.endpoints.sqs,
  AWS_ENDPOINT_URL_SCHEDULER: cloud.endpoints.scheduler,
  // A profile could name other endpoints.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
});

/** Everything of AWS that the user's shell has set goes first: what runs here must never reach a real account. */
export const enterLocalCloud = (environment: NodeJS.ProcessEnv, cloud: LocalCloud): void => {
  for (const name of Object.keys(environment))
    if (name.startsWith('AWS_')) delete environment[name];
  Object.assign(environment, variablesOf(cloud));
};
