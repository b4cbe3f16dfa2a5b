import type { JsonObject } from '#domain/canonical-json.ts';
import type { Model, Thought } from '#ports/model.ts';

export interface ScriptedStep {
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly input: JsonObject }[];
}

export const say = (text: string): ScriptedStep => ({ text, calls: [] });
export const callTool = (tool: string, input: JsonObject = {}): ScriptedStep =>
  callTools([tool, input]);
/** Several calls in one step. */
export const callTools = (...calls: readonly (readonly [string, JsonObject])[]): ScriptedStep => ({
  text: '',
  calls: calls.map(([tool, input]) => ({ tool, input })),
});

type Script = readonly ScriptedStep[];

/**
 * Plays the same steps in every turn, or those its message asks for. Which step is due follows from the request alone,
 * so that a call repeated after a crash, in whatever process, gets the same answer.
 */
export const scripted = (script: Script | ((message: string) => Script)): Model => ({
  think: async ({ messages }) => {
    const start = messages.findLastIndex(({ role }) => role === 'user');
    const asked = messages[start];
    const steps =
      typeof script === 'function' ? script(asked?.role === 'user' ? asked.text : '') : script;
    const done = messages.slice(start + 1).filter(({ role }) => role === 'assistant').length;
    const step = steps[done];
    if (!step) throw new Error(`the script has ${steps.length} steps; step ${done + 1} was asked`);
    return thoughtOf(step, done);
  },
});

const thoughtOf = ({ text, calls }: ScriptedStep, done: number): Thought => ({
  text,
  calls: calls.map((call, index) => ({ id: `call-${done + 1}-${index + 1}`, ...call })),
});
