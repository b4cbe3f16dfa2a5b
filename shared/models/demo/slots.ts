import type { JsonObject } from '#domain/canonical-json.ts';
import { lastOfEach } from './build.ts';
import type { Names } from './names.ts';
import type { Phrases } from './phrases.ts';
import { isStatement, type Request, type Unclear, unclear } from './request.ts';
import { readDraft } from './rules.ts';
import { columnNamed, isNumeric, isTime } from './schema.ts';
import { literalFor, type Statement } from './statement.ts';
import { tokensOf } from './tokens.ts';

/** What has to be known before a statement can be made. */
type Slot =
  | { readonly kind: 'values'; readonly columns: readonly string[] }
  | { readonly kind: 'where' };

export interface Question {
  readonly kind: 'ask';
  readonly input: JsonObject;
}
/** The answers of this turn, in the order they were given; asking for more than there are means to ask. */
export type Answers = Iterator<string, undefined>;

const slotOf = (statement: Statement): Slot | undefined => {
  const { kind, table, set, where, all, limit } = statement;
  const columns = table.columns ?? [];
  if (kind === 'update' || kind === 'insert') {
    const given = new Set(set.map(({ column }) => column));
    // A key or a time is usually filled in by the database.
    const required = columns.filter(
      (column) => !column.nullable && column.name !== 'id' && !isTime(column),
    );
    const wanted = [
      ...set.filter(({ literal }) => literal === undefined).map(({ column }) => column),
      ...(kind === 'insert' ? required.map(({ name }) => name) : []).filter(
        (one) => !given.has(one),
      ),
    ];
    if (wanted.length > 0 || set.length === 0) return { kind: 'values', columns: wanted };
  }
  const every = where.length === 0 && !all && limit === undefined;
  return every && (kind === 'delete' || kind === 'update') ? { kind: 'where' } : undefined;
};

const questionFor = (statement: Statement, slot: Slot, phrases: Phrases): Question => {
  const { table } = statement;
  const columns = slot.kind === 'values' ? slot.columns : [];
  const only = columns.length === 1 ? columnNamed(table, columns[0] ?? '') : undefined;
  if (only)
    return {
      kind: 'ask',
      input: {
        kind: 'input',
        prompt: phrases.askValue(table.name, only.name),
        placeholder: `${only.name} (${only.type})`,
        ...(isNumeric(only) && { pattern: '-?\\d+(\\.\\d+)?' }),
      },
    };
  const choices = columns.length > 0 ? columns : (table.columns ?? []).map(({ name }) => name);
  const prompt =
    slot.kind === 'where'
      ? phrases.askWhere(table.name, statement.kind)
      : phrases.askValues(
          table.name,
          choices.filter((name) => name !== 'id'),
        );
  return { kind: 'ask', input: { kind: 'input', prompt } };
};

const withAnswer = (
  statement: Statement,
  slot: Slot,
  answer: string,
  names: Names,
): Statement | Unclear => {
  const { table } = statement;
  const columns = slot.kind === 'values' ? slot.columns : [];
  const only = columns.length === 1 ? columnNamed(table, columns[0] ?? '') : undefined;
  if (only) {
    const text = answer.trim().replace(/^(["'])(.*)\1$/su, '$2');
    const literal = literalFor(only, { kind: 'text', text });
    if (literal !== undefined)
      return { ...statement, set: lastOfEach([...statement.set, { column: only.name, literal }]) };
    return { kind: 'unclear', problem: 'value', text, column: only.name, type: only.type };
  }
  const draft = readDraft(table, answer, tokensOf(answer, names), slot.kind === 'values');
  if (draft.unclear) return draft.unclear;
  const all = draft.words.has('all');
  const filled = {
    ...statement,
    set: lastOfEach([...statement.set, ...draft.set]),
    ...(slot.kind === 'where' && { where: draft.where, all }),
  };
  const told = slot.kind === 'values' ? draft.set.length > 0 : draft.where.length > 0 || all;
  return told ? filled : unclear('words', answer);
};

/** The request with nothing missing, or the question that has to be asked first. */
export const fillSlots = (
  request: Request,
  names: Names,
  answers: Answers,
  phrases: Phrases,
): Request | Question | Unclear => {
  if (request.kind === 'write-note' && request.text === '') {
    const answer = answers.next().value;
    if (answer === undefined)
      return { kind: 'ask', input: { kind: 'input', prompt: phrases.askNote } };
    return answer.trim() === '' ? unclear('words', answer) : { ...request, text: answer.trim() };
  }
  if (!isStatement(request)) return request;
  const slot = slotOf(request);
  if (!slot) return request;
  const answer = answers.next().value;
  if (answer === undefined) return questionFor(request, slot, phrases);
  const filled = withAnswer(request, slot, answer, names);
  return filled.kind === 'unclear' ? filled : fillSlots(filled, names, answers, phrases);
};
