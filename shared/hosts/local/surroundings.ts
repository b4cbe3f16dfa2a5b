import type { Log } from '#ports/log.ts';
import type { Environment } from '../lambda/environment.ts';
import { startDemoDatabase } from './demo-database/start.ts';
import { hasOwnBot } from './environment.ts';
import { startDingtalkStandIn } from './standins/dingtalk/index.ts';
import { startFeishuStandIn } from './standins/feishu/index.ts';
import type { StandIn } from './standins/stand-in.ts';
import { type StateFolder, unreadable } from './state-folder.ts';

/** Every platform that has a stand-in, by its channel's name. */
const STAND_INS = {
  feishu: (stateFile: string) => startFeishuStandIn({ stateFile }),
  dingtalk: (stateFile: string, { actionCards }: StandInOptions) =>
    startDingtalkStandIn({ stateFile, cards: actionCards ? 'action' : 'interactive' }),
};
type Platform = keyof typeof STAND_INS;

export interface StandInOptions {
  /** DingTalk without a card template. */
  readonly actionCards: boolean;
}

/** Those that no bot of the user's own takes the place of. */
export const platformsToStandIn = (environment: Environment): readonly Platform[] =>
  (Object.keys(STAND_INS) as Platform[]).filter((name) => !hasOwnBot(environment, name));

export const webhookUrl = (url: string, platform: string): string => `${url}/webhook/${platform}`;

export const startStandIn = async (
  platform: Platform,
  state: StateFolder,
  options: StandInOptions,
): Promise<StandIn> => {
  const stateFile = state.standIn(platform);
  try {
    return await STAND_INS[platform](stateFile, options);
  } catch (error) {
    throw unreadable(stateFile, error);
  }
};

/** It takes seconds to come up: the first jobs wait for it, the start does not. */
export const startDatabase = async (state: StateFolder, log: Log) => {
  const { url, ready, stop } = await startDemoDatabase({ directory: state.database });
  let stopped = false;
  const settled = ready().catch((error: unknown) => {
    if (!stopped) log.error('demo-database-failed', { why: String(error) });
  });
  return {
    url,
    settled,
    stop: () => {
      stopped = true;
      return stop();
    },
  };
};
