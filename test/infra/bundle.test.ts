import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, bundleFunction } from '../../infra/bundle.ts';
import { clientsOnly } from '../bench/clients-only.ts';

const LARGEST_RATIO = 1.3;

/** What is left of a file whose every function was shaken out is a constant or two. */
const insideOf = ({ inputs }: Bundle): string =>
  Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 200)
    .map(([file]) => file)
    .join('\n');

it('the dead-letter function as it is deployed holds no model', async () => {
  const MODELS = /shared\/models\//;
  const [agent, deadletter] = await Promise.all([
    bundleFunction('agent'),
    bundleFunction('deadletter'),
  ]);
  expect(insideOf(agent)).toMatch(MODELS);
  expect(insideOf(deadletter)).toContain('shared/flow/give-up.ts');
  expect(insideOf(deadletter)).not.toMatch(MODELS);
  expect(agent.lazy.filter((name) => !deadletter.lazy.includes(name)).sort()).toEqual([
    '@ai-sdk/anthropic',
    '@ai-sdk/openai-compatible',
  ]);
});

describe('the webhook as it is deployed', () => {
  let ours: Bundle;
  let least: Bundle;
  beforeAll(async () => {
    [ours, least] = await Promise.all([
      bundleFunction('webhook'),
      bundle({ source: clientsOnly('webhook') }),
    ]);
  });

  it(`is at most ${LARGEST_RATIO} times the size of its AWS clients alone`, () => {
    const ratio = ours.code.length / least.code.length;
    process.stdout.write(
      `webhook ${ours.code.length} bytes, clients alone ${least.code.length}: ${ratio.toFixed(2)}\n`,
    );
    expect(ratio).toBeLessThan(LARGEST_RATIO);
  });

  it('holds no model, tool or SQL code, and only the small zod', () => {
    const inputs = insideOf(ours);
    expect(inputs).toContain('shared/flow/accept.ts');
    expect(inputs).not.toMatch(/shared\/(?:models|tools|hosts\/local)\//);
    expect(inputs).not.toMatch(/libpg-query|node_modules\/(?:ai|pg|@ai-sdk)\/|zod\/v4\/classic/);
    expect(inputs).not.toMatch(/client-scheduler|channels\/\w+\/(?:channel|deliver|errors)\.ts/);
  });
});
