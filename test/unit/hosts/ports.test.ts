import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAgentPorts } from '#hosts/lambda/agent-ports.ts';
import { buildOnce } from '#hosts/lambda/build-once.ts';
import { createDeadLetterPorts } from '#hosts/lambda/deadletter-ports.ts';
import { createWebhookPorts } from '#hosts/lambda/webhook-ports.ts';
import { loadSettings } from '#hosts/load-settings.ts';

const IMPORT = /^(?:import|export)(?! type)\b[^'"`;]*?from\s*'([^']+)'/gm;
const ENVIRONMENT = {
  TABLE_NAME: 'table',
  QUEUE_URL: 'https://example.com/queue.fifo',
  SCHEDULE_GROUP: 'group',
  TIMEOUT_FUNCTION_ARN: 'arn:timeout',
  SCHEDULE_ROLE_ARN: 'arn:role',
};

/** Everything a file loads when it is started, files of ours and packages alike. */
const loadedBy = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (target.startsWith('#')) loadedBy(resolve('shared', target.slice(1)), seen);
    else if (target.startsWith('.')) loadedBy(resolve(file, '..', target), seen);
    else seen.add(target);
  }
  return seen;
};

describe('ports from the environment', () => {
  it('load no model, no tool and no scheduler into the webhook', () => {
    const loaded = [...loadedBy(resolve('functions/webhook.ts'))].join('\n');
    expect(loaded).toContain('shared/flow/accept.ts');
    expect(loaded).toContain('@aws-sdk/client-sqs');
    expect(loaded).not.toMatch(/client-scheduler|shared\/(?:tools|models)\/|ports\/tool|\bzod$/m);
  });

  it('name the variable that is missing', async () => {
    await expect(createWebhookPorts({})).rejects.toThrow('TABLE_NAME is not set');
  });

  it('stand with a MODEL that names no provider: who writes is told, and the operator in one sentence why', async () => {
    const environment = { ...ENVIRONMENT, MODEL: 'nobody/large' };
    const { model } = await createAgentPorts(environment);
    const asked = model.think({ system: '', messages: [], tools: [] } as never);
    await expect(asked).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringMatching(
        /^MODEL is nobody\/large, but no provider is called nobody; known are: .+$/,
      ),
    });
  });

  it('need no model for dead letters', async () => {
    const queues = { DEAD_LETTER_QUEUE_URL: 'https://example.com/dead.fifo', QUEUE_ARN: 'arn:q' };
    const environment = { ...ENVIRONMENT, ...queues, MODEL: 'antropic/x' };
    await expect(createDeadLetterPorts(environment)).resolves.toMatchObject({ mainQueue: 'arn:q' });
  });

  it('are built once, and again after a build that failed', async () => {
    let builds = 0;
    const build = buildOnce(async () => {
      builds += 1;
      if (builds === 1) throw new Error('the first fails');
      return builds;
    });
    await expect(build()).rejects.toThrow('the first fails');
    expect([await build(), await build()]).toEqual([2, 2]);
  });
});

describe('settings', () => {
  const fileWith = async (text: string): Promise<string> => {
    const file = join(await mkdtemp(join(tmpdir(), 'settings-')), 'config.json');
    await writeFile(file, text);
    return file;
  };

  it('come from the named file', async () => {
    const file = await fileWith('{ "approval": { "timeoutSeconds": 60 } }');
    expect((await loadSettings(file)).approval.timeoutSeconds).toBe(60);
  });

  it('say what is wrong with the file: missing, no JSON, or a wrong value', async () => {
    await expect(loadSettings('/nowhere/config.json')).rejects.toThrow('cannot be read');
    await expect(loadSettings(await fileWith('{'))).rejects.toThrow('is not JSON');
    const wrong = await fileWith('{ "approval": { "maxRounds": 0 } }');
    await expect(loadSettings(wrong)).rejects.toThrow('approval.maxRounds is 0');
  });
});
