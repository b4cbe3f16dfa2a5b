import * as z from 'zod/mini';
import { cardTextsIn, type Place } from '#domain/card-texts.ts';
import { platformKey } from '#domain/ids.ts';
import type { Address } from '#domain/session.ts';
import {
  type AskView,
  type Channel,
  ChannelError,
  type ChannelSetup,
  type Receiver,
  type Sent,
} from '#ports/channel.ts';
import { placeOf } from '../place.ts';
import { inNestedJson, splitText } from '../split-text.ts';
import { createClient } from './deliver.ts';
import {
  FeishuError,
  NO_SCOPE,
  NO_TOPIC,
  NOT_AUDITED,
  UNKNOWN_IN_TEXT,
  UNKNOWN_ON_CARD,
} from './errors.ts';
import { idOnCard, inertInText, mentionInText, mentionOnCard, withoutCalls } from './inert.ts';
import { askText, fullText, outcomeText } from './plain.ts';
import { renderCard } from './render.ts';
import { outboundSettings } from './settings.ts';

const sentAnswer = z.object({
  data: z.object({
    message_id: z.string(),
    chat_id: z.nullish(z.string()),
    create_time: z.nullish(z.union([z.string(), z.number()])),
  }),
});
const botAnswer = z.object({ bot: z.object({ open_id: z.string() }) });

/** The platform takes 150 KB of request for a text, and five messages a second to one chat. */
const TEXT_BYTES = 100_000;
const PACE_MS = 250;

interface Message {
  readonly msg_type: 'text' | 'interactive';
  readonly content: string;
}
const textMessage = (text: string): Message => ({
  msg_type: 'text',
  content: JSON.stringify({ text }),
});

/** Feishu and Lark, outward. */
export const createFeishuChannel = (setup: ChannelSetup): Omit<Channel, 'name'> => {
  const { environment, language, clock, log } = setup;
  const settings = outboundSettings(environment);
  const call = createClient(setup, settings);
  const scopeMissing = { told: false };

  const sentOf = (answer: unknown, chat: string): Sent => {
    const parsed = sentAnswer.safeParse(answer);
    if (!parsed.success)
      throw new ChannelError(
        'Feishu took a message and named no id for it',
        'FEISHU_BAD_ANSWER',
        true,
      );
    const { message_id, chat_id, create_time } = parsed.data.data;
    return { chat: chat_id || chat, message: message_id, time: Number(create_time) || clock.now() };
  };

  const create = async (
    type: 'chat_id' | 'open_id',
    id: string,
    message: Message,
    key: string,
  ): Promise<Sent> =>
    sentOf(
      await call({
        act: 'send a message',
        method: 'POST',
        path: `/im/v1/messages?receive_id_type=${type}`,
        body: { receive_id: id, ...message, uuid: platformKey(key) },
      }),
      type === 'chat_id' ? id : '',
    );

  const reply = async (
    to: Address & { readonly replyTo: string },
    message: Message,
    key: string,
    inThread: boolean,
  ): Promise<Sent> =>
    sentOf(
      await call({
        act: 'reply to a message',
        method: 'POST',
        path: `/im/v1/messages/${encodeURIComponent(to.replyTo)}/reply`,
        body: { ...message, reply_in_thread: inThread, uuid: platformKey(key) },
      }),
      to.chat,
    );

  /** As a reply where there is something to reply to. A message that is gone takes none; its chat still does. */
  const deliver = async (to: Address, message: Message, key: string): Promise<Sent> => {
    const { replyTo, chat, thread } = to;
    if (replyTo === undefined) return create('chat_id', chat, message, key);
    const answered = { ...to, replyTo };
    try {
      return await reply(answered, message, key, thread !== undefined);
    } catch (error) {
      if (!(error instanceof FeishuError)) throw error;
      if (thread !== undefined && NO_TOPIC.includes(error.platformCode ?? 0))
        return reply(answered, message, `${key}:flat`, false);
      if (error.failure !== 'gone') throw error;
      return create('chat_id', chat, message, `${key}:chat`);
    }
  };

  const deliverTo = (receiver: Receiver, message: Message, key: string): Promise<Sent> => {
    if (receiver.kind === 'chat') return deliver(receiver.to, message, key);
    const id = /^feishu:(.+)$/.exec(receiver.person)?.[1];
    if (id === undefined)
      throw new ChannelError(
        `${receiver.person} is not a person of Feishu; an approver is written feishu:ou_…`,
        'FEISHU_NOT_A_PERSON',
        false,
      );
    return create('open_id', id, message, key);
  };

  /** One after the other, so that they arrive in order; the last one's id stands for all. */
  const deliverText = async (receiver: Receiver, text: string, key: string): Promise<Sent> => {
    const [first = '', ...rest] = splitText(text, TEXT_BYTES, inNestedJson);
    let sent = await deliverTo(receiver, textMessage(first), key);
    for (const [index, piece] of rest.entries()) {
      await clock.sleepUntil(clock.now() + PACE_MS);
      sent = await deliverTo(receiver, textMessage(piece), `${key}:${index + 1}`);
    }
    return sent;
  };

  /**
   * None if the platform refuses it for what is in it. One person it does not know is reason enough: then all are named
   * by their ids, nobody is called, and the buttons are there still.
   */
  const asCard = async <T>(
    view: AskView,
    place: Place,
    send: (content: string, suffix: string) => Promise<T>,
  ): Promise<T | undefined> => {
    for (const { mention, suffix } of [
      { mention: mentionOnCard, suffix: '' },
      { mention: idOnCard, suffix: ':ids' },
    ]) {
      const rendered = renderCard(view, place, mention);
      if (!rendered) return undefined;
      try {
        return await send(JSON.stringify(rendered.card), suffix);
      } catch (error) {
        if (!isRefused(error)) throw error;
        log.warn('feishu-card-refused', { code: error.platformCode, ask: view.ask.id });
        if (error.detail !== UNKNOWN_ON_CARD) return undefined;
      }
    }
    return undefined;
  };

  const asText = async (
    receiver: Receiver,
    write: (mention: (person: string) => string) => string,
    key: string,
  ): Promise<Sent> => {
    try {
      return await deliverText(receiver, write(mentionInText), key);
    } catch (error) {
      if (!isRefused(error) || error.platformCode !== UNKNOWN_IN_TEXT) throw error;
      return deliverText(receiver, write(inertInText), `${key}:ids`);
    }
  };

  /** The person must see it one way or the other. */
  const show = async (view: AskView, receiver: Receiver, key: string): Promise<Sent> => {
    const place = placeOf(view, receiver);
    if (renderCard(view, place)?.whole === false)
      await deliverText(receiver, fullText(view), `${key}:full`);
    const sent = await asCard(view, place, (content, suffix) =>
      deliverTo(receiver, { msg_type: 'interactive', content }, key + suffix),
    );
    return sent ?? asText(receiver, (mention) => askText(view, place, mention), `${key}:text`);
  };

  /** What was sent as text cannot be patched: its new state is a reply to it. */
  const update = async (view: AskView, sent: Sent, key: string): Promise<void> => {
    try {
      const path = `/im/v1/messages/${encodeURIComponent(sent.message)}`;
      const patched = await asCard(view, 'elsewhere', (content) =>
        call({ act: 'update a card', method: 'PATCH', path, body: { content } }),
      );
      if (patched !== undefined) return;
    } catch (error) {
      // The client has already logged which code it was.
      if (error instanceof FeishuError && error.failure === 'gone') return;
      throw error;
    }
    const to = { channel: 'feishu', app: settings.app, chat: sent.chat, group: false };
    await asText(
      { kind: 'chat', to: { ...to, replyTo: sent.message } },
      (mention) => outcomeText(view, mention),
      `${key}:text`,
    );
  };

  return {
    show,
    update,
    say: async (to, text, key) => {
      const receiver = { kind: 'chat', to } as const;
      try {
        await deliverText(receiver, withoutCalls(text), key);
      } catch (error) {
        const code = error instanceof FeishuError ? error.platformCode : undefined;
        if (!NOT_AUDITED.includes(code ?? 0)) throw error;
        await deliverText(receiver, cardTextsIn(language).withheld, `${key}:withheld`);
      }
    },
    acknowledge: async (_to, message) => {
      try {
        await call({
          act: 'react to a message',
          method: 'POST',
          path: `/im/v1/messages/${encodeURIComponent(message)}/reactions`,
          body: { reaction_type: { emoji_type: 'OnIt' } },
          courtesy: true,
        });
      } catch (error) {
        const code = error instanceof ChannelError ? error.code : String(error);
        if (error instanceof FeishuError && NO_SCOPE.includes(error.platformCode ?? 0)) {
          if (scopeMissing.told) return;
          scopeMissing.told = true;
          log.info('feishu-not-acknowledged', {
            code,
            todo: 'grant im:message.reactions:write_only to show that a message was received',
          });
        } else log.info('feishu-not-acknowledged', { code });
      }
    },
    identify: async () => {
      const answer = botAnswer.safeParse(
        await call({ act: 'say who the bot is', method: 'GET', path: '/bot/v3/info' }),
      );
      if (!answer.success)
        throw new ChannelError('Feishu named no id of the bot', 'FEISHU_BAD_ANSWER', true);
      return { app: settings.app, bot: answer.data.bot.open_id };
    },
  };
};

const isRefused = (error: unknown): error is FeishuError =>
  error instanceof FeishuError && error.failure === 'fix';
