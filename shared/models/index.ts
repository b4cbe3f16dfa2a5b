import type { Model } from '#ports/model.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every provider, by the word before the slash in `MODEL`; it is handed what stands behind it. */
export const models: Readonly<Record<string, (id: string, environment: Environment) => Model>> = {};
