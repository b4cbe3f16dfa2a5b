import * as z from 'zod';
import type { Inbound } from '#domain/inbound.ts';
import type { AskView, Channel, Sent, Webhook } from '#ports/channel.ts';

export const TEST_CHANNEL = 'test';
export const TEST_SECRET = 'a-secret-of-tests';
export const SECRET_HEADER = 'x-test-secret';

export interface Card {
  readonly sent: Sent;
  /** As first shown, then after each update. */
  readonly views: AskView[];
}

/** A platform in memory: what the engine said and showed. The same key shows once. */
export interface TestChannel {
  readonly channel: Channel;
  readonly webhook: Webhook;
  readonly said: Map<string, { readonly chat: string; readonly text: string }>;
  readonly cards: Map<string, Card>;
  texts(): readonly string[];
  lastCard(): Card;
}

export const createTestChannel = (now: () => number): TestChannel => {
  const said: TestChannel['said'] = new Map();
  const cards: TestChannel['cards'] = new Map();
  const updates = new Set<string>();

  const channel: Channel = {
    name: TEST_CHANNEL,
    say: async ({ chat }, text, key) => {
      if (!said.has(key)) said.set(key, { chat, text });
    },
    show: async (view, receiver, key) => {
      const shown = cards.get(key);
      if (shown) return shown.sent;
      const chat = receiver.kind === 'chat' ? receiver.to.chat : `private:${receiver.person}`;
      const sent = { chat, message: `card-${key}`, time: now() };
      cards.set(key, { sent, views: [view] });
      return sent;
    },
    update: async (view, sent, key) => {
      const card = [...cards.values()].find((one) => one.sent.message === sent.message);
      if (!card) throw new Error(`no card is called ${sent.message}`);
      if (!updates.has(key)) card.views.push(view);
      updates.add(key);
    },
  };

  return {
    channel,
    webhook,
    said,
    cards,
    texts: () => [...said.values()].map(({ text }) => text),
    lastCard: () => {
      const card = [...cards.values()].at(-1);
      if (!card) throw new Error('no card was shown');
      return card;
    },
  };
};

const text = z.string().min(1);
const inbound = z.array(
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('message'), id: text, from: text, text: z.string() }),
    z.looseObject({ type: z.literal('decision'), id: text, session: text, ask: text, by: text }),
  ]),
);

/** Its wire format is our own `Inbound`, as a list; a shared secret stands for the signature. */
const webhook: Webhook = {
  name: TEST_CHANNEL,
  receive: async ({ headers, body }) => {
    if (headers[SECRET_HEADER] !== TEST_SECRET) return answered(401);
    const parsed = inbound.safeParse(JSON.parse(new TextDecoder().decode(body)));
    if (!parsed.success) return answered(400);
    return { kind: 'received', inbound: parsed.data as unknown as Inbound[] };
  },
  answer: (outcomes) => ({
    status: 200,
    body: { outcomes: outcomes.map((one) => one && { kind: one.kind, text: one.text }) },
  }),
};

const answered = (status: number) => ({ kind: 'answered', answer: { status, body: {} } }) as const;
