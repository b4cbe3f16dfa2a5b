import type { Outcome, ToolCall } from '#domain/conversation.ts';
import type { ModelMessage } from '#ports/model.ts';
import type { SdkMessage, SdkMetadata } from './sdk.ts';
import { type Author, isBy, readTrace, type Trace, type TracePart } from './trace.ts';

/**
 * What goes back of a model's reasoning. `saved`: what it left. `none`: for servers that refuse it, or no longer know it
 * by its signature. `filled`: for servers that demand it of every step, also of those another model made.
 */
export type Reasoning = 'saved' | 'none' | 'filled';

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;
type Result = Extract<ModelMessage, { role: 'result' }>;
type Content = Extract<SdkMessage, { role: 'assistant' }>['content'];

/** Our messages in the SDK's words. */
export const promptOf = (
  system: string,
  messages: readonly ModelMessage[],
  author: Author,
  reasoning: Reasoning,
): SdkMessage[] => {
  const prompt: SdkMessage[] = system.trim() ? [{ role: 'system', content: system }] : [];
  const nextIds = createIds(author);
  let calls: readonly ToolCall[] = [];
  let ids: readonly string[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      prompt.push({ role: 'user', content: [{ type: 'text', text: orNote(message.text) }] });
    } else if (message.role === 'assistant') {
      ({ calls } = message);
      ids = nextIds(message);
      // No provider takes a message with nothing in it.
      if (message.text.trim() || calls.length > 0)
        prompt.push({ role: 'assistant', content: contentOf(message, ids, author, reasoning) });
    } else {
      prompt.push(toolMessage(message, ids[placeOf(calls, message.call)] ?? message.call.id));
    }
  }
  return prompt;
};

const orNote = (text: string) => (text.trim() ? text : '(empty)');

/** Ids may repeat: the very call counts first, its id only for messages that were copied on the way. */
const placeOf = (calls: readonly ToolCall[], call: ToolCall): number => {
  const place = calls.indexOf(call);
  return place < 0 ? calls.findIndex(({ id }) => id === call.id) : place;
};

/**
 * A provider's ids go back to it unchanged. What another model called a call may break this one's rules (Anthropic takes
 * only some characters, and each id once; others count them), so those get a name that all accept.
 */
const createIds = (author: Author) => {
  const seen = new Set<string>();
  const takes = (id: string) =>
    author.family !== 'anthropic' || (/^[a-zA-Z0-9_-]+$/.test(id) && !seen.has(id));
  let made = 0;
  return ({ calls, provider }: Assistant): readonly string[] => {
    const trace = readTrace(provider);
    const foreign = trace !== undefined && !isBy(trace, author);
    return calls.map(({ id }) => {
      made += 1;
      const name = foreign || !takes(id) ? `c${String(made).padStart(8, '0')}` : id;
      seen.add(name);
      return name;
    });
  };
};

const contentOf = (
  message: Assistant,
  ids: readonly string[],
  author: Author,
  reasoning: Reasoning,
): Content => {
  const { text, calls } = message;
  const trace = readTrace(message.provider);
  const own = isBy(trace, author);
  let read = 0;
  const content = partsOf(message, own ? trace : undefined).flatMap((part): Content => {
    if ('reasoning' in part)
      return reasoning === 'none'
        ? []
        : [{ type: 'reasoning', text: part.reasoning, ...optionsOf(part) }];
    if ('text' in part) {
      const said = text.slice(read, read + part.text);
      read += part.text;
      return said.trim() ? [{ type: 'text', text: said }] : [];
    }
    const call = calls[part.call];
    const toolCallId = ids[part.call];
    if (!call || toolCallId === undefined) return [];
    const toolName = own ? call.tool : call.tool.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
    return [{ type: 'tool-call', toolCallId, toolName, input: call.input, ...optionsOf(part) }];
  });
  // A blank is the least that every server which demands reasoning takes for reasoning.
  return reasoning === 'filled' && !content.some(({ type }) => type === 'reasoning')
    ? [{ type: 'reasoning', text: ' ' }, ...content]
    : content;
};

const partsOf = ({ text, calls }: Assistant, trace: Trace | undefined): readonly TracePart[] =>
  trace?.parts ?? [{ text: text.length }, ...calls.map((_, call) => ({ call }))];

const optionsOf = ({ metadata }: { readonly metadata?: SdkMetadata }) =>
  metadata && { providerOptions: metadata };

const FINE: readonly Outcome[] = ['done', 'answered'];

const toolMessage = ({ call, outcome, text }: Result, toolCallId: string): SdkMessage => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId,
      toolName: call.tool,
      output: { type: FINE.includes(outcome) ? 'text' : 'error-text', value: orNote(text) },
    },
  ],
});
