import type { Json, JsonObject } from '#domain/canonical-json.ts';
import type { Outcome, ToolCall, Usage } from '#domain/conversation.ts';

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly provider?: Json;
    }
  | {
      readonly role: 'result';
      readonly call: ToolCall;
      readonly outcome: Outcome;
      readonly text: string;
    };

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}

export interface Thought {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly provider?: Json;
  readonly usage?: Usage;
}

/** One step at a time: the model proposes calls, it never makes them. */
export interface Model {
  think(request: {
    readonly system: string;
    readonly messages: readonly ModelMessage[];
    readonly tools: readonly ToolOffer[];
    readonly deadline: number;
    /** About as much is sent at most, older turns left out first. */
    readonly contextTokens?: number;
    /** Given up at once when it fires, with its reason. */
    readonly signal?: AbortSignal;
  }): Promise<Thought>;
}
