import type { Json, JsonObject } from '#domain/canonical-json.ts';
import { type CardTexts, cardTextsIn } from '#domain/card-texts.ts';
import { timeText } from '#domain/time-text.ts';
import type { AskView, TaskView } from '#ports/channel.ts';

/**
 * What an ask shows, before it becomes a card or a text. `head` is one line of
 * our own words or an argument's name; `text` is what anybody may have written.
 */
export interface Block {
  readonly head: string;
  readonly text: string;
  /** On the head's own line, if it is one line. */
  readonly inline?: boolean;
}

/** One list per task, or one for the question. */
export const contentOf = (view: AskView): readonly (readonly Block[])[] =>
  view.question
    ? [questionBlocks(view, cardTextsIn(view.language))]
    : view.tasks.map((_, index) => taskBlocks(view, index));

const taskBlocks = (view: AskView, index: number): readonly Block[] => {
  const texts = cardTextsIn(view.language);
  const task = view.tasks[index] as TaskView;
  const named = texts.task(index + 1, view.tasks.length, task.tool);
  const given = argumentBlocks(task.input);
  return [
    { head: `${named} · ${texts.risk(task.risk)}`, text: task.summary },
    ...(given.length > 0 ? given : [{ head: texts.noArguments, text: '' }]),
    ...(task.preview === undefined ? [] : [{ head: texts.preview, text: task.preview }]),
    ...resultBlocks(view, index, texts),
  ];
};

const questionBlocks = (view: AskView, texts: CardTexts): readonly Block[] => {
  const options = view.question?.options ?? [];
  return [
    { head: '', text: view.question?.prompt ?? '' },
    ...(options.length > 0 ? [{ head: texts.options, text: '' }] : []),
    ...options.map((option, index) => ({ head: `${index + 1}.`, text: option, inline: true })),
    ...resultBlocks(view, 0, texts),
  ];
};

const resultBlocks = (
  { card, ask }: AskView,
  index: number,
  texts: CardTexts,
): readonly Block[] => {
  const result = card.state === 'waiting' ? undefined : card.results?.[index];
  if (!result) return [];
  const said = texts.state(result.state, ask.round + 1);
  return [{ head: `${texts.result}${said}`, text: result.text ?? '' }];
};

/** What came of each task, without what it was; `named` by its tool, unless only one stands above. */
export const outcomesOf = (view: AskView, named = true): readonly Block[] => {
  const texts = cardTextsIn(view.language);
  return view.tasks.flatMap(({ tool }, index) =>
    resultBlocks(view, index, texts).map(({ head, text }) => ({
      head: named ? `${texts.task(index + 1, view.tasks.length, tool)} · ${head}` : head,
      text,
    })),
  );
};

/** Every argument in full. A text stands as it is, after a colon; all else, and a text whose ends cannot be seen, as JSON. */
const argumentBlocks = (input: JsonObject): readonly Block[] =>
  Object.entries(input).map(([name, value]) =>
    isPlain(value) ? { head: `${name}:`, text: value } : { head: `${name} =`, ...jsonText(value) },
  );

const isPlain = (value: Json): value is string =>
  typeof value === 'string' && value !== '' && value.trim() === value;

const WIDE = 80;
const jsonText = (value: Json): { text: string; inline: boolean } => {
  const short = JSON.stringify(value);
  return short.length <= WIDE || typeof value !== 'object'
    ? { text: short, inline: true }
    : { text: JSON.stringify(value, null, 2), inline: false };
};

interface Standing {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Where the ask stands: who may decide and until when, or who decided, and when. `mention` writes a person. */
export const standingOf = (view: AskView, mention: (person: string) => string): Standing => {
  const { ask, card, language } = view;
  const texts = cardTextsIn(language);
  const round = ask.round > 1 ? ` · ${texts.round(ask.round)}` : '';
  if (card.state === 'waiting')
    return {
      title: texts.title(ask.kind, ask.tasks.length) + round,
      lines: [
        ...approverLines(view, texts, mention),
        texts.deadline(timeText(ask.expiresAt, language)),
      ],
    };
  const picked = ask.decision?.picked;
  return {
    title: texts.state(card.state, ask.round + 1) + round,
    lines: [
      texts.decided(card.kind, card.by && mention(card.by), timeText(card.at, language)),
      ...(picked ? [texts.picked(picked.map((index) => index + 1))] : []),
    ],
  };
};

/** What the decider wrote: feedback, a reason, an answer. */
export const saidIn = ({ ask, card, language }: AskView): Block | undefined => {
  const { decision } = ask;
  return card.state !== 'waiting' && decision?.text
    ? { head: cardTextsIn(language).said(decision.kind), text: decision.text }
    : undefined;
};

const MOST_PEOPLE = 20;

const approverLines = (
  { ask }: AskView,
  texts: CardTexts,
  mention: (person: string) => string,
): readonly string[] => {
  const people = (list: readonly string[]): string => {
    const named = list.slice(0, MOST_PEOPLE).map(mention).join(' ');
    const more = list.length - MOST_PEOPLE;
    return more > 0 ? `${named} ${texts.andOthers(more)}` : named;
  };
  const whos = ask.tasks.map(({ may, not }) => {
    if (!may.includes('*')) return people(may.filter((person) => !not.includes(person)));
    return not.length > 0 ? texts.anyoneBut(people(not)) : texts.anyone;
  });
  return new Set(whos).size > 1
    ? whos.map((who, index) => texts.taskMayDecide(index + 1, who))
    : [texts.mayDecide(whos[0] ?? '')];
};
