import type { Clock } from '#ports/clock.ts';

export interface Token {
  readonly value: Promise<string>;
  until: number;
}

export interface Tokens {
  current(): Token;
  /** The platform does not take it any more: the next call fetches another. */
  drop(token: Token): void;
}

const SPARE_MS = 180_000;

/** Asked for once, however many want it; one that could not be had is not kept. */
export const keepToken = (
  clock: Clock,
  fetchToken: () => Promise<{ readonly value: string; readonly seconds: number }>,
): Tokens => {
  let token: Token | undefined;
  const drop = (old: Token): void => {
    if (token === old) token = undefined;
  };
  const fetchFresh = (): Token => {
    const fetched = fetchToken();
    const fresh: Token = {
      value: fetched.then(({ value }) => value),
      until: Number.POSITIVE_INFINITY,
    };
    fetched.then(
      ({ seconds }) => {
        fresh.until = clock.now() + seconds * 1000 - SPARE_MS;
      },
      () => drop(fresh),
    );
    return fresh;
  };
  return {
    current: () => {
      if (!token || clock.now() >= token.until) token = fetchFresh();
      return token;
    },
    drop,
  };
};
