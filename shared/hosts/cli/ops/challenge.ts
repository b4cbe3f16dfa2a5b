import { inboundSettings as dingtalk } from '#channels/dingtalk/settings.ts';
import { inboundSettings as feishu } from '#channels/feishu/settings.ts';
import type { Environment } from '../../lambda/environment.ts';
import { callBot } from '../../local/standins/bot-call.ts';
import { encrypt, newId } from '../../local/standins/feishu/crypto.ts';

/** A function that was asleep takes a while. */
const WITHIN_MS = 5_000;
const post = (url: string, body: object) =>
  callBot({
    url,
    headers: {},
    body: JSON.stringify(body),
    limitMs: WITHIN_MS,
    stopping: new AbortController().signal,
  });

/** What the console does when the address is saved. Answers why it failed. */
export const challengeFeishu = async (
  base: string,
  environment: Environment,
): Promise<string | undefined> => {
  const {
    encryptKeys: [key],
    tokens: [token],
  } = feishu(environment);
  const challenge = newId('');
  const asked = { challenge, token, type: 'url_verification' };
  const body = key === undefined ? asked : { encrypt: encrypt(key, JSON.stringify(asked)) };
  const answer = await post(`${base}/webhook/feishu`, body);
  if (answer.kind !== 'answered') return answer.kind;
  if (answer.status !== 200) return `HTTP ${answer.status}`;
  return answer.text.includes(challenge) ? undefined : 'it did not come back';
};

/** DingTalk sends no challenge. That the right address answers 401 to what carries no signature says that it is there. */
export const refusesUnsigned = async (
  base: string,
  environment: Environment,
): Promise<string | undefined> => {
  const [secret = ''] = dingtalk(environment).pathSecrets;
  const answer = await post(`${base}/webhook/dingtalk/${secret}`, {});
  if (answer.kind !== 'answered') return answer.kind;
  return answer.status === 401
    ? undefined
    : `HTTP ${answer.status} to a request without a signature`;
};
