import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SQSClient } from '@aws-sdk/client-sqs';

export interface AwsCall {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** How much a row's write carries: keys, condition and values, as they are marshalled. */
  readonly bytes: number;
  /** What came back, for reads. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Notes every call an SDK client makes, once per call whatever the SDK retries. Returns how to stop it. */
export const countCalls = (
  client: DynamoDBClient | SQSClient | SchedulerClient,
  calls: AwsCall[],
): (() => void) => {
  const name = 'countCalls';
  // The three clients' stacks take the same middleware; their types only disagree on input and output.
  const { middlewareStack } = client as DynamoDBClient;
  middlewareStack.add(
    (next, context) => async (args) => {
      const input = args.input as unknown as AwsCall['input'];
      const bytes = Buffer.byteLength(JSON.stringify(input));
      const answer: Record<string, unknown> = {};
      calls.push({ command: String(context['commandName']), input, bytes, answer });
      const result = await next(args);
      Object.assign(answer, result.output);
      return result;
    },
    { step: 'initialize', name },
  );
  return () => middlewareStack.remove(name);
};

export const commandsOf = (calls: readonly AwsCall[]): readonly string[] =>
  calls.map(({ command }) => command.replace(/Command$/, ''));
