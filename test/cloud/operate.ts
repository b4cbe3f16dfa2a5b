import assert from 'node:assert/strict';
import type { Post } from '#hosts/local/standins/stand-in.ts';
import type { Cloud } from './cloud.ts';
import { type Operator, type Row, rowsIn } from './operator.ts';
import { isOpenCard, isText, shown, type Talk } from './talk.ts';

/** Of the notes, by settings.json. */
const ASK_SECONDS = 1200;
const DIGEST = /^[\w-]{20,}$/;

const ofSession = (rows: readonly Row[], { session }: Talk): readonly Row[] =>
  rows.filter((row) => row['session'] === session);

/** A question of the notes is open. */
export const seeAsk = async (operator: Operator, talk: Talk): Promise<string> => {
  const [row, more] = ofSession(await operator.rows('asks'), talk);
  assert.partialDeepStrictEqual(row, {
    kind: 'confirm',
    state: 'open',
    tools: ['write_note'],
    may: [talk.person],
  });
  assert.equal(more, undefined);
  const seconds = (Date.parse(`${row?.['deadline']}`) - Date.parse(`${row?.['since']}`)) / 1000;
  assert.equal(seconds, ASK_SECONDS);
  return `ops asks: ${talk.session}, ${row?.['tools']}, until ${row?.['deadline']}`;
};

/** Everything that was decided in a session, of which these are the kinds and what came of them. */
export const seeAudit = async (
  operator: Operator,
  talk: Talk,
  expected: readonly (readonly [kind: string, outcome: string])[],
): Promise<string> => {
  const [rows, [rule]] = await Promise.all([
    operator.rows('audit', '--session', talk.session),
    operator.rows('policy', 'explain', 'write_note', '{"text":"x"}'),
  ]);
  const found = rows.map(({ kind, outcome }) => [kind, outcome]);
  assert.deepEqual(found, expected);
  for (const row of rows) {
    assert.partialDeepStrictEqual(row, {
      tools: ['write_note'],
      decided_by: talk.person,
      channel: 'feishu',
      policy_version: rule?.['policy_version'],
    });
    assert.match(`${row['binding']}`, DIGEST);
    assert.ok(Date.parse(`${row['at']}`) <= Date.now());
    assert.ok(row['ask']);
    assert.partialDeepStrictEqual(row['shown'], [{ chat: talk.chat }]);
  }
  assert.equal(new Set(rows.map(({ ask }) => ask)).size, rows.length);
  assert.partialDeepStrictEqual(rule, { answer: 'ask', rule: 'medium' });
  return `${found.map((one) => one.join(' → ')).join(', ')}; by the policy ${rule?.['policy_version']}`;
};

/** A turn is under way for as long as its answer takes; then what was said goes. */
export const forgetTalk = async (
  operator: Operator,
  cloud: Cloud,
  talk: Talk,
  begin: () => Promise<void>,
): Promise<string> => {
  await begin();
  const seen = operator.rows('turns');
  const refusals: string[] = [];
  let forgotten = await operator.attempt('forget', talk.session);
  for (; forgotten.code !== 0 && refusals.length < 30; ) {
    refusals.push(forgotten.stderr);
    forgotten = await operator.attempt('forget', talk.session);
  }
  assert.match(refusals[0] ?? '', /is EXECUTING, or was until now: wait/);
  const [turn] = ofSession(await seen, talk);
  assert.partialDeepStrictEqual(turn, { requester: talk.person, aside: 0 });
  const [told] = rowsIn(forgotten);
  const left = await cloud.rowsOf(talk.session);
  assert.ok(Number(told?.['deleted']) > 0, forgotten.stderr);
  assert.deepEqual(
    left.filter(({ sk }) => !/^(?:#$|I#)/.test(`${sk}`)),
    [],
  );
  assert.ok(left.every((row) => !('message' in row || 'decided' in row || 'ask' in row)));
  const notes = await talk.next(await talk.say('看看笔记'), 'the notes', isText(/./));
  assert.match(shown(notes), /没有笔记/);
  return `${turn?.['job']} ran; refused ${refusals.length} times, then ${told?.['deleted']} rows deleted, ${told?.['kept_as_bare_ids']} bare ids kept; ${shown(notes)}`;
};

/** The job of this message was given up: its operator sees it, and puts it back. */
export const redriveMessage = async (
  operator: Operator,
  talk: Talk,
  message: Post,
): Promise<string> => {
  const job = `m:${message.id}`;
  const [found, more] = await operator.rows('failed');
  assert.partialDeepStrictEqual(found, { job, type: 'message', session: talk.session });
  assert.equal(more, undefined);
  const last = talk.last();
  const [put] = await operator.rows('redrive', job);
  assert.match(`${put?.['queued_as']}`, new RegExp(`^${job}-again-`));
  const card = await talk.next(last, 'the question again', isOpenCard);
  const [left, healthy] = await Promise.all([
    operator.rows('failed'),
    operator.diagnose(),
    talk.click(card, 'confirm'),
  ]);
  assert.deepEqual(left, []);
  const answer = await talk.next(card, 'the answer', isText(/已记下/));
  return `${put?.['queued_as']} asked again; ${shown(answer)}; ${healthy}`;
};
