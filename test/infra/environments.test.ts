import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { environmentNamed, settingsText } from '../../infra/environments.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileWith = (settings: object): string => {
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(settings));
  return file;
};
const good = { keepData: false, logDays: 7, agent: { maxConcurrency: 2 } } as const;

describe('an environment', () => {
  it.each([
    [
      undefined,
      'which environment? Say -c env=<name>; infra/environments.ts has dev, staging, prod',
    ],
    ['qa', 'there is no environment qa; infra/environments.ts has dev, staging, prod'],
    [
      'constructor',
      'there is no environment constructor; infra/environments.ts has dev, staging, prod',
    ],
    ['Prod', /^the environment is called "Prod": expected up to 20 of a–z/],
  ])('called %s is answered in one line', (name, line) => {
    expect(() => environmentNamed(name)).toThrow(line);
  });

  it.each([
    [{ ...good, logDays: 8 }, /^infra\/environments\.ts: qa\.logDays: /],
    [{ ...good, logdays: 7 }, /^infra\/environments\.ts: qa: .*logdays/],
    [
      { ...good, agent: { maxConcurrency: 1 } },
      /^infra\/environments\.ts: qa\.agent\.maxConcurrency: /,
    ],
    [{ ...good, agent: { maxConcurrency: 2, timeoutSeconds: 900 } }, /qa\.agent\.timeoutSeconds: /],
    [{ ...good, alarmTopicArn: 'me@example.com' }, /qa\.alarmTopicArn: expected an ARN of sns$/],
  ])('with a wrong value names it: %#', (settings, line) => {
    expect(() => environmentNamed('qa', { qa: settings as never })).toThrow(line);
  });
});

describe('the settings that are deployed', () => {
  it('are whole, so that a release changes none of them unseen', async () => {
    const text = await settingsText(fileWith({ approval: { timeoutSeconds: 60 } }));
    expect(JSON.parse(text)).toMatchObject({
      approval: { timeoutSeconds: 60, carryOutSeconds: 900 },
      agent: { language: 'zh-CN' },
    });
  });

  it('are checked before anything is deployed', async () => {
    await expect(settingsText(fileWith({ approval: { maxRounds: 0 } }))).rejects.toThrow(
      'approval.maxRounds is 0',
    );
    await expect(settingsText(fileWith({ approval: { timeoutSeconds: 29 } }))).rejects.toThrow(
      'approval.timeoutSeconds is 29: expected at least 30',
    );
    const tool = { write_note: { timeoutSeconds: 10 } };
    await expect(settingsText(fileWith({ approval: { toolOverrides: tool } }))).rejects.toThrow(
      'approval.toolOverrides.write_note.timeoutSeconds is 10: expected at least 30',
    );
    const misspelt = { approval: { toolOverrides: { data_modfy: true } } };
    await expect(settingsText(fileWith(misspelt))).rejects.toThrow(
      'approval.toolOverrides.data_modfy: there is no such tool',
    );
  });
});
