import { describe, expect, it } from 'vitest';
import { askId, type JobName, messageId, type SessionId, turnId } from '#domain/ids.ts';
import type { InboundMessage } from '#domain/inbound.ts';
import { envelope, type Job, nameOf, type TurnJob } from '#domain/job.ts';
import { alice, aTurn, session } from './given.ts';

const message: InboundMessage = {
  type: 'message',
  id: messageId('om_1'),
  from: alice,
  bot: false,
  to: aTurn().to,
  text: '删掉旧订单 🗑️',
  sentAt: 1,
  mentions: [],
  mentionsSomeBot: true,
};
const turn = turnId('7');
const after = 'm:om_0' as JobName;
const turnJobs: TurnJob[] = [
  { type: 'message', session, message },
  { type: 'resume', session, ask: askId(session, turn, 1), turn },
  { type: 'next', session, message: message.id, turn, after },
  { type: 'more', session, turn, after, part: 2 },
];
const controlJobs: Job[] = [
  { type: 'command', session, command: 'cancel', message },
  { type: 'notice', session, to: message.to, text: 'hm', key: 't:om_1' },
];

describe('a job', () => {
  it('has the same name on every delivery, and no two jobs share one', () => {
    const names = turnJobs.map(nameOf);
    expect(turnJobs.map((job) => nameOf(structuredClone(job)))).toEqual(names);
    expect(new Set(names).size).toBe(names.length);
    expect(names.map((name) => name.slice(0, 2))).toEqual(['m:', 'r:', 'n:', 'c:']);
  });

  it('that runs the next message is named for the turn it follows: a second drain is another job', () => {
    const next = (follows: string) =>
      nameOf({ type: 'next', session, message: message.id, turn, after: follows as JobName });
    expect(next('m:om_0')).not.toBe(next('m:om_5'));
  });

  it('keeps group and deduplication id within what SQS takes, whatever the ids hold', () => {
    const wild = `client:x:${'会话 \n'.repeat(100)}` as SessionId;
    for (const job of [...turnJobs, ...controlJobs]) {
      const { group, deduplication } = envelope(
        { ...job, session: wild },
        `m:${'消息'.repeat(500)}`,
      );
      expect(group).toMatch(/^[\x21-\x7e]{1,128}$/);
      expect(deduplication).toMatch(/^[\x21-\x7e]{1,128}$/);
    }
  });

  it('travels in its session’s lane; commands and notices have one of their own', () => {
    const groups = turnJobs.map((job) => envelope(job, 'x').group);
    const control = controlJobs.map((job) => envelope(job, 'x').group);
    expect(new Set(groups).size).toBe(1);
    expect(new Set(control)).toEqual(new Set([`${groups[0]}-control`]));
    const elsewhere = envelope(
      { ...(turnJobs[0] as TurnJob), session: 'client:a:b' as SessionId },
      'x',
    );
    expect(elsewhere.group).not.toBe(groups[0]);
    expect(elsewhere.deduplication).not.toBe(envelope(turnJobs[0] as Job, 'x').deduplication);
  });

  it('is dropped as a repeat only when the same sender sends it again', () => {
    const [job] = turnJobs as [Job];
    expect(envelope(job, 'd:a:1')).toEqual(envelope(job, 'd:a:1'));
    expect(envelope(job, 'd:a:1').deduplication).not.toBe(envelope(job, 'd:a:2').deduplication);
  });

  it('arrives as it was sent', () => {
    for (const job of [...turnJobs, ...controlJobs])
      expect(JSON.parse(envelope(job, 'x').body)).toEqual(job);
  });
});
