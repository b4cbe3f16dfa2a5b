import { expect, it } from 'vitest';
import { checkVersion, NewerVersionError } from '#domain/version.ts';

it('reads every version up to its own', () => {
  for (const version of [1, 2, 3]) expect(() => checkVersion('session', version, 3)).not.toThrow();
});

it('refuses a newer one, says what to do, and may be tried again after that', () => {
  const read = () => checkVersion('session', 4, 3);
  expect(read).toThrow(NewerVersionError);
  expect(read).toThrow(
    'session v4 was written by a newer release; this one reads up to v3. Roll forward again, or wait',
  );
  expect(new NewerVersionError()).toMatchObject({ code: 'NEWER_VERSION', retryable: true });
});

it.each([undefined, null, 0, -1, 1.5, '1', Number.NaN])(
  'refuses %j, which nothing of ours wrote',
  (version) => {
    expect(() => checkVersion('message', version, 3)).toThrow('was not written by Countersign');
  },
);
