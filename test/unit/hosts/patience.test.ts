import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEnvironmentSource } from '#hosts/lambda/environment-source.ts';
import { createTimerPorts } from '#hosts/lambda/timer-ports.ts';
import { createWebhookPorts } from '#hosts/lambda/webhook-ports.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A service whose first connection hangs; later ones are answered. */
const startHanging = async (body: object, hang: RequestListener = () => {}): Promise<string[]> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.headers['x-amz-target'] ?? request.url));
    if (asked.length === 1) return hang(request, response);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    return response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
  return asked;
};

const ENVIRONMENT = {
  TABLE_NAME: 'table',
  QUEUE_URL: 'http://127.0.0.1:1/queue.fifo',
  SCHEDULE_GROUP: 'group',
  TIMEOUT_FUNCTION_ARN: 'arn:timeout',
  SCHEDULE_ROLE_ARN: 'arn:role',
};
const KEY = { pk: 'a', sk: 'b' };
const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = Date.now();
  await work();
  return (Date.now() - start) / 1000;
};

describe('an AWS service that does not answer', () => {
  it.each([
    ['says nothing', undefined],
    ['stops in the middle', ((_, response) => response.write('{')) as RequestListener],
  ])('and %s is asked again while the platform still waits', async (_, hang) => {
    const asked = await startHanging({ Responses: { table: [] } }, hang);
    const { store } = await createWebhookPorts(ENVIRONMENT);
    const seconds = await secondsOf(() => store.read([KEY, { ...KEY, sk: 'c' }]));
    expect(asked).toHaveLength(2);
    expect(seconds).toBeGreaterThan(0.9);
    expect(seconds).toBeLessThan(4.5);
  });

  it('is asked again for the secret', async () => {
    const asked = await startHanging({ SecretString: '{"A":"b"}' });
    const source = createEnvironmentSource({ SECRET_ARN: 'arn' });
    expect(await secondsOf(() => source.current())).toBeLessThan(4.5);
    expect(asked).toHaveLength(2);
  });

  it('is waited for longer where nobody waits', async () => {
    const asked = await startHanging({ Item: undefined });
    const { store } = await createTimerPorts(ENVIRONMENT);
    const seconds = await secondsOf(() => store.read([KEY]));
    expect(asked).toHaveLength(2);
    expect(seconds).toBeGreaterThan(4.5);
  });
});
