import assert from 'node:assert/strict';
import { runCommand, type Said, type Target } from './command.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Whoever runs `npm run ops -- … --env <name>`: the program itself, with the caller's own rights. */
export interface Operator {
  /** The rows of a verb that must end well. */
  rows(...words: readonly string[]): Promise<readonly Row[]>;
  /** Whether a verb ended well, and what it said. */
  attempt(...words: readonly string[]): Promise<Said>;
  /** Looks at everything: exactly the checks named here must be wrong, and say why. Tells what it found. */
  diagnose(wrong?: Readonly<Record<string, RegExp>>): Promise<string>;
}

/** Of a bot with a Feishu app. */
const CHECKS = [
  'bot',
  'secret',
  'feishu',
  'model',
  'jobs',
  'deadLetters',
  'undelivered',
  'failed',
  'alarms',
];

/** `url`: where the stack's own address does not resolve. */
export const createOperator = (target: Target, url: string | undefined): Operator => {
  const attempt = (...words: readonly string[]): Promise<Said> =>
    runCommand(
      target,
      process.execPath,
      ['shared/hosts/cli/ops.ts', ...words, '--env', target.environment, '--json'],
      { COUNTERSIGN_CONFIG: target.settings },
    );
  return {
    attempt,
    rows: async (...words) => {
      const said = await attempt(...words);
      assert.deepEqual([said.code, said.stderr], [0, ''], `ops ${words.join(' ')}`);
      return rowsIn(said);
    },
    diagnose: async (wrong = {}) => {
      const said = await attempt('doctor', ...(url ? ['--url', url] : []));
      const found = rowsIn(said);
      const bad = found.filter(({ state }) => state !== 'ok');
      const told = found.map(({ check, state, note }) => `${check} ${state}: ${note}`).join('; ');
      assert.deepEqual(
        bad.map(({ check }) => check),
        Object.keys(wrong),
        told,
      );
      for (const { check, note } of bad) assert.match(`${note}`, wrong[`${check}`] ?? /^$/, told);
      // Nothing is asked of a channel whose keys are not complete, nor of a secret without a value.
      const skipped = wrong['secret'] ? ['feishu', 'model'] : [];
      const expected = CHECKS.filter((one) => !skipped.includes(one));
      const checks = found.map(({ check }) => check);
      assert.deepEqual(checks, ['settings', ...expected], told);
      assert.equal(said.code, bad.length > 0 ? 1 : 0, told);
      return bad.length > 0
        ? bad.map(({ check, note }) => `${check} is wrong, ${note}`).join('; ')
        : `${checks.length} checks are ok, alarms: ${found.at(-1)?.['note']}`;
    },
  };
};

export const rowsIn = ({ stdout }: Said): readonly Row[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
