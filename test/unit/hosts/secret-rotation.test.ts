import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createEnvironmentSource } from '#hosts/lambda/environment-source.ts';
import { createWebhookPorts } from '#hosts/lambda/webhook-ports.ts';
import { type SecretsServer, startSecretsServer } from '../../support/secrets-server.ts';

let server: SecretsServer;
beforeEach(async () => {
  server = await startSecretsServer();
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', server.endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await server.stop();
});

const VARIABLES = {
  SECRET_ARN: 'arn:secret',
  TABLE_NAME: 'table',
  QUEUE_URL: 'https://example.com/queue.fifo',
};
const secretWith = (token: string) =>
  JSON.stringify({
    FEISHU_APP_ID: 'cli_a',
    FEISHU_APP_SECRET: 's',
    FEISHU_ENCRYPT_KEY: '',
    FEISHU_VERIFICATION_TOKEN: token,
    TABLE_NAME: 'of-the-secret',
  });
const challenge = (token: string) => ({
  path: '/webhook/feishu',
  headers: {},
  body: Buffer.from(JSON.stringify({ type: 'url_verification', challenge: 'c', token })),
});

describe('what is built from a secret', () => {
  it('is built once, and anew when the secret was changed', async () => {
    server.put(secretWith('one'));
    const build = buildOnce(
      async (environment) => ({ token: environment['FEISHU_VERIFICATION_TOKEN'] }),
      VARIABLES,
    );
    const first = await build();
    expect(first).toEqual({ token: 'one' });
    vi.advanceTimersByTime(300_000);
    expect(await build()).toBe(first);
    server.put(secretWith('two'));
    vi.advanceTimersByTime(300_000);
    expect(await build()).toEqual({ token: 'two' });
    expect(server.asked).toEqual(['arn:secret', 'arn:secret', 'arn:secret']);
  });

  it('leaves what the stack has set as it is', async () => {
    server.put(secretWith('one'));
    const environment = await createEnvironmentSource(VARIABLES).current();
    expect(environment['TABLE_NAME']).toBe('table');
  });

  it('is the variables alone where no secret is named, and then nothing is asked for', async () => {
    const variables = { TABLE_NAME: 'table' };
    expect(await createEnvironmentSource(variables).current()).toBe(variables);
    expect(server.asked).toEqual([]);
  });
});

describe('a webhook', () => {
  it('looks at the secret once more before it refuses', async () => {
    server.put(secretWith('old'));
    const source = createEnvironmentSource(VARIABLES);
    const { webhooks } = await createWebhookPorts(await source.current(), source);
    const statusFor = async (token: string) => {
      const received = await webhooks['feishu']?.receive(challenge(token), 0);
      return received?.kind === 'answered' ? received.answer.status : received;
    };
    expect(await statusFor('old')).toBe(200);
    expect(await statusFor('new')).toBe(401);
    expect(server.asked).toHaveLength(1);
    server.put(secretWith('new'));
    vi.advanceTimersByTime(10_000);
    expect(await statusFor('new')).toBe(200);
    expect(server.asked).toHaveLength(2);
  });
});
