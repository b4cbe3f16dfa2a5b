import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
}

export type WireAnswer =
  | { readonly text: string }
  | { readonly tool: string; readonly input: object };

/** A model behind the wire protocol of OpenAI's chat completions, thinking with a function of the test's. */
export interface ChatCompletions {
  /** What `MODEL_BASE_URL` is set to. */
  readonly url: string;
  stop(): Promise<void>;
}

export const startChatCompletions = async (
  think: (messages: readonly WireMessage[]) => Promise<WireAnswer>,
): Promise<ChatCompletions> => {
  let calls = 0;
  const server = createServer((request, response) => {
    void json(request)
      .then((body) => think((body as { messages: WireMessage[] }).messages))
      .then((answer) => {
        calls += 1;
        stream(response, answer, `call_${calls}`);
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

const stream = (response: ServerResponse, answer: WireAnswer, id: string) => {
  const delta =
    'text' in answer
      ? { role: 'assistant', content: answer.text }
      : { role: 'assistant', tool_calls: [toolCall(answer.tool, answer.input, id)] };
  const reason = 'text' in answer ? 'stop' : 'tool_calls';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const choice of [
    { index: 0, delta, finish_reason: null },
    { index: 0, delta: {}, finish_reason: reason },
  ])
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'test', choices: [choice] })}\n\n`,
    );
  response.end('data: [DONE]\n\n');
};

const toolCall = (name: string, input: object, id: string) => ({
  index: 0,
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
