import { type ApiRequest, startApiServer } from '../api-server.ts';
import { type BotAnswer, callBot } from '../bot-call.ts';
import { createDeliveries, type Delivery, type Outgoing } from '../deliveries.ts';
import { createFaults, type Fault } from '../faults.ts';
import { parseJson } from '../json.ts';
import type { Post, StandIn, Written } from '../stand-in.ts';
import { refuseAs } from './answers.ts';
import { createApi, createOldApi } from './api.ts';
import { createCardData } from './card-data.ts';
import { click } from './clicks.ts';
import { readSent } from './content.ts';
import { cardHeaders, newId, robotHeaders } from './crypto.ts';
import type { Attachment } from './events.ts';
import { createLimits, type Rates } from './limits.ts';
import type { Platform } from './platform.ts';
import { attachmentText, toPost } from './posts.ts';
import { createSpeaker } from './speak.ts';
import { createState, type Message } from './state.ts';
import { shippedTemplate } from './template.ts';
import { createTokens } from './tokens.ts';
import { CHATS, type DingtalkSecrets, PEOPLE, STANDIN_SECRETS } from './world.ts';

/** Page event-callback-card. */
const CARD_ANSWER_WITHIN_MS = 2_000;
/** Not documented. */
const MESSAGE_ANSWER_WITHIN_MS = 5_000;

export interface DingtalkStandInOptions {
  /** The bot's webhook without its last, secret part; may be said later. Nothing is sent before. */
  readonly callbackUrl?: string;
  /** Where messages, cards and routes outlive the process. */
  readonly stateFile?: string;
  /** `interactive`: the bot is given a card template and its route is registered. `action`: it has none. */
  readonly cards?: 'interactive' | 'action';
  /** Overrides the platform's limits for both kinds of callback. */
  readonly answerWithinMs?: number;
  /** The pauses before a robot message that was not taken comes again. Not documented, so there are none. */
  readonly redeliveryPausesMs?: readonly number[];
  readonly now?: () => number;
  readonly secrets?: Partial<DingtalkSecrets>;
}

/** DingTalk on this machine: its two hosts, its people and chats, and what tests switch on. */
export interface DingtalkStandIn extends StandIn {
  setCallbackUrl(url: string): void;
  /** A person sends a picture, a file, … */
  attach(attached: Omit<Written, 'text'> & Attachment): Promise<Post>;
  /** Makes the next calls fail, or answers them late. A number is an `errcode` of the old host. */
  fail(fault: Fault<string | number>): void;
  /** Makes the next deliveries of a card fail, although the card is there and HTTP says 200. */
  failDeliveries(times: number): void;
  rateLimit(rates: Partial<Rates>): void;
  /** What was sent to the bot, oldest first. */
  deliveries(): readonly Delivery[];
  /** Sends an event once more although it was taken. */
  redeliver(event: string): Promise<void>;
  /** Sends what is due, for a test that owns the clock. */
  tick(): Promise<void>;
  /** Waits for the deliveries under way. */
  settled(): Promise<void>;
}

const faulty = ({ code = '', status, headers }: Fault<string | number>) => ({
  ...(typeof code === 'number'
    ? { status: status ?? 200, body: { errcode: code, errmsg: 'switched on for a test' } }
    : refuseAs(code, 'switched on for a test', status)),
  ...(headers && { headers }),
});

export const startDingtalkStandIn = async (
  options: DingtalkStandInOptions,
): Promise<DingtalkStandIn> => {
  const { now = Date.now, cards: mode = 'interactive' } = options;
  const secrets = { ...STANDIN_SECRETS, ...options.secrets };
  const stopping = new AbortController();
  const listeners = new Set<(chat: string) => void>();
  const changed = (chat: string) => {
    for (const listener of listeners) listener(chat);
  };

  const state = createState(options.stateFile, now);
  const limits = createLimits(now);
  const faults = createFaults<string | number>();
  const platform: Platform = {
    secrets,
    template: shippedTemplate(),
    state,
    limits,
    cards: createCardData(state, now, changed),
    now,
    post: (given) => {
      const message: Message = { id: newId('msg'), at: now(), ...given };
      state.messages.put(message.id, message);
      changed(message.chat);
      return message;
    },
    undeliverable: 0,
  };

  let botUrl: string | undefined;
  const setCallbackUrl = (url: string) => {
    botUrl = `${url}/${secrets.pathSecret}`;
    // What the owner of a bot does once, by a command.
    if (mode === 'interactive')
      state.routes.put(secrets.cardRouteKey, {
        callbackUrl: `${botUrl}/card`,
        apiSecret: secrets.cardApiSecret,
      });
  };
  if (options.callbackUrl !== undefined) setCallbackUrl(options.callbackUrl);

  const call = (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    limitMs: number,
  ): Promise<BotAnswer> =>
    callBot({
      url,
      headers,
      body,
      limitMs: options.answerWithinMs ?? limitMs,
      stopping: stopping.signal,
    });

  /** The bot may answer a message with a message. */
  const showAnswer = ({ message: id }: Outgoing, answer: BotAnswer) => {
    const chat = state.messages.get(id)?.chat;
    if (answer.kind !== 'answered' || answer.status !== 200 || chat === undefined) return;
    const read = readSent(parseJson(answer.text));
    if ('content' in read) platform.post({ chat, from: 'bot', content: read.content });
  };
  const deliveries = createDeliveries({
    table: state.deliveries,
    ready: () => botUrl !== undefined,
    call: ({ payload }) =>
      call(botUrl ?? '', robotHeaders(secrets.appSecret, now()), payload, MESSAGE_ANSWER_WITHIN_MS),
    now,
    pausesMs: options.redeliveryPausesMs ?? [],
    answered: showAnswer,
  });

  const serve = (answer: ReturnType<typeof createApi>) =>
    startApiServer(
      (request: ApiRequest, signal) => faults.meet(request, () => answer(request), faulty, signal),
      (why) => refuseAs('system.busy', why, 500),
      0,
    );
  const api = await serve(createApi(platform, createTokens(secrets, now)));
  const oldApi = await serve(createOldApi(platform));
  deliveries.wake();

  const speak = createSpeaker(platform, deliveries, oldApi.endpoint);

  return {
    name: 'dingtalk',
    endpoint: api.endpoint,
    environment: {
      DINGTALK_APP_KEY: secrets.appKey,
      DINGTALK_APP_SECRET: secrets.appSecret,
      DINGTALK_ROBOT_CODE: secrets.robotCode,
      DINGTALK_CORP_ID: secrets.corpId,
      DINGTALK_PATH_SECRET: secrets.pathSecret,
      ...(mode === 'interactive' && {
        DINGTALK_CARD_TEMPLATE_ID: secrets.cardTemplateId,
        DINGTALK_CARD_ROUTE_KEY: secrets.cardRouteKey,
        DINGTALK_CARD_API_SECRET: secrets.cardApiSecret,
      }),
      DINGTALK_BASE_URL: api.endpoint,
      DINGTALK_OAPI_BASE_URL: oldApi.endpoint,
    },
    people: PEOPLE.map(({ id, name }) => ({ id, name })),
    chats: CHATS,
    posts: (chat) =>
      state.messages
        .all()
        .filter((message) => message.chat === chat)
        .map((message) => toPost(platform, message)),
    write: async (written) =>
      toPost(platform, speak(written, written.text, { text: written.text })),
    attach: async ({ msgtype, content, ...written }) =>
      toPost(platform, speak(written, attachmentText({ msgtype, content }), { msgtype, content })),
    click: (made) =>
      click(
        {
          platform,
          deliveries,
          call: ({ callbackUrl, apiSecret }, payload) =>
            call(
              callbackUrl,
              apiSecret === undefined ? {} : cardHeaders(apiSecret, now()),
              payload,
              CARD_ANSWER_WITHIN_MS,
            ),
          say: (chat, from, text) => void speak({ chat, from, mention: true }, text, { text }),
        },
        made,
      ),
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([api.stop(), oldApi.stop(), deliveries.stop()]);
      state.close();
    },
    setCallbackUrl: (url) => {
      setCallbackUrl(url);
      deliveries.wake();
    },
    fail: faults.add,
    failDeliveries: (times) => {
      platform.undeliverable = times;
    },
    rateLimit: limits.set,
    deliveries: state.deliveries.all,
    redeliver: deliveries.redeliver,
    tick: deliveries.tick,
    settled: deliveries.settled,
  };
};
