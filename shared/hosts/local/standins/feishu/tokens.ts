import { type Answer, refuse } from './answers.ts';
import { newId } from './crypto.ts';
import type { FeishuSecrets } from './world.ts';

const LIFE_MS = 7_200_000;
const RENEW_MS = 1_800_000;

export interface Tokens {
  /** `tenant_access_token/internal`. */
  give(appId: unknown, appSecret: unknown): Answer;
  /** Why a call with this `Authorization` header is refused. */
  check(authorization: string | undefined): Answer | undefined;
}

/**
 * Page tenant_access_token_internal: two hours long; asked again, the same one, until less than 30 minutes are left; then
 * a new one, and the old one stays good until it expires.
 */
export const createTokens = (
  { appId, appSecret }: Pick<FeishuSecrets, 'appId' | 'appSecret'>,
  now: () => number,
): Tokens => {
  let tokens: { readonly token: string; readonly expiresAt: number }[] = [];
  return {
    give: (givenId, givenSecret) => {
      if (givenId !== appId) return refuse(10003);
      if (givenSecret !== appSecret) return refuse(10014);
      tokens = tokens.filter(({ expiresAt }) => expiresAt > now());
      let current = tokens.find(({ expiresAt }) => expiresAt - now() >= RENEW_MS);
      if (!current) {
        current = { token: newId('t-'), expiresAt: now() + LIFE_MS };
        tokens.push(current);
      }
      const expire = Math.floor((current.expiresAt - now()) / 1000);
      const body = { code: 0, msg: 'ok', tenant_access_token: current.token, expire };
      return { status: 200, body };
    },
    check: (authorization) => {
      const given = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
      if (given === undefined) return refuse(99991661);
      const valid = tokens.some(({ token, expiresAt }) => token === given && expiresAt > now());
      return valid ? undefined : refuse(99991663);
    },
  };
};
