import * as z from 'zod/mini';
import { ChannelError, type ChannelSetup } from '#ports/channel.ts';
import { splitText } from '../split-text.ts';
import type { Client } from './deliver.ts';
import { DingtalkError } from './errors.ts';
import { type Message, textMessage } from './messages.ts';
import type { OutboundSettings } from './settings.ts';
import type { Target } from './target.ts';

export interface Sender {
  /** Gives back the target for what comes next: a webhook that did not take this is not tried again. */
  send(target: Target, message: Message): Promise<Target>;
  sendText(target: Target, text: string, called?: readonly string[]): Promise<Target>;
  /** Whether a card was delivered; if not, `refusal` says why in a word. */
  sendCard(
    target: Target,
    track: string,
    params: object,
    called: readonly string[],
  ): Promise<CardSent>;
}
export type CardSent = { readonly delivered: true } | { readonly refusal: string };

const sentToPeople = z.object({
  invalidStaffIdList: z.nullish(z.array(z.string())),
  flowControlledStaffIdList: z.nullish(z.array(z.string())),
});
const results = z.array(z.object({ success: z.boolean() }));
/** Made and delivered in one call, or delivered alone. */
const cardDelivered = z.union([
  z.object({ result: z.object({ deliverResults: results }) }),
  z.object({ result: results }),
]);

/** The platform takes 15,000 bytes a message. */
const TEXT_BYTES = 14_000;
const PACE_MS = 250;

export const createSender = (
  { clock }: Pick<ChannelSetup, 'clock'>,
  { robotCode, cards }: OutboundSettings,
  client: Client,
): Sender => {
  const sendByApi = async ({ space }: Target, { msgKey, msgParam }: Message): Promise<void> => {
    if (!space)
      throw new ChannelError(
        'DingTalk cannot be told who is in this single chat; write to the bot again',
        'DINGTALK_NO_RECEIVER',
        false,
      );
    const message = { robotCode, msgKey, msgParam: JSON.stringify(msgParam) };
    if ('staff' in space) return sendToPerson(space.staff, message);
    await client.call({
      act: 'send a message to a group',
      method: 'POST',
      path: '/v1.0/robot/groupMessages/send',
      body: { ...message, openConversationId: space.group },
    });
  };

  /** Somebody who did not get it stands in an answer that is a yes. */
  const sendToPerson = async (staff: string, message: object): Promise<void> => {
    const act = 'send a message to a person';
    const path = '/v1.0/robot/oToMessages/batchSend';
    const body = { ...message, userIds: [staff] };
    const answer = sentToPeople.safeParse(await client.call({ act, method: 'POST', path, body }));
    const { invalidStaffIdList, flowControlledStaffIdList } = answer.data ?? {};
    if (invalidStaffIdList?.length) throw client.fail(act, 'invalidStaffIdList');
    if (flowControlledStaffIdList?.length) throw client.fail(act, 'flowControlledStaffIdList');
  };

  const send = async (target: Target, message: Message): Promise<Target> => {
    if (target.webhook === undefined) {
      await sendByApi(target, message);
      return target;
    }
    try {
      await client.post(target.webhook, message.body);
      return target;
    } catch (error) {
      if (!(error instanceof DingtalkError) || !mayGoByApi(error)) throw error;
      return send({ ...target, webhook: undefined }, message);
    }
  };

  /** One after the other, so that they arrive in order. */
  const sendText: Sender['sendText'] = async (target, text, called = []) => {
    let to = target;
    for (const [index, piece] of splitText(text, TEXT_BYTES).entries()) {
      if (index > 0) await clock.sleepUntil(clock.now() + PACE_MS);
      to = await send(to, textMessage(piece, called));
    }
    return to;
  };

  const deliverCard = async (path: string, body: object): Promise<CardSent> => {
    const act = 'deliver a card';
    try {
      const answer = cardDelivered.safeParse(
        await client.call({ act, method: 'POST', path: `/v1.0/card/instances/${path}`, body }),
      );
      return isDelivered(answer.data) ? { delivered: true } : { refusal: 'not delivered' };
    } catch (error) {
      if (!(error instanceof DingtalkError) || error.retryable) throw error;
      return { refusal: error.platformCode ?? error.code };
    }
  };

  const sendCard: Sender['sendCard'] = async ({ space }, track, params, called) => {
    if (!cards || !space) return { refusal: 'nowhere to deliver it' };
    const place = { outTrackId: track, userIdType: 1, ...placing(space, robotCode, called) };
    const sent = await deliverCard('createAndDeliver', {
      cardTemplateId: cards.template,
      callbackType: 'HTTP',
      callbackRouteKey: cards.routeKey,
      cardData: { cardParamMap: params },
      ...('group' in space
        ? { imGroupOpenSpaceModel: NO_FORWARD }
        : { imRobotOpenSpaceModel: NO_FORWARD }),
      ...place,
    });
    // An earlier try made it, and nobody knows whether it was delivered. Better seen twice than not at all: it is one card.
    return 'refusal' in sent && sent.refusal === 'param.cardAlreadyExist'
      ? deliverCard('deliver', place)
      : sent;
  };

  return { send, sendText, sendCard };
};

const isDelivered = (answer: z.infer<typeof cardDelivered> | undefined): boolean => {
  if (!answer) return false;
  const all = 'deliverResults' in answer.result ? answer.result.deliverResults : answer.result;
  return all.length > 0 && all.every(({ success }) => success);
};

/** It surely said no, so nothing was sent, and the API may take the same; the audit is one for both. */
const mayGoByApi = ({ failure }: DingtalkError): boolean => !['wait', 'unsafe'].includes(failure);

/** A forwarded copy could be clicked where nobody expects it. */
const NO_FORWARD = { supportForward: false };

const placing = (
  space: NonNullable<Target['space']>,
  robotCode: string,
  called: readonly string[],
): object =>
  'group' in space
    ? {
        openSpaceId: `dtv1.card//IM_GROUP.${space.group}`,
        imGroupOpenDeliverModel: { robotCode, ...calling(called) },
      }
    : {
        openSpaceId: `dtv1.card//IM_ROBOT.${space.staff}`,
        imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode },
      };

/** With the name each is called by; ids are all we know. */
const calling = (called: readonly string[]) =>
  called.length > 0 ? { atUserIds: Object.fromEntries(called.map((id) => [id, id])) } : {};
