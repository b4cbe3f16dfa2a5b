import type { Question } from './ask.ts';
import type { Json } from './canonical-json.ts';
import type { ToolCall } from './conversation.ts';
import { digest } from './digest.ts';
import type { Binding } from './ids.ts';

/** Of one call: the tool's name and its canonical arguments. */
export const bindingOfCall = (call: Pick<ToolCall, 'tool' | 'input'>): Binding =>
  digest(['call', call.tool, call.input]) as Binding;

/** Of a whole ask: its calls in the order shown, or its question. */
export const bindingOfAsk = (
  calls: readonly Pick<ToolCall, 'tool' | 'input'>[],
  question?: Question,
): Binding =>
  digest([
    'ask',
    calls.map((call) => [call.tool, call.input]),
    (question ?? null) as unknown as Json,
  ]) as Binding;
