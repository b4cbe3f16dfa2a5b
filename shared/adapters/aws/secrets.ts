import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Log } from '#ports/log.ts';
import type { Secrets, SecretValues } from '#ports/secrets.ts';

const KEPT_MS = 5 * 60_000;
/** Anybody can send a bad signature: it must not decide how often the service is called. */
const AGAIN_MS = 10_000;

export const createSecretsManagerSecrets = (
  client: SecretsManagerClient,
  id: string,
  { log, now = Date.now }: { readonly log: Log; readonly now?: () => number },
): Secrets => {
  let kept: { readonly version: string | undefined; readonly values: SecretValues } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const read = async (): Promise<SecretValues> => {
    const { SecretString, VersionId } = await client
      .send(new GetSecretValueCommand({ SecretId: id }))
      .catch((error: unknown) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
        throw new Error(`the secret ${id} has no value yet: ${HOW_TO_PUT}`, { cause: error });
      });
    if (!kept || kept.version !== VersionId)
      kept = { version: VersionId, values: valuesIn(id, SecretString ?? '') };
    return kept.values;
  };

  const readUnlessWithin = (freshMs: number) => async (): Promise<SecretValues> => {
    if (kept && now() - readAt < freshMs) return kept.values;
    readAt = now();
    try {
      return await read();
    } catch (error) {
      if (!kept) throw error;
      // What is known has worked so far; a secret that cannot be read, or was spoilt, must not stop the bot.
      log.error('secret-not-read', { why: String(error) });
      return kept.values;
    }
  };

  return { current: readUnlessWithin(KEPT_MS), again: readUnlessWithin(AGAIN_MS) };
};

const HOW_TO_PUT =
  'put a JSON object into it, {"FEISHU_APP_ID": "…", …}, with aws secretsmanager put-secret-value (docs/deploy.md)';

/** What is said of a wrong one names its keys only. */
const valuesIn = (id: string, text: string): SecretValues => {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`the secret ${id} is not a JSON object: ${HOW_TO_PUT}`);
  const wrong = Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'string' ? [] : [name],
  );
  if (wrong.length > 0)
    throw new Error(`the secret ${id} must hold strings only, but not so: ${wrong.join(', ')}`);
  return value as SecretValues;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
