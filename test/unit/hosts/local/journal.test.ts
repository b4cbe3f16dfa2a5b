import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createJsonLog } from '#hosts/json-log.ts';
import { createJournal } from '#hosts/local/journal.ts';
import { captureLogLines, type LogLine, shortLine } from '#hosts/local/log-lines.ts';

const lineOf = (event: string, facts: LogLine['facts'] = {}): LogLine => ({
  time: '2026-11-18T10:00:00.000Z',
  level: 'info',
  event,
  facts,
});
const eventOf = (messageId: string, body: string) =>
  ({ Records: [{ messageId, body }] }) as SQSEvent;

describe('the journal', () => {
  it('keeps the lines of each session apart, a delivery being of the session whose job it is', async () => {
    const shown: string[] = [];
    const journal = createJournal(({ event }) => shown.push(event));
    const work = journal.watch('agent', async () =>
      journal.note(lineOf('put-back', { delivery: 'd1' })),
    );
    journal.note(lineOf('about-two', { session: 'two' }));
    await work(eventOf('d1', JSON.stringify({ type: 'message', session: 'one' })));
    journal.note(lineOf('put-back', { delivery: 'd1' }));

    expect(journal.eventsOf('one').map(({ event }) => event)).toEqual(['put-back', 'agent-worked']);
    expect(journal.eventsOf('one')[1]?.facts).toMatchObject({ job: 'message' });
    expect(journal.eventsOf('two').map(({ event }) => event)).toEqual(['about-two']);
    expect(shown).toEqual(['about-two', 'put-back', 'agent-worked', 'put-back']);
  });

  it('passes on what the function answers and what it throws, also for a body that is no job', async () => {
    const journal = createJournal(() => {});
    const answers = journal.watch('agent', async () => 'answer');
    expect(await answers(eventOf('d1', 'no json'))).toBe('answer');
    const throws = journal.watch('agent', () => Promise.reject(new Error('broken')));
    await expect(throws(eventOf('d1', '{}'))).rejects.toThrow('broken');
  });

  it('finds the session of a chat that was last at work, among those named below it', () => {
    const journal = createJournal(() => {});
    expect(journal.latestOf('feishu:app:c1')).toBe('feishu:app:c1');
    journal.note(lineOf('x', { session: 'feishu:app:c1:topic' }));
    journal.note(lineOf('x', { session: 'feishu:app:c10' }));
    expect(journal.latestOf('feishu:app:c1')).toBe('feishu:app:c1:topic');
  });

  it('forgets the oldest', () => {
    const journal = createJournal(() => {});
    for (let number = 0; number < 60; number += 1)
      journal.note(lineOf(`event-${number}`, { session: 'one' }));
    const events = journal.eventsOf('one').map(({ event }) => event);
    expect(events).toHaveLength(50);
    expect(events.at(-1)).toBe('event-59');
  });
});

describe('log lines', () => {
  it('are taken from the output, which shows everything else as before', () => {
    const written: unknown[] = [];
    const output = {
      write: (...given: unknown[]) => {
        written.push(given[0]);
        return true;
      },
    } as unknown as NodeJS.WriteStream;
    const taken: LogLine[] = [];
    const release = captureLogLines(output, (line) => taken.push(line));
    const log = createJsonLog((line) => output.write(line));
    log.warn('job-put-back', { delivery: 'd1', receives: 2 });
    output.write('hello\n');
    output.write('{"time": half a line');
    output.write(Buffer.from('bytes'));
    release();
    log.info('as before');

    expect(taken).toMatchObject([
      { level: 'warn', event: 'job-put-back', facts: { delivery: 'd1', receives: 2 } },
    ]);
    expect(written).toHaveLength(4);
    expect(written[3]).toContain('as before');
  });

  it('are short for a person', () => {
    const facts = {
      session: 'feishu:cli_standin000000001:oc_c0000000000000000000000000000001',
      why: `it broke ${'x'.repeat(999)}`,
      receives: 2,
      tools: ['write_note'],
    };
    const short = shortLine({ ...lineOf('job-put-back', facts), level: 'warn' });
    expect(short).toMatch(
      /^\d\d:\d\d:\d\d warn job-put-back session=feishu:cli_s…000000000001 why="it broke x+" receives=2 tools=\["write_note"\]$/,
    );
    expect(short.length).toBeLessThan(320);
  });
});
