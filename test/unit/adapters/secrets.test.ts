import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecretsManagerSecrets } from '#adapters/aws/secrets.ts';
import { type SecretsServer, startSecretsServer } from '../../support/secrets-server.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const PRIVATE = 'never-to-be-seen';

let server: SecretsServer;
let now = 0;
const lines: string[] = [];
beforeEach(async () => {
  server = await startSecretsServer();
  now = 0;
  lines.length = 0;
});
afterEach(() => server.stop());

const open = () => {
  const client = new SecretsManagerClient({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  const note = (event: string, facts?: object) =>
    void lines.push(`${event} ${JSON.stringify(facts)}`);
  const log = { info: note, warn: note, error: note };
  return createSecretsManagerSecrets(client, 'the-secret', { log, now: () => now });
};

describe('a secret', () => {
  it('is read once in five minutes, and is the same object until it is changed', async () => {
    server.put('{"KEY":"one"}');
    const secrets = open();
    const first = await secrets.current();
    now = 5 * MINUTE - 1;
    expect(await secrets.current()).toBe(first);
    expect(server.asked).toEqual(['the-secret']);
    now = 5 * MINUTE;
    expect(await secrets.current()).toBe(first);
    expect(server.asked).toHaveLength(2);
    server.put('{"KEY":"two"}');
    now = 10 * MINUTE;
    expect(await secrets.current()).toEqual({ KEY: 'two' });
  });

  it('is read again when something did not fit, but not by every forged request', async () => {
    server.put('{"KEY":"old"}');
    const secrets = open();
    await secrets.current();
    server.put('{"KEY":"new"}');
    now = 9 * SECOND;
    expect(await secrets.again()).toEqual({ KEY: 'old' });
    now = 10 * SECOND;
    expect(await secrets.again()).toEqual({ KEY: 'new' });
    expect(await secrets.again()).toEqual({ KEY: 'new' });
    expect(server.asked).toHaveLength(2);
  });

  it('goes on with what it knows while the service fails or holds nonsense, and says so', async () => {
    server.put('{"KEY":"known"}');
    const secrets = open();
    await secrets.current();
    server.break();
    now = 5 * MINUTE;
    expect(await secrets.current()).toEqual({ KEY: 'known' });
    server.put(`{"KEY":"${PRIVATE}"`);
    now = 10 * MINUTE;
    expect(await secrets.current()).toEqual({ KEY: 'known' });
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['secret-not-read', 'secret-not-read']);
    expect(lines.join()).not.toContain(PRIVATE);
  });

  it.each([
    [undefined, 'the secret the-secret has no value yet: put a JSON object into it'],
    [PRIVATE, 'the secret the-secret is not a JSON object'],
    [`["${PRIVATE}"]`, 'the secret the-secret is not a JSON object'],
    [`{"PORT":1,"KEY":"${PRIVATE}"}`, 'must hold strings only, but not so: PORT'],
  ])('that cannot be used says what to do, and never its values: %#', async (value, message) => {
    server.put(value);
    const failure = await open()
      .current()
      .catch((error: Error) => error.message);
    expect(failure).toContain(message);
    expect(failure).not.toContain(PRIVATE);
  });
});
