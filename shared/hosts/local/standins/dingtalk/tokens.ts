import type { ApiAnswer } from '../api-server.ts';
import { refuse, succeed } from './answers.ts';
import { newHexId } from './crypto.ts';
import type { DingtalkSecrets } from './world.ts';

const LIFE_S = 7_200;

export interface Tokens {
  /** `oauth2/accessToken`. */
  give(appKey: unknown, appSecret: unknown): ApiAnswer;
  /** Why a call with this `x-acs-dingtalk-access-token` is refused. */
  check(token: string | string[] | undefined): ApiAnswer | undefined;
}

/** Page obtain-the-access-token-of-an-internal-app: two hours; asked again within them, the same one, which then lives on. */
export const createTokens = (
  secrets: Pick<DingtalkSecrets, 'appKey' | 'appSecret'>,
  now: () => number,
): Tokens => {
  let token = '';
  let expiresAt = 0;
  return {
    give: (appKey, appSecret) => {
      if (appKey !== secrets.appKey || appSecret !== secrets.appSecret)
        return refuse('invalidClientIdOrSecret');
      if (expiresAt <= now()) token = newHexId();
      expiresAt = now() + LIFE_S * 1000;
      return succeed({ accessToken: token, expireIn: LIFE_S });
    },
    check: (given) => {
      if (given === undefined) return refuse('Missingx-acs-dingtalk-access-token');
      return given === token && expiresAt > now() ? undefined : refuse('InvalidAuthentication');
    },
  };
};
