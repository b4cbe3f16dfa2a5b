import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '#adapters/memory/store.ts';
import type { Ask } from '#domain/ask.ts';
import type { Json } from '#domain/canonical-json.ts';
import { set } from '#domain/expression.ts';
import { askCode, askId, type PersonId } from '#domain/ids.ts';
import type { InboundMessage } from '#domain/inbound.ts';
import type { Envelope, Job } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import { putIfAbsent } from '#domain/moves.ts';
import { readSession } from '#domain/session.ts';
import { textsIn } from '#domain/texts.ts';
import { accept } from '#flow/accept.ts';
import { settingsWith } from '../../support/cloud.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { alice, anAsk, aTurn, bob, session } from '../domain/given.ts';

const texts = textsIn('zh-CN');

/** A session whose ask is open but was not saved as shown yet, and what the webhook makes of texts. */
const setUp = async (change: Partial<Ask> = {}) => {
  const clock = createTestClock();
  const store = createMemoryStore();
  const sent: Job[] = [];
  const ask = anAsk({ expiresAt: clock.now() + 300_000, ...change });
  const ports = {
    store,
    clock,
    settings: settingsWith(),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    queue: {
      send: async ({ body }: Envelope) => {
        sent.push(JSON.parse(body));
      },
    },
  };
  await store.write({
    key: keys.session(session),
    change: Object.entries({
      phase: 'WAITING_CONFIRM',
      turn: aTurn(),
      ask,
      asked: 1,
    }).map(([name, value]) => set(name, value as unknown as Json)),
  });
  let count = 0;
  const write = (text: string, from: PersonId = alice, more: Partial<InboundMessage> = {}) => {
    count += 1;
    return accept(ports, {
      type: 'message',
      id: `om_text_${count}` as InboundMessage['id'],
      from,
      bot: false,
      to: { ...aTurn().to },
      text,
      sentAt: clock.now(),
      mentions: [],
      mentionsSomeBot: true,
      ...more,
    });
  };
  const decision = async () => {
    const [item] = await store.read([keys.session(session)]);
    return readSession(session, item).ask?.decision;
  };
  const notices = () => sent.flatMap((job) => (job.type === 'notice' ? [job.text] : []));
  const queued = () => sent.filter((job) => job.type === 'message');
  return { ask, code: askCode(ask.id), ports, store, write, decision, notices, queued, clock };
};

describe('a button that sends a text', () => {
  it.each([
    ['确认', 'confirm'],
    ['取消', 'cancel'],
    ['confirm', 'confirm'],
    ['cancel', 'cancel'],
  ])('%s with the code of the open ask decides it', async (word, kind) => {
    const { code, write, decision, queued } = await setUp();
    expect(await write(`${word}${code}`)).toMatchObject({ kind: 'claimed' });
    expect(await decision()).toMatchObject({ kind, by: alice, via: 'text', id: 'om_text_1' });
    expect(queued()).toEqual([]);
  });

  it('counts before the ask is saved as shown, where a bare word does not', async () => {
    const { code, write, decision } = await setUp();
    expect(await write('确认')).toEqual({ kind: 'enqueued' });
    expect(await decision()).toBeUndefined();
    await write(`确认${code}`);
    expect(await decision()).toMatchObject({ kind: 'confirm' });
  });

  it('of another card decides nothing, whatever is open', async () => {
    const { write, decision, notices, queued } = await setUp();
    const other = askCode(askId(session, aTurn().id, 7));
    expect(await write(`确认${other}`)).toEqual({ kind: 'noticed' });
    expect(await decision()).toBeUndefined();
    expect(notices()).toEqual([texts.refusal({ reason: 'changed' })]);
    expect(queued()).toEqual([]);
  });

  it('pressed again is told who decided, and when', async () => {
    const { code, write, decision, notices } = await setUp();
    await write(`确认${code}`);
    const won = await decision();
    expect(await write(`取消${code}`, bob)).toEqual({ kind: 'noticed' });
    expect(await decision()).toEqual(won);
    expect(notices()).toEqual([expect.stringContaining(`由 ${alice}`)]);
  });

  it('by somebody who may not decide is refused, and reaches no model', async () => {
    const { code, write, decision, notices, queued } = await setUp();
    expect(await write(`确认${code}`, bob)).toEqual({ kind: 'noticed' });
    expect(await decision()).toBeUndefined();
    expect(notices()).toEqual([texts.refusal({ reason: 'not-an-approver', may: [alice] })]);
    expect(queued()).toEqual([]);
  });

  it('by a bot is not read', async () => {
    const { code, write, decision } = await setUp();
    expect(await write(`确认${code}`, alice, { bot: true })).toMatchObject({ kind: 'ignored' });
    expect(await decision()).toBeUndefined();
  });

  it('after the time is up is told so, and times the ask out', async () => {
    const { code, write, decision, notices, clock } = await setUp();
    clock.advance(300_000);
    expect(await write(`确认${code}`)).toMatchObject({ kind: 'refused' });
    expect(await decision()).toMatchObject({ kind: 'timeout' });
    expect(notices()[0]).toContain('过期');
  });

  it('pressed in another chat decides the ask its card was delivered for', async () => {
    const { ask, code, store, write, decision } = await setUp();
    const to = { ...aTurn().to, chat: 'oc_private', group: false };
    await write(`确认${code}`, alice, { to, parent: code });
    expect(await decision()).toBeUndefined();
    await store.write(
      putIfAbsent(keys.reference(to.channel, to.app, code), { session, ask: ask.id }),
    );
    expect(await write(`确认${code}`, alice, { to, parent: code })).toMatchObject({
      kind: 'claimed',
    });
    expect(await decision()).toMatchObject({ kind: 'confirm', by: alice });
  });

  it('with nothing open says so, and reaches no model', async () => {
    const { write, notices, queued } = await setUp({ state: 'taken', turn: aTurn(9).id });
    const other = askCode(askId(session, aTurn().id, 7));
    await write(`确认${other}`);
    expect(notices()).toEqual([texts.refusal({ reason: 'no-open-ask' })]);
    expect(queued()).toEqual([]);
  });
});
