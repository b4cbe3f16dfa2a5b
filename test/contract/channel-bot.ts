import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach } from 'vitest';
import * as z from 'zod';
import { keys } from '#domain/keys.ts';
import { readSession, type Session } from '#domain/session.ts';
import { createAgentHandler } from '#hosts/lambda/agent-handler.ts';
import { createWebhookHandler } from '#hosts/lambda/webhook-handler.ts';
import type { ClickShown, Post, StandIn } from '#hosts/local/standins/stand-in.ts';
import type { ChannelDefinition, WebhookRequest } from '#ports/channel.ts';
import type { FrontPorts } from '#ports/engine.ts';
import type { Model, ModelMessage } from '#ports/model.ts';
import { defineTool } from '#ports/tool.ts';
import { askUser } from '#tools/ask-user.ts';
import { lambdaContext, settingsWith } from '../support/cloud.ts';
import { createMemoryPorts, recordFor } from '../support/memory-ports.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';

/** What a channel has to bring: itself, its platform's stand-in, and what only its platform knows. */
export interface ChannelUnderTest {
  readonly definition: ChannelDefinition;
  start(now: () => number): Promise<PlatformUnderTest>;
  /** Signed requests older than this are refused; a platform that delivers again hours later declares none. */
  readonly windowMs?: number;
  /** Whether a button calls back, or writes for who presses it. */
  readonly buttons: 'call' | 'write';
  /** What its cards have forms for; all else is typed. */
  readonly forms: readonly FormKind[];
  /** A genuine request as somebody without the secrets might change it. */
  forgeries(request: WebhookRequest): readonly WebhookRequest[];
  /** What the platform sends when a bot says this, or when somebody sends a picture, made of a message it did send. */
  remade(message: WebhookRequest, as: { readonly botSays: string } | 'picture'): WebhookRequest;
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
  /** Somebody fills in a form of an ask's card. */
  submit(
    card: Post,
    form: FormKind,
    entered: string | readonly string[],
    by: string,
  ): Promise<ClickShown>;
  /** What somebody whose press was refused has been told of it. */
  toldWhy(card: Post, by: string, shown: ClickShown): string;
  /** The next call is refused because there were too many. */
  limitNext(): void;
  /** No card is taken from now on, for what is in it. */
  refuseCards(): void;
  /** Nothing will be taken from now on, and only people can change that. */
  refuseAll(): void;
}

export type FormKind = 'modify' | 'answer';

export const withHeader = (request: WebhookRequest, name: string, value: string | undefined) => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});
export const cardOf = ({ content }: Post): unknown =>
  content.kind === 'card' ? content.card : undefined;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** The whole engine in memory behind the channel's own two halves, and the platform's stand-in on a real wire. */
export const startBot = async (
  subject: ChannelUnderTest,
  approval: (people: StandIn['people']) => object = () => ({}),
) => {
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
  const heard: (readonly ModelMessage[])[] = [];
  const memory = createMemoryPorts(listening(heard), { change, ask_user: askUser });
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
  const ports = {
    ...memory.ports,
    channels: { [channel.name]: channel },
    settings: settingsWith(approval(standIn.people)),
  };

  const requests: WebhookRequest[] = [];
  /** What each request made the webhook call, before it answered. */
  const costs: (readonly string[])[] = [];
  const handler = async (event: APIGatewayProxyEventV2) => {
    const { metered, calls, stop } = meter(ports);
    const handle = createWebhookHandler(async () => ({
      ...metered,
      webhooks: { [webhook.name]: webhook },
    }));
    const answer = await handle(event);
    stop();
    costs.push(calls);
    return answer;
  };
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
  const singleOf = (person: { readonly id: string } | undefined) =>
    standIn.chats.find(({ kind, members }) => kind === 'single' && members[0] === person?.id);
  const [single, another] = [singleOf(wang), singleOf(li)];
  if (!wang || !li || !group || !single || !another)
    throw new Error('the stand-in has nobody in it');
  const people = { wang: wang.id, li: li.id };
  const chats = { group: group.id, single: single.id, ofLi: another.id };

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
  const submit = async (chat: string, kind: FormKind, entered: string | readonly string[]) => {
    clock.advance(1_500);
    const shown = await platform.submit(cardIn(chat), kind, entered, people.wang);
    await work();
    return shown;
  };
  /** What the model was last told of its calls. */
  const results = () =>
    (heard.at(-1) ?? []).flatMap((message) => (message.role === 'result' ? [message.text] : []));
  /** The session of a chat, by what was last logged of it. */
  const sessionOf = async (chat: string): Promise<Session> => {
    const last = logged.findLast(({ facts }) => String(facts['session']).includes(chat));
    if (!last) throw new Error(`nothing happened in ${chat}`);
    const id = last.facts['session'] as Session['id'];
    return readSession(id, (await store.read([keys.session(id)]))[0]);
  };
  return {
    ...{ platform, standIn, channel, webhook, people, chats, clock, logged, ran, heard, requests },
    ...{ post, work, write, press, submit, cardIn, textsIn, botPosts, sessionOf, results, costs },
  };
};

/** Notes every call: one of the store or the queue is one call of AWS (`store.test.ts` holds it to that). */
const meter = (ports: FrontPorts) => {
  const calls: string[] = [];
  const noting = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name, receiver) => {
        calls.push(String(name));
        return Reflect.get(target, name, receiver);
      },
    });
  const { fetch: elsewhere } = globalThis;
  globalThis.fetch = (...request) => {
    calls.push('fetch');
    return elsewhere(...request);
  };
  const stop = () => {
    globalThis.fetch = elsewhere;
  };
  return {
    metered: { ...ports, store: noting(ports.store), queue: noting(ports.queue) },
    calls,
    stop,
  };
};

/** What it does follows from the text: `say …`, `ask {…}`, `twice …`, else it changes what the text says. */
const listening = (heard: (readonly ModelMessage[])[]): Model => {
  const script = scripted((text) => {
    const [, verb, rest = ''] = /^(say|ask|twice) (.*)$/su.exec(text) ?? [];
    if (verb === 'say') return [say(rest.repeat(2_000))];
    if (verb === 'ask') return [callTool('ask_user', JSON.parse(rest)), say('thank you')];
    const change = callTool('change', { what: rest || text });
    return verb === 'twice' ? [change, change, say('all done')] : [change, say('all done')];
  });
  return {
    think: (request) => {
      heard.push(request.messages);
      return script.think(request);
    },
  };
};

const eventOf = ({ path, headers, body }: WebhookRequest): APIGatewayProxyEventV2 =>
  ({
    rawPath: path,
    headers,
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  }) as unknown as APIGatewayProxyEventV2;
