import type { Model, ModelMessage, Thought, ToolOffer } from '#ports/model.ts';
import { changeRequests, feedbackIn } from './change.ts';
import { busiest, examplesFor } from './examples.ts';
import { languageOf, type Phrases, phrasesIn } from './phrases.ts';
import { cut, report, type Settled } from './report.ts';
import { callFor, type Request, type Unclear, type Wanted } from './request.ts';
import { learnSchema, type Schema } from './schema.ts';
import type { Answers } from './slots.ts';
import { callId, type Purpose, readTurn, type Turn } from './turn.ts';
import { type Understood, understand } from './understand.ts';

/** No language model: a small grammar over the tools it is offered. What to do next follows from the request alone. */
export const createDemoModel = (): Model => ({
  think: async ({ messages, tools }) => nextStep(messages, tools),
});

/** How much of somebody's words is given back to them. */
const CHARACTERS_QUOTED = 200;

interface Scene {
  readonly turn: Turn;
  readonly schema: Schema;
  readonly offered: ReadonlySet<string>;
  readonly phrases: Phrases;
}

const nextStep = (messages: readonly ModelMessage[], tools: readonly ToolOffer[]): Thought => {
  const turn = readTurn(messages);
  const scene: Scene = {
    turn,
    schema: learnSchema(messages),
    offered: new Set(tools.map(({ name }) => name)),
    phrases: phrasesIn(languageOf(turn.text)),
  };
  const { settled, next } = follow(scene);
  const said = settled.map((one) => report(one, scene.phrases));
  const step = next === undefined ? say(...said) : stepFor(scene, next);
  return step.calls.length > 0 || next === undefined ? step : say(...said, step.text);
};

const say = (...parts: readonly string[]): Thought => ({ text: parts.join('\n\n'), calls: [] });

/** From the message through every step since: what is settled, and what is still to be done, if anything. */
const follow = ({ turn, schema, phrases }: Scene): { settled: Settled[]; next?: Next } => {
  const callsOf = (wanted: Purpose) =>
    turn.steps.filter(({ purpose }) => purpose === wanted).map(({ calls }) => calls);
  const settled = callsOf('work')
    .flat()
    .filter(({ outcome }) => outcome !== 'revised');
  const asked = callsOf('ask').flat();
  if (asked.some(({ outcome }) => outcome !== 'answered'))
    return { settled, next: { kind: 'unanswered' } };
  const answers = asked.map(({ text }) => text).values() as Answers;
  let next: Understood = understand(turn.text, schema, answers, phrases);
  for (const calls of callsOf('work')) {
    const wish = calls.find(({ outcome }) => outcome === 'revised');
    if (!wish) return { settled };
    const requests: readonly Request[] = next.kind === 'requests' ? next.requests : [];
    const open = requests.filter((_, index) => calls[index]?.outcome === 'revised');
    next = changeRequests(open, feedbackIn(wish.text), schema, answers, phrases);
  }
  return { settled, next };
};

type Next = Understood | { readonly kind: 'unanswered' };

const stepFor = (scene: Scene, next: Next): Thought => {
  const { offered, phrases } = scene;
  switch (next.kind) {
    case 'unanswered':
      return say(phrases.notAnswered);
    case 'learn':
      return learnStep(scene, next.calls);
    case 'ask':
      return offered.has('ask_user')
        ? callStep(scene, 'ask', [{ tool: 'ask_user', input: next.input }])
        : say(phrases.needed(String(next.input['prompt'])));
    case 'help':
    case 'unclear':
      return explain(scene, next);
    case 'requests':
      return next.requests.length > 0
        ? callStep(scene, 'work', next.requests.map(callFor))
        : say(phrases.nothingLeft);
    default:
      return next satisfies never;
  }
};

const callStep = (
  { turn, offered, phrases }: Scene,
  purpose: Purpose,
  wanted: readonly Wanted[],
): Thought => {
  const absent = [...new Set(wanted.map(({ tool }) => tool).filter((tool) => !offered.has(tool)))];
  if (absent.length > 0) return say(phrases.cannot(absent));
  const step = turn.steps.length + 1;
  return {
    text: '',
    calls: wanted.map(({ tool, input }, index) => ({
      id: callId(purpose, step, index),
      tool,
      input,
    })),
  };
};

const learned = ({ turn }: Scene, { tool, input }: Wanted): Settled | undefined =>
  turn.steps
    .filter(({ purpose }) => purpose === 'learn')
    .flatMap(({ calls }) => calls)
    .find(({ call }) => call.tool === tool && call.input['table'] === input['table']);

/** Looked up once a turn: what could not be learned then will not be learned by asking again. */
const learnStep = (scene: Scene, wanted: readonly Wanted[]): Thought => {
  const tried = wanted.map((one) => learned(scene, one)).find((one) => one !== undefined);
  return tried
    ? say(scene.phrases.notLearned(cut(tried.text, CHARACTERS_QUOTED)))
    : callStep(scene, 'learn', wanted);
};

/** With examples from the real tables, which are looked up first where that is possible. */
const explain = (scene: Scene, next: Unclear | { readonly kind: 'help' }): Thought => {
  const { schema, offered, phrases } = scene;
  const table = busiest(schema);
  const missing: Wanted | undefined = schema.listed
    ? table && !table.columns
      ? { tool: 'describe_table', input: { table: table.name } }
      : undefined
    : { tool: 'list_tables', input: {} };
  if (missing && offered.has(missing.tool) && !learned(scene, missing))
    return callStep(scene, 'learn', [missing]);
  const examples = examplesFor(schema, offered, phrases);
  return say(
    next.kind === 'help'
      ? phrases.intro
      : phrases.unclear({ ...next, text: cut(next.text, CHARACTERS_QUOTED) }),
    ...(next.kind === 'unclear' && next.problem === 'change'
      ? []
      : [examples.length > 0 ? phrases.examples(examples) : phrases.nothingOffered]),
  );
};
