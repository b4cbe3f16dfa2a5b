import type { ModelMessage } from '#ports/model.ts';
import type { Settled } from './report.ts';

/** Why a step was made; the ids of its calls say so. */
export type Purpose = 'learn' | 'ask' | 'work';

export interface Turn {
  readonly text: string;
  readonly steps: readonly { readonly purpose: Purpose; readonly calls: readonly Settled[] }[];
}

export const callId = (purpose: Purpose, step: number, index: number) =>
  `${purpose}-${step}-${index + 1}`;

const purposeOf = (id: string): Purpose => {
  const word = id.split('-')[0];
  return word === 'learn' || word === 'ask' ? word : 'work';
};

/** What was asked last, and what has come of it so far. */
export const readTurn = (messages: readonly ModelMessage[]): Turn => {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[start];
  const steps: { purpose: Purpose; calls: Settled[] }[] = [];
  for (const message of messages.slice(start + 1)) {
    if (message.role === 'assistant')
      steps.push({ purpose: purposeOf(message.calls[0]?.id ?? ''), calls: [] });
    if (message.role === 'result') steps.at(-1)?.calls.push(message);
  }
  return {
    text: asked?.role === 'user' ? asked.text : '',
    steps: steps.filter(({ calls }) => calls.length > 0),
  };
};
