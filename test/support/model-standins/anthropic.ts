import { createHmac } from 'node:crypto';
import type { JsonObject } from '#domain/canonical-json.ts';
import type { Answer, Dialect, Heard } from './stand-in.ts';

/** The Messages API: https://platform.claude.com/docs/en/api/messages. Its refusals are worded as the real ones are. */
export interface AnthropicOptions {
  readonly key: string;
  readonly contextTokens?: number;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: JsonObject;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}
interface Body {
  readonly model?: string;
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly system?: readonly Block[];
  readonly messages?: readonly Message[];
  readonly tools?: readonly { name: string; input_schema: { type?: string } }[];
}

export const anthropicDialect = ({ key, contextTokens = 1e9 }: AnthropicOptions): Dialect => ({
  path: '/v1/messages',
  refuse: (headers, json) => {
    if (headers['x-api-key'] !== key) return { status: 401, error: 'invalid x-api-key' };
    if (!headers['anthropic-version'])
      return { status: 400, error: 'anthropic-version: header is required' };
    const error = wrongIn(json as Body) ?? tooLong(json, contextTokens);
    return error === undefined ? undefined : { status: 400, error };
  },
  understand: (json) => {
    const { system = [], messages = [], tools = [] } = json as Body;
    const spoken = system.map((block): Heard => ({ role: 'system', text: block.text ?? '' }));
    return {
      heard: [...spoken, ...messages.flatMap(heardIn)],
      tools: tools.map(({ name }) => name),
    };
  },
  errorBody: (status, message) => ({
    type: 'error',
    error: { type: TYPES[status] ?? 'api_error', message },
    request_id: 'req_1',
  }),
  events: (answer, json) => eventsOf(answer, json as Body),
  alive: event('ping', {}),
  overloaded: event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
});

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const blocksOf = ({ content }: Message): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

const wrongIn = (body: Body): string | undefined => {
  const { messages = [], tools = [], system = [] } = body;
  if (!body.model) return 'model: Field required';
  if (!(Number(body.max_tokens) > 0)) return 'max_tokens: Field required';
  if (body.stream !== true) return 'the stand-in only streams';
  if (system.some(({ text }) => !text?.trim()))
    return 'system: text content blocks must contain non-whitespace text';
  for (const [at, { name, input_schema }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      return `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (input_schema?.type !== 'object')
      return `tools.${at}.custom.input_schema.type: Field required`;
  }
  if (messages.length === 0) return 'messages: at least one message is required';
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'user')
    return 'This model does not support assistant message prefill. The conversation must end with a user message.';
  const ids = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const error = wrongMessage(body, messages, at, message, ids);
    if (error) return error;
  }
  return undefined;
};

const wrongMessage = (
  body: Body,
  messages: readonly Message[],
  at: number,
  message: Message,
  ids: Set<string>,
): string | undefined => {
  if (message.role !== 'user' && message.role !== 'assistant')
    return `messages: Unexpected role "${message.role}". Allowed roles are "user" or "assistant".`;
  const blocks = blocksOf(message);
  if (blocks.length === 0)
    return `messages.${at}: ${message.role} messages must have non-empty content`;
  const previous = at > 0 ? (messages[at - 1] as Message) : undefined;
  const asked = previous?.role === 'assistant' ? usesIn(previous) : [];
  // Results come first, before any words.
  const words = blocks.findIndex(({ type }) => type !== 'tool_result');
  const answered = blocks
    .slice(0, words < 0 ? blocks.length : words)
    .map(({ tool_use_id }) => tool_use_id);
  const missing = asked.filter((id) => !answered.includes(id));
  if (missing.length > 0)
    return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  for (const [index, block] of blocks.entries()) {
    const where = `messages.${at}.content.${index}`;
    if (block.type === 'text' && !block.text?.trim())
      return 'messages: text content blocks must contain non-whitespace text';
    if (block.type === 'tool_result' && !asked.includes(block.tool_use_id ?? ''))
      return `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    if (block.type === 'tool_use') {
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id ?? ''))
        return `${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (!/^[a-zA-Z0-9_-]{1,200}$/.test(block.name ?? ''))
        return `${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
      if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
        return `${where}.tool_use.input: Input should be a valid dictionary`;
      if (ids.has(block.id ?? '')) return `${where}: \`tool_use\` ids must be unique`;
      ids.add(block.id ?? '');
    }
    if (
      block.type === 'thinking' &&
      block.signature !== signatureOf(body, messages.slice(0, at), block.thinking ?? '')
    )
      return `${where}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation`;
  }
  return undefined;
};

const usesIn = (message: Message): readonly string[] =>
  blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id ?? ''] : []));

/** Newer models bind a thinking block to everything before it: system, tools and every earlier message. */
const signatureOf = (body: Body, before: readonly Message[], thinking: string): string =>
  createHmac('sha256', 'the secret of the stand-in')
    .update(JSON.stringify([body.model, body.system ?? [], body.tools ?? [], before, thinking]))
    .digest('base64');

const tooLong = (body: JsonObject, most: number): string | undefined => {
  const tokens = Math.ceil(JSON.stringify(body['messages']).length / 4);
  return tokens > most ? `prompt is too long: ${tokens} tokens > ${most} maximum` : undefined;
};

const textIn = (content: Block['content']): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');

const heardIn = (message: Message): readonly Heard[] => {
  const blocks = blocksOf(message);
  if (message.role === 'assistant') {
    const thinking = blocks.filter(({ type }) => type === 'thinking');
    return [
      {
        role: 'assistant',
        text: textIn(blocks),
        calls: blocks
          .filter(({ type }) => type === 'tool_use')
          .map(({ id = '', name = '', input }) => ({ id, tool: name, input })),
        ...(thinking.length > 0 && { reasoning: thinking.map((one) => one.thinking).join('') }),
      },
    ];
  }
  return blocks.map(
    (block): Heard =>
      block.type === 'tool_result'
        ? { role: 'tool', text: textIn(block.content), answers: block.tool_use_id ?? '' }
        : { role: 'user', text: block.text ?? '' },
  );
};

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

const STOP = { refused: 'refusal', length: 'max_tokens' } as const;

const eventsOf = (answer: Answer, body: Body): readonly string[] => {
  const { text = answer.refusal, calls = [], reasoning, finish } = answer;
  const blocks: { start: object; deltas: readonly object[] }[] = [];
  if (reasoning !== undefined)
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...halves(reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: signatureOf(body, body.messages ?? [], reasoning) },
      ],
    });
  if (text !== undefined)
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: halves(text).map((half) => ({ type: 'text_delta', text: half })),
    });
  for (const { id, tool, input } of calls)
    blocks.push({
      start: { type: 'tool_use', id, name: tool, input: {} },
      deltas: halves(typeof input === 'string' ? input : JSON.stringify(input)).map(
        (partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        }),
      ),
    });
  const stop_reason = finish ? STOP[finish] : calls.length > 0 ? 'tool_use' : 'end_turn';
  return [
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: body.model,
        content: [],
        stop_reason: null,
        usage: { input_tokens: 11, output_tokens: 1 },
      },
    }),
    event('ping', {}),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    event('message_stop', {}),
  ];
};

const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};
