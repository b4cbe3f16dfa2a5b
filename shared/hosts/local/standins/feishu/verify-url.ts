import { isObject, parseJson } from '../json.ts';
import type { Caller } from './callbacks.ts';
import { newId } from './crypto.ts';
import type { FeishuSecrets } from './world.ts';

export type UrlCheck =
  | { readonly kind: 'verified' }
  | { readonly kind: 'failed'; readonly why: string };

/** Page "send notifications to developer's server": the challenge comes back within a second. */
const WITHIN_MS = 1_000;

/** What the console does when the URL is saved: encrypted, not signed. */
export const verifyUrl = async (
  caller: Caller,
  { verificationToken: token }: FeishuSecrets,
): Promise<UrlCheck> => {
  const challenge = newId('');
  const payload = JSON.stringify({ challenge, token, type: 'url_verification' });
  const answer = await caller.call(payload, WITHIN_MS, false);
  if (answer.kind !== 'answered') return { kind: 'failed', why: answer.kind };
  if (answer.status !== 200) return { kind: 'failed', why: `HTTP ${answer.status}` };
  const body = parseJson(answer.text);
  return isObject(body) && body['challenge'] === challenge
    ? { kind: 'verified' }
    : { kind: 'failed', why: 'the challenge did not come back' };
};
