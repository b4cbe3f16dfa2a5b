import { clausesOf, readNoteClause } from './clauses.ts';
import { namesOf } from './names.ts';
import type { Phrases } from './phrases.ts';
import { isStatement, type Request, unclear } from './request.ts';
import { reviseStatement } from './revise.ts';
import { readDraft } from './rules.ts';
import type { Schema } from './schema.ts';
import { type Answers, fillSlots } from './slots.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Understood, understand } from './understand.ts';

const REVISED =
  /^Not run: a change was asked for(?: by .*?)?: ([\s\S]*)\. Plan again; what you do next will be shown again$/;
export const feedbackIn = (text: string): string => REVISED.exec(text)?.[1]?.trim() ?? '';

/** The requests of a card that came back with a wish. */
export const changeRequests = (
  requests: readonly Request[],
  feedback: string,
  schema: Schema,
  answers: Answers,
  phrases: Phrases,
): Understood => {
  const names = namesOf(schema);
  const tokens = tokensOf(feedback, names);
  const changed =
    withNewNote(requests, feedback, tokens) ??
    (namesOther(requests, tokens) ? undefined : withNewConditions(requests, feedback, tokens));
  if (!changed) return anew(requests, feedback, schema, answers, phrases);
  const filled: Request[] = [];
  for (const request of changed) {
    const one = fillSlots(request, names, answers, phrases);
    if (one.kind === 'ask' || one.kind === 'unclear') return one;
    filled.push(one);
  }
  return { kind: 'requests', requests: filled };
};

const withNewNote = (
  requests: readonly Request[],
  feedback: string,
  tokens: readonly Token[],
): readonly Request[] | undefined => {
  const notes = requests.filter(({ kind }) => kind === 'write-note');
  if (notes.length !== 1) return undefined;
  const replaceWith = (text: string) =>
    requests.map((one) => (one.kind === 'write-note' ? { ...one, text } : one));
  const [clause, ...others] = clausesOf(feedback, tokens);
  const said = clause && others.length === 0 ? readNoteClause(clause) : undefined;
  if (said?.kind === 'write-note') return replaceWith(said.text);
  const to = tokens.findIndex(({ word }) => word === 'to');
  const aboutNote = tokens.slice(0, Math.max(to, 0)).some(({ word }) => word === 'notes');
  if (!aboutNote && requests.length > 1) return undefined;
  // A card with nothing but a note: the wish is the note's new text.
  const start = to < 0 ? 0 : (tokens[to]?.end ?? 0);
  return replaceWith(
    feedback
      .slice(start)
      .replace(/^[\s:：]+/u, '')
      .trim(),
  );
};

const namesOther = (requests: readonly Request[], tokens: readonly Token[]): boolean => {
  const known = requests.filter(isStatement).map(({ table }) => table.name);
  return tokens.some(
    ({ name, word }) =>
      name &&
      word === undefined &&
      name.columns.every(({ table }) => !known.includes(table)) &&
      name.tables.length > 0 &&
      !name.tables.some((table) => known.includes(table)),
  );
};

const withNewConditions = (
  requests: readonly Request[],
  feedback: string,
  tokens: readonly Token[],
): readonly Request[] | undefined => {
  let changed = false;
  const revised = requests.map((request) => {
    if (!isStatement(request)) return request;
    const draft = readDraft(request.table, feedback, tokens, request.kind === 'insert');
    const [only] = tokens;
    if (only?.value && tokens.length === 1)
      Object.assign(draft, { loose: only.value, unclear: undefined });
    const one = reviseStatement(request, draft);
    changed ||= one !== undefined;
    return one ?? request;
  });
  return changed ? revised : undefined;
};

/** A wish that is a whole request of its own takes the place of what was shown. */
const anew = (
  requests: readonly Request[],
  feedback: string,
  schema: Schema,
  answers: Answers,
  phrases: Phrases,
): Understood => {
  const understood = understand(feedback, schema, answers, phrases);
  const same =
    understood.kind === 'requests' &&
    JSON.stringify(understood.requests) === JSON.stringify(requests);
  if (understood.kind === 'unclear' || understood.kind === 'help' || same)
    return unclear('change', feedback);
  return understood;
};
