import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { keys } from '#domain/keys.ts';
import { readSession, type Session } from '#domain/session.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { createWebhookHandler } from '#hosts/lambda/webhook-handler.ts';
import type { ClickShown, Post, StandIn } from '#hosts/local/standins/stand-in.ts';
import {
  type Channel,
  type ChannelDefinition,
  ChannelError,
  type Webhook,
  type WebhookRequest,
} from '#ports/channel.ts';
import { defineTool } from '#ports/tool.ts';
import { lambdaContext } from '../support/cloud.ts';
import { createMemoryPorts, recordFor } from '../support/memory-ports.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';

/** What a channel has to bring: itself, its platform's stand-in, and what only its platform knows. */
export interface ChannelUnderTest {
  readonly definition: ChannelDefinition;
  start(now: () => number): Promise<PlatformUnderTest>;
  /** Signed requests older than this are refused; a platform that delivers again hours later declares none. */
  readonly windowMs?: number;
  /** A genuine request as somebody without the secrets might change it. */
  forgeries(request: WebhookRequest): readonly WebhookRequest[];
}

export interface PlatformUnderTest {
  readonly standIn: StandIn & {
    setCallbackUrl(url: string): void;
    settled(): Promise<void>;
    deliveries(): readonly { readonly id: string }[];
    redeliver(event: string): Promise<void>;
  };
  /** The platform checks the address it was given, and says whether it may be used. */
  handshake?(): Promise<boolean>;
  /** Somebody presses a button of an ask's card. */
  press(card: Post, decision: 'confirm' | 'cancel', by: string): Promise<ClickShown>;
  /** The next call is refused because there were too many. */
  limitNext(): void;
  /** No card is taken from now on, for what is in it. */
  refuseCards(): void;
  /** Nothing will be taken from now on, and only people can change that. */
  refuseAll(): void;
}

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** The whole engine in memory behind the channel's own two halves, and the platform's stand-in on a real wire. */
const startBot = async (subject: ChannelUnderTest) => {
  const ran: string[] = [];
  const change = defineTool({
    description: 'changes something',
    input: z.object({ what: z.string() }),
    risk: 'HIGH',
    run: async ({ what }) => {
      ran.push(what);
      return 'changed';
    },
  });
  const model = scripted((text) =>
    text.startsWith('say ')
      ? [say(text.slice(4).repeat(2_000))]
      : [callTool('change', { what: text }), say('all done')],
  );
  const memory = createMemoryPorts(model, { change });
  const { clock, queue, store, logged } = memory;
  const platform = await subject.start(clock.now);
  const { standIn } = platform;
  cleanUp.push(standIn.stop);
  const setup = {
    environment: standIn.environment,
    language: 'zh-CN',
    clock,
    log: memory.ports.log,
    fetch,
  } as const;
  const webhook = subject.definition.createWebhook(setup);
  const channel = subject.definition.createChannel(setup);
  const ports = { ...memory.ports, channels: { [channel.name]: channel } };

  const requests: WebhookRequest[] = [];
  const handler = createWebhookHandler(async () => ({
    ...ports,
    webhooks: { [webhook.name]: webhook },
  }));
  const post = async (request: WebhookRequest): Promise<number> =>
    Number((await handler(eventOf(request))).statusCode);
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      path: incoming.url ?? '',
      headers: incoming.headers as Record<string, string>,
      body: Buffer.concat(chunks),
    };
    requests.push(request);
    const { statusCode = 500, headers, body } = await handler(eventOf(request));
    response.writeHead(statusCode, headers as Record<string, string>).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  standIn.setCallbackUrl(`http://127.0.0.1:${port}/webhook/${webhook.name}`);

  const agent = createAgentHandler(async () => ports);
  /** Everything queued, once; what fails and may be tried again stays. */
  const work = async (): Promise<void> => {
    await standIn.settled();
    const tried = new Set<string>();
    for (;;) {
      const next = queue.ready(clock.now()).find(({ id }) => !tried.has(id));
      if (!next) return;
      tried.add(next.id);
      const record = { ...recordFor(next.body), messageId: next.id };
      const sequenced = {
        ...record,
        attributes: { ...record.attributes, SequenceNumber: next.sequence },
      };
      const result = await agent({ Records: [sequenced] }, lambdaContext(240_000));
      if (result.batchItemFailures.length === 0) queue.remove(next.id);
    }
  };

  const [wang, li] = standIn.people;
  const group = standIn.chats.find(({ kind }) => kind === 'group');
  const single = standIn.chats.find(
    ({ kind, members }) => kind === 'single' && members[0] === wang?.id,
  );
  if (!wang || !li || !group || !single) throw new Error('the stand-in has nobody in it');
  const people = { wang: wang.id, li: li.id };
  const chats = { group: group.id, single: single.id };

  const write = async (chat: string, text: string, from = people.wang): Promise<void> => {
    clock.advance(1_500);
    await standIn.write({ chat, from, text, mention: true });
    await work();
  };
  const botPosts = (chat: string) => standIn.posts(chat).filter(({ from }) => from === 'bot');
  const cardIn = (chat: string): Post => {
    const card = botPosts(chat).findLast(({ content }) => content.kind === 'card');
    if (!card) throw new Error(`there is no card in ${chat}`);
    return card;
  };
  const textsIn = (chat: string) =>
    botPosts(chat).flatMap(({ content }) => (content.kind === 'text' ? [content.text] : []));
  const press = async (chat: string, decision: 'confirm' | 'cancel', by: string, card?: Post) => {
    clock.advance(1_500);
    const shown = await platform.press(card ?? cardIn(chat), decision, by);
    await work();
    return shown;
  };
  /** The session of a chat, by what was last logged of it. */
  const sessionOf = async (chat: string): Promise<Session> => {
    const last = logged.findLast(({ facts }) => String(facts['session']).includes(chat));
    if (!last) throw new Error(`nothing happened in ${chat}`);
    const id = last.facts['session'] as Session['id'];
    return readSession(id, (await store.read([keys.session(id)]))[0]);
  };
  return {
    ...{ platform, standIn, channel, webhook, people, chats, clock, logged, ran, requests },
    ...{ post, work, write, press, cardIn, textsIn, botPosts, sessionOf },
  };
};

const eventOf = ({ path, headers, body }: WebhookRequest): APIGatewayProxyEventV2 =>
  ({
    rawPath: path,
    headers,
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  }) as unknown as APIGatewayProxyEventV2;

/** The promises of every channel. */
export const describeChannel = (name: string, subject: ChannelUnderTest): void => {
  describe(`the channel ${name}`, () => {
    it('answers a message, in a group and in a single chat', async () => {
      const bot = await startBot(subject);
      for (const chat of [bot.chats.single, bot.chats.group]) {
        await bot.write(chat, 'say hello');
        expect(bot.textsIn(chat).join('')).toBe('hello'.repeat(2_000));
      }
    });

    it('refuses what is forged, and starts nothing by it', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const [genuine] = bot.requests;
      if (!genuine) throw new Error('nothing was delivered');
      const said = bot.botPosts(bot.chats.single).length;
      const forged = subject.forgeries(genuine);
      expect(forged.length).toBeGreaterThan(2);
      for (const request of forged) expect(await bot.post(request)).toBe(401);
      await bot.work();
      expect(bot.botPosts(bot.chats.single)).toHaveLength(said);
    });

    it(`refuses what is stale: ${subject.windowMs ?? 'it declares no window'}`, async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const [genuine] = bot.requests;
      if (!genuine) throw new Error('nothing was delivered');
      bot.clock.advance((subject.windowMs ?? 6 * 3_600_000) + 60_000);
      expect(await bot.post(genuine)).toBe(subject.windowMs === undefined ? 200 : 401);
    });

    it('passes the check of its address, where the platform makes one', async () => {
      const { platform } = await startBot(subject);
      expect((await platform.handshake?.()) ?? true).toBe(true);
    });

    it('takes a message that is delivered again for the one it was', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const said = bot.textsIn(bot.chats.single);
      const [delivery] = bot.standIn.deliveries();
      await bot.standIn.redeliver(delivery?.id ?? '');
      for (const request of [...bot.requests]) expect(await bot.post(request)).toBe(200);
      await bot.work();
      expect(bot.textsIn(bot.chats.single)).toEqual(said);
    });

    it('shows what would run, and runs it once when somebody presses the button', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.group, 'drop *table* <b>');
      expect(bot.ran).toEqual([]);
      await bot.press(bot.chats.group, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual(['drop *table* <b>']);
      expect(bot.textsIn(bot.chats.group).at(-1)).toBe('all done');
      expect((await bot.sessionOf(bot.chats.group)).phase).toBe('IDLE');
    });

    it('takes a press that is delivered again for the one it was', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.group, 'drop it');
      await bot.press(bot.chats.group, 'confirm', bot.people.wang);
      const posts = bot.botPosts(bot.chats.group).length;
      const pressed = bot.requests.at(-1);
      if (!pressed) throw new Error('nothing was delivered');
      expect(await bot.post(pressed)).toBe(200);
      await bot.work();
      expect(bot.ran).toEqual(['drop it']);
      expect(bot.botPosts(bot.chats.group)).toHaveLength(posts);
    });

    it('runs nothing when the button says no', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'drop it');
      await bot.press(bot.chats.single, 'cancel', bot.people.wang);
      expect(bot.ran).toEqual([]);
      expect((await bot.sessionOf(bot.chats.single)).ask?.decision).toMatchObject({
        kind: 'cancel',
      });
    });

    it('matches a press to its own ask and to nobody else', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'first');
      await bot.press(bot.chats.single, 'cancel', bot.people.wang);
      const old = bot.cardIn(bot.chats.single);
      await bot.write(bot.chats.single, 'second');
      expect(bot.cardIn(bot.chats.single).id).not.toBe(old.id);
      await bot.write(bot.chats.group, 'third', bot.people.li);
      await bot.press(bot.chats.single, 'confirm', bot.people.wang, old);
      expect(bot.ran).toEqual([]);
      // Somebody else's ask: only the one who asked may decide it.
      await bot.press(bot.chats.group, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual([]);
      await bot.press(bot.chats.group, 'confirm', bot.people.li);
      expect(bot.ran).toEqual(['third']);
      await bot.press(bot.chats.single, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual(['third', 'second']);
    });

    it('takes the words of those who may decide, and of nobody else', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.group, 'drop it');
      await bot.write(bot.chats.group, '确认', bot.people.li);
      expect(bot.ran).toEqual([]);
      await bot.write(bot.chats.group, '确认');
      expect(bot.ran).toEqual(['drop it']);
    });

    it('keeps a long reply in order and whole', async () => {
      const bot = await startBot(subject);
      const line = `${'字'.repeat(30)}\n`;
      await bot.write(bot.chats.single, `say ${line.trim()}`);
      const texts = bot.textsIn(bot.chats.single);
      expect(texts.join('')).toBe('字'.repeat(30).repeat(2_000));
      expect(texts.length).toBeGreaterThan(1);
    });

    it('waits out a limit, and then says it', async () => {
      const bot = await startBot(subject);
      bot.platform.limitNext();
      await bot.write(bot.chats.single, 'say hi');
      expect(bot.textsIn(bot.chats.single).join('')).toBe('hi'.repeat(2_000));
    });

    it('puts what cannot be a card into words that can be answered', async () => {
      const bot = await startBot(subject);
      bot.platform.refuseCards();
      await bot.write(bot.chats.single, 'drop it');
      expect(bot.textsIn(bot.chats.single).join('\n')).toContain('│ drop it');
      await bot.write(bot.chats.single, '确认');
      expect(bot.ran).toEqual(['drop it']);
    });

    it('says of a send that will never work that it need not be tried again', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const to = (await lastAddress(bot)) as Parameters<Channel['say']>[0];
      bot.platform.refuseAll();
      const failure = await bot.channel.say(to, 'x', 'k').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ChannelError);
      expect(failure).toMatchObject({ retryable: false });
      expect(bot.logged).toContainEqual({
        event: `${subject.definition.name}-failed`,
        facts: expect.objectContaining({ class: 'operator', todo: expect.any(String) }),
      });
    });

    it('ends the turn and frees the session when nothing can be sent at all', async () => {
      const bot = await startBot(subject);
      bot.platform.refuseAll();
      await bot.write(bot.chats.single, 'drop it');
      const { phase, turn } = await bot.sessionOf(bot.chats.single);
      expect({ phase, turn }).toEqual({ phase: 'IDLE', turn: undefined });
      expect(bot.ran).toEqual([]);
    });
  });
};

/** Where the last message came from, as the channel read it. */
const lastAddress = async ({
  webhook,
  requests,
  clock,
}: {
  readonly webhook: Webhook;
  readonly requests: readonly WebhookRequest[];
  readonly clock: { now(): number };
}): Promise<unknown> => {
  const last = requests.at(-1);
  const received = last && (await webhook.receive(last, clock.now()));
  const [inbound] = received?.kind === 'received' ? received.inbound : [];
  return inbound?.type === 'message' ? inbound.to : undefined;
};
