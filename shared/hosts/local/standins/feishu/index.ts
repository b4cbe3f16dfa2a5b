import { createDeliveries, type Delivery } from '../deliveries.ts';
import { createFaults, type Fault } from '../faults.ts';
import { parseJson } from '../json.ts';
import type { Post, StandIn, Written } from '../stand-in.ts';
import { createApi } from './api.ts';
import { createCaller } from './callbacks.ts';
import { createClickTokens } from './card-update.ts';
import { createCardsShown } from './cards-shown.ts';
import { click } from './clicks.ts';
import { mentionPeople, seenText } from './content.ts';
import { newId } from './crypto.ts';
import { messageReceived, outgoing } from './events.ts';
import { createLimits, type Rates } from './limits.ts';
import { startServer } from './server.ts';
import { createState, type Message } from './state.ts';
import { createTokens } from './tokens.ts';
import { type UrlCheck, verifyUrl } from './verify-url.ts';
import { CHATS, chatOf, type FeishuSecrets, PEOPLE, personOf, STANDIN_SECRETS } from './world.ts';

/** Page event subscription: answered with HTTP 200 within 3 s, or sent again after each of these pauses. */
const ANSWER_WITHIN_MS = 3_000;
const PAUSES_MS = [15_000, 300_000, 3_600_000, 21_600_000];

export interface FeishuStandInOptions {
  /** Where the bot takes events and card callbacks; may be said later. Nothing is sent before. */
  readonly callbackUrl?: string;
  /** Where messages, redeliveries and uuids outlive the process. */
  readonly stateFile?: string;
  readonly port?: number;
  /** What the pauses before redelivery are multiplied by; 1 is 15 s, 5 min, 1 h, 6 h. */
  readonly redeliveryScale?: number;
  /** 3 s on the platform. */
  readonly answerWithinMs?: number;
  /** The scope that delivers a group's every message, not only those that mention the bot. */
  readonly allGroupMessages?: boolean;
  readonly now?: () => number;
  readonly secrets?: Partial<FeishuSecrets>;
}

/** Feishu on this machine: its API, its people and chats, and what tests switch on. */
export interface FeishuStandIn extends StandIn {
  setCallbackUrl(url: string): void;
  /** Sends the challenge that the console sends when the URL is saved. */
  verifyUrl(): Promise<UrlCheck>;
  /** Makes the next calls fail, or answers them late. */
  fail(fault: Fault<number>): void;
  rateLimit(rates: Partial<Rates>): void;
  /** What was sent to the bot, oldest first. */
  deliveries(): readonly Delivery[];
  /** Sends an event once more although it was taken. */
  redeliver(event: string): Promise<void>;
  /** Somebody takes a message back. */
  recall(message: string): void;
  /** Sends what is due, for a test that owns the clock. */
  tick(): Promise<void>;
  /** Waits for the deliveries under way. */
  settled(): Promise<void>;
}

const toPost = (message: Message): Post => ({
  id: message.id,
  chat: message.chat,
  from: message.from,
  at: message.at,
  ...(message.updatedAt !== undefined && { updatedAt: message.updatedAt }),
  content:
    message.type === 'interactive'
      ? { kind: 'card', card: parseJson(message.content) }
      : { kind: 'text', text: seenText(message) },
  ...(message.parent !== undefined && { replyTo: message.parent }),
  ...(message.thread !== undefined && { topic: message.thread }),
  reactions: message.reactions.map(({ emoji }) => emoji),
});

export const startFeishuStandIn = async (options: FeishuStandInOptions): Promise<FeishuStandIn> => {
  const { now = Date.now, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const secrets = { ...STANDIN_SECRETS, ...options.secrets };
  const listeners = new Set<(chat: string) => void>();
  const changed = (chat: string) => {
    for (const listener of listeners) listener(chat);
  };

  const state = createState(options.stateFile, now);
  const limits = createLimits(now);
  const faults = createFaults<number>();
  const cards = createCardsShown(state, now, changed);
  const platform = { secrets, state, limits, cards, now, changed };
  const caller = createCaller(secrets, now, options.callbackUrl);
  const scale = options.redeliveryScale ?? 1;
  const deliveries = createDeliveries({
    table: state.deliveries,
    ready: () => caller.url() !== undefined,
    call: ({ payload }) => caller.call(payload, answerWithinMs),
    now,
    pausesMs: PAUSES_MS.map((pause) => pause * scale),
  });
  const tokens = createClickTokens(platform);
  const api = createApi(platform, createTokens(secrets, now), tokens);
  const server = await startServer(api, faults, options.port ?? 0);
  deliveries.wake();

  const write = async (written: Written): Promise<Post> => {
    const { chat: chatId, from, text, mention, replyTo, inTopic } = written;
    const chat = chatOf(chatId);
    const sender = personOf(from);
    if (!chat || !sender || !chat.members.includes(from))
      throw new Error(`${from} is not in a chat ${chatId}`);
    const parent = replyTo === undefined ? undefined : state.messages.get(replyTo);
    if (replyTo !== undefined && parent?.chat !== chatId)
      throw new Error(`there is no message ${replyTo} in ${chatId}`);
    if (inTopic && !chat.topics) throw new Error(`${chatId} has no topics`);
    const thread = parent?.thread ?? (inTopic ? newId('omt_') : undefined);
    if (parent && thread) state.messages.put(parent.id, { ...parent, thread });
    const called = chat.kind === 'group' && mention;
    const typed = mentionPeople(text, chat, called);
    const message: Message = {
      id: newId('om_'),
      chat: chatId,
      from,
      type: 'text',
      content: JSON.stringify({ text: typed.text }),
      at: now(),
      edits: 0,
      mentions: typed.mentions,
      reactions: [],
      ...(parent && { root: parent.root ?? parent.id, parent: parent.id }),
      ...(thread && { thread }),
    };
    state.messages.put(message.id, message);
    changed(chatId);
    if (chat.kind === 'single' || called || options.allGroupMessages)
      deliveries.send(outgoing(messageReceived(secrets, message, chat, sender), message.id));
    return toPost(message);
  };

  return {
    name: 'feishu',
    endpoint: server.endpoint,
    environment: {
      FEISHU_APP_ID: secrets.appId,
      FEISHU_APP_SECRET: secrets.appSecret,
      FEISHU_ENCRYPT_KEY: secrets.encryptKey,
      FEISHU_VERIFICATION_TOKEN: secrets.verificationToken,
      FEISHU_BASE_URL: server.endpoint,
    },
    people: PEOPLE.map(({ id, name }) => ({ id, name })),
    chats: CHATS.map(({ id, name, kind, members }) => ({ id, name, kind, members })),
    posts: (chat) =>
      state.messages
        .all()
        .filter((message) => message.chat === chat && !message.recalled)
        .map(toPost),
    write,
    click: (made) => click({ platform, caller, deliveries, tokens, answerWithinMs }, made),
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: async () => {
      caller.stop();
      await Promise.all([server.stop(), deliveries.stop()]);
      state.close();
    },
    setCallbackUrl: (url) => {
      caller.setUrl(url);
      deliveries.wake();
    },
    verifyUrl: () => verifyUrl(caller, secrets),
    fail: faults.add,
    rateLimit: limits.set,
    deliveries: state.deliveries.all,
    redeliver: deliveries.redeliver,
    recall: (id) => {
      const message = state.messages.get(id);
      if (!message) throw new Error(`there is no message ${id}`);
      state.messages.put(id, { ...message, recalled: true });
      changed(message.chat);
    },
    tick: deliveries.tick,
    settled: deliveries.settled,
  };
};
