import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, bundleFunction } from '../../infra/bundle.ts';
import { clientsOnly } from '../bench/clients-only.ts';

const LARGEST_RATIO = 1.3;

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
    // What is left of a file whose every function was shaken out is a constant or two.
    const inputs = Object.entries(ours.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 200)
      .map(([file]) => file)
      .join('\n');
    expect(inputs).toContain('shared/flow/accept.ts');
    expect(inputs).not.toMatch(/shared\/(?:models|tools|hosts\/local)\//);
    expect(inputs).not.toMatch(/libpg-query|node_modules\/(?:ai|pg|@ai-sdk)\/|zod\/v4\/classic/);
    expect(inputs).not.toMatch(/client-scheduler|channels\/\w+\/(?:channel|deliver|errors)\.ts/);
  });
});
