import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alarmsOf } from '#hosts/cli/ops/alarms.ts';
import { doctor } from '#hosts/cli/ops/doctor.ts';
import { openLocal } from '#hosts/cli/ops/target.ts';
import { type AlarmsServer, startAlarmsServer } from '../support/alarms-server.ts';
import { emulated } from '../support/emulators.ts';
import { type LocalProcess, startProcess } from '../support/local-process.ts';

const botKeys = {
  FEISHU_APP_ID: 'cli_ops',
  FEISHU_APP_SECRET: 'the-app-secret',
  FEISHU_ENCRYPT_KEY: 'the-encrypt-key',
  FEISHU_VERIFICATION_TOKEN: 'the-token',
  FEISHU_BASE_URL: 'http://127.0.0.1:1',
};
let folder: string;
let bot: LocalProcess;
let cloudwatch: AlarmsServer;
beforeAll(async () => {
  cloudwatch = await startAlarmsServer();
  folder = mkdtempSync(join(tmpdir(), 'countersign-ops-'));
  bot = startProcess({ STATE_DIR: folder, ...botKeys });
  await bot.url;
});
afterAll(async () => {
  await bot.kill();
  await cloudwatch.stop();
  rmSync(folder, { recursive: true });
});

const ops = async (...words: string[]) => {
  const env = { PATH: process.env['PATH'], STATE_DIR: folder };
  const child = spawn(process.execPath, ['shared/hosts/cli/ops.ts', ...words], { env });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
};
/** As of a deployed one, whose keys are in its secret and whose alarms are in CloudWatch. */
const doctorWith = async (environment: Readonly<Record<string, string>>) => {
  const at = await openLocal({ STATE_DIR: folder });
  const client = new CloudWatchClient(emulated(cloudwatch.endpoint));
  const alarms = () => alarmsOf(client, 'Countersign-test');
  const target = async () => ({ ...at, environment: async () => environment, alarms });
  const { rows, wrong } = await doctor({ words: [], env: 'test', environment: {}, target });
  return { wrong, rows: Object.fromEntries(rows.map((row) => [row['check'], row])) };
};

it('prints a table, or a line of JSON per row', async () => {
  const table = await ops('doctor');
  expect(table).toMatchObject({ code: 0, stderr: '' });
  expect(table.stdout).toMatch(/^CHECK +STATE +NOTE\nsettings +ok .+\nbot +ok /);
  const lines = (await ops('doctor', '--json')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).check)).toEqual([
    'settings',
    'bot',
    'jobs',
    'deadLetters',
    'failed',
  ]);
  expect(await ops('asks')).toEqual({
    code: 0,
    stdout: 'nothing waits for a person\n',
    stderr: '',
  });
  expect(await ops('asks', '--json')).toEqual({ code: 0, stdout: '', stderr: '' });
});

it.each([
  [[], 'ops: no verb is given'],
  [['bogus'], 'ops: bogus is no verb'],
  [['asks', '--env', 'a b'], 'is no environment'],
  [['forget'], 'ops: usage: ops forget <session>'],
  [['policy', 'explain', 'write_note', '{'], 'ops: the arguments are not JSON'],
])('answers %j in one line', async (words, expected) => {
  const { code, stdout, stderr } = await ops(...words);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({
    code: 1,
    stdout: '',
    lines: 2,
  });
  expect(stderr).toContain(expected);
});

it('explains which rule answers', async () => {
  const explain = async (tool: string, input: object) =>
    JSON.parse((await ops('policy', 'explain', tool, JSON.stringify(input), '--json')).stdout);
  expect(await explain('write_note', { text: 'x' })).toMatchObject({
    answer: 'ask',
    rule: 'medium',
    may: ['the requester'],
  });
  expect(await explain('read_notes', {})).toMatchObject({ answer: 'run', rule: 'low' });
  expect(await explain('write_note', { text: 7 })).toMatchObject({ answer: 'refuse' });
  expect(await explain('no_such', {})).toMatchObject({ answer: 'refuse' });
});

it('finds that the address answers the challenge with these keys, and with no others', async () => {
  cloudwatch.put({ 'Countersign-test-JobsFailed': 'OK' });
  const right = await doctorWith(botKeys);
  expect(right).toMatchObject({
    wrong: false,
    rows: { secret: { state: 'ok' }, feishu: { state: 'ok' } },
  });
  const other = await doctorWith({ ...botKeys, FEISHU_ENCRYPT_KEY: 'another' });
  expect(other).toMatchObject({ wrong: true, rows: { feishu: { state: 'wrong' } } });
});

it.each([
  ['nothing is raised', { A: 'OK', B: 'OK' }, 'ok', 'none of 2 is raised'],
  [
    'some have seen nothing yet',
    { A: 'OK', B: 'INSUFFICIENT_DATA', C: 'INSUFFICIENT_DATA' },
    'ok',
    'none of 3 is raised, 2 without data yet',
  ],
  [
    'two are raised, one of them pages away',
    { A: 'ALARM', B: 'OK', C: 'OK', D: 'INSUFFICIENT_DATA', JobsFailed: 'ALARM' },
    'wrong',
    'raised: A, JobsFailed',
  ],
  ["another stack's is raised", { A: 'OK', 'eu-A': 'ALARM' }, 'ok', 'none of 1 is raised'],
  ['there is none', {}, 'wrong', 'the stack has none: deploy it again'],
  ['it may not look', undefined, 'wrong', 'may not DescribeAlarms'],
] as const)('tells of the alarms when %s', async (_, alarms, state, note) => {
  cloudwatch.put(
    alarms &&
      Object.fromEntries(
        Object.entries(alarms).map(([name, is]) => [`Countersign-test-${name}`, is]),
      ),
  );
  const { wrong, rows } = await doctorWith(botKeys);
  expect({ wrong, alarms: rows['alarms'] }).toEqual({
    wrong: state === 'wrong',
    alarms: { check: 'alarms', state, note },
  });
});

const MODEL_KEY = 'the-model-key';
it.each([
  ['no MODEL', {}, 'ok', 'demo: no language model'],
  ['the demo model', { MODEL: 'demo' }, 'ok', 'demo: no language model'],
  ['a model and its key', { MODEL: 'anthropic/x', MODEL_API_KEY: MODEL_KEY }, 'ok', 'anthropic/x'],
  ['a misspelt MODEL', { MODEL: 'antropic/x' }, 'wrong', 'no provider is called antropic'],
  ['a model without its key', { MODEL: 'anthropic/x' }, 'wrong', 'set MODEL_API_KEY'],
])('tells what thinks by a secret with %s', async (_, given, state, note) => {
  cloudwatch.put({ 'Countersign-test-JobsFailed': 'OK' });
  const { wrong, rows } = await doctorWith({ ...botKeys, ...given });
  expect({ wrong, state: rows['model']?.['state'] }).toEqual({ wrong: state === 'wrong', state });
  expect(rows['model']?.['note']).toContain(note);
  expect(JSON.stringify(rows)).not.toContain(MODEL_KEY);
});

it('names the key that a channel lacks, and prints none', async () => {
  const { FEISHU_APP_SECRET: _, ...some } = botKeys;
  const { wrong, rows } = await doctorWith(some);
  expect(wrong).toBe(true);
  expect(rows['secret']?.['note']).toContain('FEISHU_APP_SECRET is not set');
  expect(JSON.stringify(rows)).not.toMatch(/the-(?:app-secret|encrypt-key|token)/);
  expect(await doctorWith({})).toMatchObject({
    wrong: true,
    rows: { secret: { state: 'wrong' } },
  });
});

it('says that no bot runs, also when it was killed and left its addresses behind', async () => {
  await bot.kill();
  const asked = await ops('asks');
  expect(asked).toMatchObject({ code: 1, stdout: '' });
  expect(asked.stderr).toContain(`no bot runs on the state folder ${folder}: npm start`);
  expect((await ops('doctor')).code).toBe(1);
});
