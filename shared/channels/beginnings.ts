import { cardTextsIn } from '#domain/card-texts.ts';
import { headOf } from '#domain/head-of.ts';
import type { Language } from '#domain/settings.ts';
import type { AskView } from '#ports/channel.ts';
import { contentOf } from './blocks.ts';
import { linesOf } from './plain.ts';

const MOST_TASKS = 40;

/** For a card too small for its content: the beginning of each task, and how much is left out. */
export const beginningsOf = (
  view: AskView,
  room: number,
  show: (text: string) => string,
): readonly string[] => {
  const tasks = contentOf(view);
  const shown = tasks
    .slice(0, MOST_TASKS)
    .map((blocks) => cut(linesOf(blocks, show), room, view.language));
  const more = tasks.length - shown.length;
  return more > 0 ? [...shown, cardTextsIn(view.language).tasksLeftOut(more)] : shown;
};

export const cut = (text: string, room: number, language: Language): string => {
  if (text.length <= room) return text;
  const head = headOf(text, room);
  return `${head}\n${cardTextsIn(language).leftOut(text.length - head.length)}`;
};
