/** Saved state outlives a deploy: older versions are read, newer ones are refused before anything is done with them. */
export class NewerVersionError extends Error {
  readonly code = 'NEWER_VERSION';
  readonly retryable = true;
}

export const checkVersion = (what: string, version: unknown, current: number): void => {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new Error(
      `${what} has version ${JSON.stringify(version)}; a whole number from 1 was expected. The row was not written by Countersign`,
    );
  if (version > current)
    throw new NewerVersionError(
      `${what} v${version} was written by a newer release; this one reads up to v${current}. ` +
        'Roll forward again, or wait until the turns suspended by the newer release have ended before rolling back',
    );
};
