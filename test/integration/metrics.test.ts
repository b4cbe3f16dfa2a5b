import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { createSecretsManagerSecrets } from '#adapters/aws/secrets.ts';
import { createWebhooks } from '#channels/index.ts';
import type { JsonObject } from '#domain/canonical-json.ts';
import { createJsonLog } from '#hosts/json-log.ts';
import { createWebhookHandler } from '#hosts/lambda/webhook-handler.ts';
import { STANDIN_SECRETS } from '#hosts/local/standins/feishu/world.ts';
import { ChannelError } from '#ports/channel.ts';
import type { Model } from '#ports/model.ts';
import { ModelError } from '#ports/model-error.ts';
import { defineTool } from '#ports/tool.ts';
import { ofType, plain, readable, templateFor } from '../infra/given.ts';
import { type Cloud, type Logged, startCloud, webhookEvent } from '../support/cloud.ts';
import { startAws } from '../support/emulated-aws.ts';
import { emulated } from '../support/emulators.ts';
import { matches } from '../support/filter-pattern.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';
import { startSecretsServer } from '../support/secrets-server.ts';

/**
 * CloudWatch counts log lines, and nobody tells it when an event or a field is renamed: the alarm stays silent. So the
 * functions are driven through everything that is counted, and what they wrote is held against the filters of the stack.
 */
interface Filter {
  readonly name: string;
  /** Whose log it reads. */
  readonly by: string;
  readonly pattern: string;
  readonly value: string;
  readonly dimensions: readonly string[];
}

interface Transformation {
  readonly MetricName: string;
  readonly MetricValue: string;
  readonly Dimensions?: readonly { readonly Value: string }[];
}

const filters = Object.values(ofType(templateFor('dev'), 'AWS::Logs::MetricFilter')).map(
  ({ Properties }): Filter => {
    const [to] = Properties['MetricTransformations'] as readonly [Transformation];
    return {
      name: to.MetricName,
      by: plain(readable(Properties['LogGroupName'])).replace(/Logs$/, '').toLowerCase(),
      pattern: String(Properties['FilterPattern']),
      value: to.MetricValue,
      dimensions: (to.Dimensions ?? []).map(({ Value }) => Value),
    };
  },
);

const { dynamo, sqs } = await startAws();
const lines: Logged[] = [];
beforeAll(async () => {
  await decide();
  await decideTooLate();
  await fail();
  await forge();
  await loseOthers();
  await spoilSecret();
});

const act = defineTool({
  description: 'Does it',
  input: z.object({}),
  risk: 'HIGH',
  run: async () => 'done',
});
const ask = defineTool({
  description: 'Asks',
  input: z.object({}),
  question: () => ({ kind: 'input', prompt: '几个？' }),
});

const counting = ({ think }: Model): Model => ({
  think: async (request) => ({
    ...(await think(request)),
    usage: { inputTokens: 20, outputTokens: 3 },
  }),
});
const calls = (tool: string, input: JsonObject = {}): Model =>
  counting(scripted([callTool(tool, input), say('好了')]));
const unusable = (code: 'account' | 'rejected'): Model => ({
  think: () => Promise.reject(new ModelError(code, 'see to it')),
});
const down: Model = { think: () => Promise.reject(new Error('the model is down')) };

let chats = 0;
/** In a chat of its own. What its functions wrote is kept. */
const play = async (model: Model, story: (world: Cloud) => Promise<unknown>): Promise<void> => {
  chats += 1;
  const world = await startCloud({
    dynamo,
    sqs,
    model,
    tools: { act, ask },
    chat: `chat-${chats}`,
  });
  try {
    await world.write('做一下');
    await world.runAgent();
    await story(world);
    await world.runAgent();
    await world.runDeadLetters();
  } finally {
    lines.push(...world.logged);
    await world.stop();
  }
};

const decide = async () => {
  for (const kind of ['confirm', 'cancel'] as const)
    await play(calls('act'), ({ click }) => click(kind));
  await play(calls('act'), ({ click }) => click('modify', { text: '少一点' }));
  await play(calls('ask'), ({ click }) => click('answer', { form: true, text: '3' }));
  await play(calls('act'), ({ write }) => write('/cancel'));
};

const decideTooLate = async () => {
  const late = (story: (world: Cloud) => Promise<unknown>) =>
    play(calls('act'), (world) => {
      world.clock.advance(400_000);
      return story(world);
    });
  await late(({ fireTimers }) => fireTimers());
  await late(({ click }) => click('confirm'));
  await late(({ write }) => write('/cancel'));
};

const fail = async () => {
  const refusing = async () => {
    throw new ChannelError('the bot is not in this chat', '230002', false);
  };
  const silence = async ({ platform, write }: Cloud) => {
    Object.assign(platform.channel, { say: refusing });
    await write('再来');
  };
  await play(down, async () => {});
  for (const code of ['account', 'rejected'] as const) await play(unusable(code), async () => {});
  await play(counting(scripted([say('好的')])), silence);
  await play(down, async (world) => {
    await world.runDeadLetters();
    await silence(world);
  });
};

/** What is no turn: a command nobody can be told the answer of, a timer and a job that cannot be read. */
const loseOthers = async () => {
  const command = (error: Error) =>
    play(down, async ({ platform, runDeadLetters, write }) => {
      await runDeadLetters();
      Object.assign(platform.channel, { say: () => Promise.reject(error) });
      await write('/status');
    });
  await command(new ChannelError('the bot is not in this chat', '230002', false));
  await command(new Error('the platform is down'));
  await play(calls('act'), ({ timeouts }) => timeouts({ surprise: true }));
};

const spoilSecret = async () => {
  const server = await startSecretsServer();
  const client = new SecretsManagerClient(emulated(server.endpoint));
  for (const by of ['webhook', 'agent', 'deadletter'] as const) {
    let now = 0;
    const log = createJsonLog((line) => {
      lines.push({ ...JSON.parse(line), by });
    });
    const secrets = createSecretsManagerSecrets(client, 'the-secret', { log, now: () => now });
    server.put('{}');
    await secrets.current();
    now += 300_000;
    server.put('{');
    await secrets.current();
  }
  client.destroy();
  await server.stop();
};

/** At the real channels: what is counted there is theirs to log. */
const forge = async () => {
  const { appId, appSecret, encryptKey, verificationToken } = STANDIN_SECRETS;
  const environment = {
    FEISHU_APP_ID: appId,
    FEISHU_APP_SECRET: appSecret,
    FEISHU_ENCRYPT_KEY: encryptKey,
    FEISHU_VERIFICATION_TOKEN: verificationToken,
    DINGTALK_APP_KEY: 'key',
    DINGTALK_APP_SECRET: 'secret',
    DINGTALK_ROBOT_CODE: 'robot',
    DINGTALK_CORP_ID: 'corp',
    DINGTALK_PATH_SECRET: 'path',
  };
  const log = createJsonLog((line) => {
    lines.push({ ...JSON.parse(line), by: 'webhook' });
  });
  const webhooks = createWebhooks({ environment, language: 'en', log });
  await play(calls('act'), async ({ ports }) => {
    const handler = createWebhookHandler(async () => ({ ...ports, log, webhooks }));
    for (const path of ['/webhook/feishu', '/webhook/dingtalk/path'])
      expect(await handler(webhookEvent('{"encrypt":"AAAA"}', { path }))).toMatchObject({
        statusCode: 401,
      });
  });
};

it.each(filters)(
  '$name counts what the $by really writes',
  ({ by, pattern, value, dimensions }) => {
    const counted = lines.filter((line) => line.by === by && matches(pattern, line));
    expect(counted, `no line of the ${by} fits ${pattern}`).not.toEqual([]);
    for (const line of counted) {
      expect(value === '1' || fieldOf(line, value), JSON.stringify(line)).toSatisfy(
        (taken) => taken === true || (typeof taken === 'number' && taken >= 0),
      );
      for (const field of dimensions) expect(fieldOf(line, field)).toMatch(/^[a-z-]+$/);
    }
  },
);

const fieldOf = (line: Logged, path: string): unknown => line[path.replace(/^\$\./, '')];

it('has a filter for everything that the design wants counted', () => {
  const names = [...new Set(filters.map(({ name }) => name))].sort();
  expect(names).toEqual([
    'AsksAnswered',
    'AsksCancelled',
    'AsksConfirmed',
    'AsksModified',
    'AsksOpened',
    'AsksTimedOut',
    'DecisionsRefused',
    'JobsFailed',
    'ModelTokens',
    'ModelUnusable',
    'NotRead',
    'PeopleNotTold',
    'TimeToDecide',
    'TurnLength',
    'TurnsStarted',
    'WebhookRejected',
  ]);
});

it('counts a forged request at every channel', () => {
  const rejected = filters.find(({ name }) => name === 'WebhookRejected');
  const events = lines
    .filter((line) => matches(rejected?.pattern ?? '', line))
    .map(({ event }) => event);
  expect(events).toEqual(['feishu-refused', 'dingtalk-refused']);
});
