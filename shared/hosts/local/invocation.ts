import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { createRunner } from '../runner.ts';

export type Handler<Event, Result> = (event: Event, context: Context) => Promise<Result>;
export type Invoke<Event, Result> = (event: Event) => Promise<Result>;

const runner = createRunner();

/** Calls a handler as Lambda does. At its limit an invocation is abandoned: it may run on, but nobody hears it any more. */
export const createInvoke =
  <Event, Result>(
    name: string,
    handler: Handler<Event, Result>,
    limitMs: number,
  ): Invoke<Event, Result> =>
  (event) =>
    runner.within(limitMs, () => handler(event, contextOf(name, limitMs)));

export const functionArn = (name: string): string =>
  `arn:aws:lambda:us-east-1:000000000000:function:${name}`;

const contextOf = (name: string, limitMs: number) => {
  const endsAt = Date.now() + limitMs;
  return {
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: functionArn(name),
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
  } as Context;
};
