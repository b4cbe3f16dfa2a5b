import type { JsonObject } from '#domain/canonical-json.ts';
import type { Answer, Dialect, Heard } from './stand-in.ts';

/** Chat completions: https://platform.openai.com/docs/api-reference/chat, and what other servers of that language add. */
export interface OpenAiOptions {
  readonly key?: string;
  readonly contextTokens?: number;
  /** Kimi and DeepSeek demand a thinking step's reasoning back; some servers do not know the field. */
  readonly reasoning?: 'demanded' | 'unknown';
}

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}
interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages?: readonly Message[];
  readonly tools?: readonly {
    readonly type: string;
    readonly function: { readonly name: string };
  }[];
}

export const openAiDialect = (options: OpenAiOptions = {}): Dialect => ({
  path: '/v1/chat/completions',
  refuse: (headers, json) => {
    const { key } = options;
    if (key && headers.authorization !== `Bearer ${key}`)
      return {
        status: 401,
        error: `Incorrect API key provided: ${headers.authorization?.replace('Bearer ', '')}.`,
      };
    const error = wrongIn(json as Body, options) ?? tooLong(json, options.contextTokens);
    return error === undefined ? undefined : { status: 400, error };
  },
  understand: (json) => {
    const { messages = [], tools = [] } = json as Body;
    return {
      heard: messages.map(heardIn),
      tools: tools.map((tool) => tool.function.name),
    };
  },
  errorBody: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code: null },
  }),
  events: (answer, json) => eventsOf(answer, json as Body),
  alive: ': keep-alive\n\n',
  overloaded: data({ error: { message: 'The engine is overloaded', type: 'server_error' } }),
});

const wrongIn = (body: Body, { reasoning }: OpenAiOptions): string | undefined => {
  const { messages = [], tools } = body;
  if (!body.model) return 'you must provide a model parameter';
  if (body.stream !== true) return 'the stand-in only streams';
  if (messages.length === 0) return "[] is too short - 'messages'";
  if (tools?.length === 0) return "[] is too short - 'tools'";
  for (const [at, tool] of (tools ?? []).entries())
    if (tool.type !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function.name))
      return `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? ''))
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return unanswered(open);
    const error = wrongMessage(message, at);
    if (error) return error;
    if (reasoning === 'unknown' && message.reasoning_content !== undefined)
      return `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property 'reasoning_content' is unsupported)]`;
    if (reasoning === 'demanded' && message.tool_calls && !message.reasoning_content)
      return `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;
    open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return open.length > 0 ? unanswered(open) : undefined;
};

const unanswered = (ids: readonly string[]) =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;

const wrongMessage = ({ role, content, tool_calls }: Message, at: number): string | undefined => {
  if (!['system', 'user', 'assistant'].includes(role))
    return `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`;
  if (typeof content !== 'string' && !tool_calls)
    return `Invalid value for 'content': expected a string, got null. messages.[${at}].content`;
  for (const call of tool_calls ?? []) {
    if (call.id.length > 40)
      return `Invalid 'messages[${at}].tool_calls[0].id': string too long. Expected a string with maximum length 40.`;
    if (!isObject(call.function.arguments))
      return `messages[${at}].tool_calls: the arguments of ${call.function.name} are not a JSON object`;
  }
  return undefined;
};

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const tooLong = (body: JsonObject, most = 1e9): string | undefined => {
  const tokens = Math.ceil(JSON.stringify(body['messages']).length / 4);
  return tokens > most
    ? `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
    : undefined;
};

const heardIn = (message: Message): Heard => ({
  role: message.role as Heard['role'],
  text: message.content ?? '',
  ...(message.role === 'assistant' && {
    calls: (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      tool: call.function.name,
      input: isObject(call.function.arguments) ? JSON.parse(call.function.arguments) : undefined,
    })),
  }),
  ...(message.reasoning_content !== undefined && { reasoning: message.reasoning_content }),
  ...(message.tool_call_id !== undefined && { answers: message.tool_call_id }),
});

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

const FINISH = { refused: 'content_filter', length: 'length' } as const;

const eventsOf = (answer: Answer, body: Body): readonly string[] => {
  const { text, refusal, calls = [], reasoning, finish } = answer;
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({ ...ENVELOPE, model: body.model, choices: [{ index: 0, delta, finish_reason }] });
  const end = finish ? FINISH[finish] : calls.length > 0 ? 'tool_calls' : 'stop';
  return [
    ': keep-alive\n\n',
    chunk({ role: 'assistant', content: '' }),
    ...halves(reasoning).map((reasoning_content) => chunk({ reasoning_content })),
    ...halves(text).map((content) => chunk({ content })),
    ...halves(refusal).map((half) => chunk({ refusal: half })),
    ...calls.flatMap(({ id, tool, input }, index) => [
      chunk({
        tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: '' } }],
      }),
      ...halves(typeof input === 'string' ? input : JSON.stringify(input)).map((half) =>
        chunk({ tool_calls: [{ index, function: { arguments: half } }] }),
      ),
    ]),
    chunk({}, end),
    ...(body.stream_options?.include_usage
      ? [data({ ...ENVELOPE, choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } })]
      : []),
    'data: [DONE]\n\n',
  ];
};

const ENVELOPE = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1767578400 };

const halves = (text: string | undefined): readonly string[] => {
  if (!text) return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(Boolean);
};
