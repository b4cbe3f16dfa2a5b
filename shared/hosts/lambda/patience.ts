/**
 * For how long a function hears nothing from an AWS service before it tries again. By itself the SDK waits for ever, and
 * one hung connection takes all the time the function has.
 */
const within = (ms: number) => ({
  requestHandler: { connectionTimeout: ms, socketTimeout: ms },
});

/** Platforms wait 2 or 3 s for an answer, and some clicks are never sent again: a second try has to fit. */
export const QUICK = within(1_000);
export const PATIENT = within(5_000);
export type Patience = ReturnType<typeof within>;
