import { describe, expect, it } from 'vitest';
import type { Envelope } from '#domain/job.ts';
import type { Queue } from '#ports/queue.ts';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly sequence: string;
  remove(): Promise<void>;
  /** Gives it back, to come again after so many seconds. */
  postpone(seconds: number): Promise<void>;
}

export interface OpenQueue {
  readonly queue: Queue;
  /** The next message that may be given out, and only one. */
  receive(): Promise<Received | undefined>;
  /** Bodies of the dead letters. */
  dead(): Promise<readonly string[]>;
  /** Lets that much time pass. */
  pass(seconds: number): Promise<void>;
}

let sent = 0;
const job = (body: string, more: Partial<Envelope> = {}): Envelope => {
  sent += 1;
  return { group: 'session-1', deduplication: `intent-${sent}`, body, ...more };
};

/** `open` makes an empty queue that gives up on a message after two receives. */
export const describeQueue = (name: string, open: () => Promise<OpenQueue>): void => {
  describe(`${name}: queue`, () => {
    it('gives out a group in the order sent, one at a time', async () => {
      const { queue, receive } = await open();
      for (const body of ['1', '2', '3']) await queue.send(job(body));
      const bodies: string[] = [];
      for (let message = await receive(); message; message = await receive()) {
        bodies.push(message.body);
        expect(await receive(), 'the group is blocked while one is in flight').toBeUndefined();
        await message.remove();
      }
      expect(bodies).toEqual(['1', '2', '3']);
    });

    it('lets no group wait for another', async () => {
      const { queue, receive } = await open();
      await queue.send(job('turn'));
      await queue.send(job('next turn'));
      await queue.send(job('command', { group: 'session-1-control' }));
      const first = await receive();
      const second = await receive();
      expect([first?.body, second?.body].sort()).toEqual(['command', 'turn']);
      expect(await receive()).toBeUndefined();
    });

    it('drops a repeat of a deduplication id silently, also when the first is gone', async () => {
      const { queue, receive } = await open();
      await queue.send(job('first', { deduplication: 'same' }));
      await queue.send(job('waiting repeat', { deduplication: 'same' }));
      await (await receive())?.remove();
      expect(await receive()).toBeUndefined();
      await queue.send(job('late repeat', { deduplication: 'same' }));
      expect(await receive()).toBeUndefined();
    });

    it('drops a repeat from another group too', async () => {
      const { queue, receive } = await open();
      await queue.send(job('first', { deduplication: 'same' }));
      await queue.send(job('repeat', { deduplication: 'same', group: 'session-2' }));
      await (await receive())?.remove();
      expect(await receive()).toBeUndefined();
    });

    it('gives a message again, as itself, when nobody removed it in time', async () => {
      const { queue, receive, pass } = await open();
      await queue.send(job('1'));
      await queue.send(job('2'));
      const first = await receive();
      await first?.postpone(1);
      expect(await receive(), 'the group waits for it').toBeUndefined();
      await pass(1.2);
      const again = await receive();
      expect(again).toMatchObject({ id: first?.id, body: '1', sequence: first?.sequence });
    });

    it('puts a message aside that was received too often, and goes on with its group', async () => {
      const { queue, receive, dead } = await open();
      await queue.send(job('poison'));
      await queue.send(job('fine'));
      await (await receive())?.postpone(0);
      await (await receive())?.postpone(0);
      const next = (await receive()) ?? (await receive());
      expect(next?.body).toBe('fine');
      expect(await dead()).toEqual(['poison']);
    });

    it('numbers its messages upwards over all groups, with numbers of real size', async () => {
      const { queue, receive } = await open();
      const sequences: string[] = [];
      for (const group of ['a', 'b', 'a', 'c']) {
        await queue.send(job('x', { group }));
        const message = await receive();
        sequences.push(String(message?.sequence));
        await message?.remove();
      }
      expect(sequences.toSorted()).toEqual(sequences);
      expect(new Set(sequences).size).toBe(4);
      for (const sequence of sequences) expect(sequence).toMatch(/^[1-9]\d{19}$/);
    });

    it('carries Chinese text, emoji and characters that SQS does not take', async () => {
      const { queue, receive } = await open();
      const message = { text: '不确认 👩‍👩‍👧 <b>&amp;</b> "\\" \u0000\u202e\ufffe\uffff\ud83d' };
      await queue.send(job(JSON.stringify(message)));
      expect(JSON.parse(String((await receive())?.body))).toEqual(message);
    });
  });
};
