import * as z from 'zod/mini';
import type { ApiAnswer } from '../api-server.ts';
import { refuse, succeed } from './answers.ts';
import { dataSchema, updateOptions, wrongParams } from './card-params.ts';
import { newId } from './crypto.ts';
import type { ApiCall, Platform } from './platform.ts';
import type { Card, Params } from './state.ts';
import { chatOf, PEOPLE, singleChatOf } from './world.ts';

const LONGEST_TRACK_ID = 64;

const text = z.optional(z.string());
const words = z.string().check(z.minLength(1));
const userIdType = z._default(z.union([z.literal(1), z.literal(2)]), 1);
const privateData = z.optional(z.record(z.string(), dataSchema));
const spaceModel = z.optional(z.unknown());
const deliverModel = z.optional(
  z.object({ robotCode: text, atUserIds: z.optional(z.record(z.string(), words)) }),
);
const placeSchema = z.object({
  outTrackId: text,
  openSpaceId: text,
  userIdType,
  imGroupOpenDeliverModel: deliverModel,
  imRobotOpenDeliverModel: deliverModel,
});
const createSchema = z.extend(placeSchema, {
  cardTemplateId: text,
  callbackType: z.optional(z.enum(['HTTP', 'STREAM'])),
  callbackRouteKey: text,
  cardData: z.optional(dataSchema),
  privateData,
  imGroupOpenSpaceModel: spaceModel,
  imRobotOpenSpaceModel: spaceModel,
});
const updateSchema = z.object({
  outTrackId: text,
  cardData: z.optional(dataSchema),
  privateData,
  cardUpdateOptions: updateOptions,
  userIdType,
});

type Placing = z.infer<typeof placeSchema>;
interface Space {
  readonly type: 'IM_GROUP' | 'IM_ROBOT';
  readonly id: string;
}

const invalid = ({ issues: [issue] }: z.core.$ZodError): ApiAnswer =>
  refuse('param.invalid', `${issue?.path.join('.')}: ${issue?.message}`);

const personBy = (type: 1 | 2, id: string) =>
  PEOPLE.find((one) => (type === 2 ? one.unionId : one.id) === id);

/** `dtv1.card//IM_GROUP.cid…;IM_ROBOT.…`, in either case, as the samples have it. */
const spacesIn = (openSpaceId: string): readonly Space[] | undefined => {
  const parts = /^dtv1\.card\/\/(.+)$/.exec(openSpaceId)?.[1]?.split(';') ?? [];
  const spaces = parts.map((part) => /^(IM_GROUP|IM_ROBOT)\.(.+)$/i.exec(part));
  if (spaces.length === 0 || spaces.includes(null)) return undefined;
  return spaces.map((found) => ({
    type: String(found?.[1]).toUpperCase() as Space['type'],
    id: String(found?.[2]),
  }));
};

/** Where a card is to be delivered, or the refusal. */
const placeOf = (platform: Platform, given: Placing): readonly Space[] | ApiAnswer => {
  if (!given.openSpaceId) return refuse('param.openSpaceIdEmpty');
  const spaces = spacesIn(given.openSpaceId);
  if (!spaces) return refuse('param.openSpaceIdInvalid');
  for (const { type } of spaces) {
    const model =
      type === 'IM_GROUP' ? given.imGroupOpenDeliverModel : given.imRobotOpenDeliverModel;
    if (!model) return refuse('param.openDeliverModelEmpty');
    const { robotCode } = model;
    if (robotCode === undefined ? type === 'IM_GROUP' : robotCode !== platform.secrets.robotCode)
      return refuse('param.openDeliverModelError', 'robotCode');
  }
  return spaces;
};

const deliverTo = (platform: Platform, card: Card, given: Placing, space: Space) => {
  const { userIdType: type, imGroupOpenDeliverModel: model } = given;
  const person = space.type === 'IM_ROBOT' ? personBy(type, space.id) : undefined;
  const group = space.type === 'IM_GROUP' ? chatOf(space.id) : undefined;
  const chat = person ? singleChatOf(person.id) : group?.kind === 'group' && group;
  const place = { spaceType: space.type, spaceId: space.id };
  if (!chat) return { ...place, success: false, errorMsg: 'spaceId is illegal' };
  if (platform.undeliverable > 0) {
    platform.undeliverable -= 1;
    return { ...place, success: false, errorMsg: 'SYSTEM_ERROR' };
  }
  const ids = group ? Object.keys(model?.atUserIds ?? {}) : [];
  const people = ids.flatMap((id) => personBy(type, id)?.id ?? []);
  const called = people.filter((id) => chat.members.includes(id));
  const content = { msgtype: 'card', outTrackId: card.outTrackId, called } as const;
  platform.post({ chat: chat.id, from: 'bot', content });
  return { ...place, success: true, carrierId: newId('') };
};

/** Private data by userId, whatever kind of id they came under; a refusal for somebody unknown. */
const privateOf = (
  given: z.infer<typeof privateData>,
  type: 1 | 2,
): Readonly<Record<string, Params>> | ApiAnswer => {
  const people: Record<string, Params> = {};
  for (const [id, { cardParamMap = {} }] of Object.entries(given ?? {})) {
    const person = personBy(type, id);
    if (!person) return refuse('param.userIdNotExist');
    people[person.id] = cardParamMap;
  }
  return people;
};

const isRefusal = (found: object): found is ApiAnswer => 'status' in found;

const tooLong = (platform: Platform, ...all: readonly Params[]): ApiAnswer | undefined => {
  const wrong = all.map((params) => wrongParams(platform, params)).find(Boolean);
  return wrong === undefined ? undefined : refuse('param.invalid', wrong);
};

const isSpaceModel = (model: unknown): boolean =>
  model === undefined || z.safeParse(z.object({ supportForward: z.boolean() }), model).success;

/** `card/instances/createAndDeliver`. A card that exists stays as it is, delivered or not. */
export const createAndDeliver = (platform: Platform, { body }: ApiCall): ApiAnswer => {
  const parsed = z.safeParse(createSchema, body);
  if (!parsed.success) return invalid(parsed.error);
  const given = parsed.data;
  const { outTrackId, cardTemplateId } = given;
  if (!outTrackId) return refuse('param.outTrackIdEmpty');
  if (outTrackId.length > LONGEST_TRACK_ID) return refuse('outTrackId.outOfLimit');
  if (!cardTemplateId) return refuse('param.cardTemplateIdEmpty');
  if (cardTemplateId !== platform.secrets.cardTemplateId) return refuse('param.templateNotExist');
  if (!given.cardData) return refuse('param.cardPublicDataEmpty');
  if (!isSpaceModel(given.imGroupOpenSpaceModel) || !isSpaceModel(given.imRobotOpenSpaceModel))
    return refuse('param.openSpaceModelInvalid', 'supportForward');
  const spaces = placeOf(platform, given);
  if (isRefusal(spaces)) return spaces;
  const own = privateOf(given.privateData, given.userIdType);
  if (isRefusal(own)) return own;
  const { cardParamMap: params = {} } = given.cardData;
  const refusal = tooLong(platform, params, ...Object.values(own));
  if (refusal) return refusal;
  if (platform.cards.get(outTrackId)) return refuse('param.cardAlreadyExist');

  const card: Card = {
    outTrackId,
    ...(given.callbackType === 'HTTP' &&
      given.callbackRouteKey !== undefined && { route: given.callbackRouteKey }),
    userIdType: given.userIdType,
    params,
    private: own,
    at: platform.now(),
  };
  platform.cards.add(card);
  const deliverResults = spaces.map((space) => deliverTo(platform, card, given, space));
  return succeed({ success: true, result: { outTrackId, deliverResults } });
};

/** `card/instances/deliver`: shows a card that exists, once more or for the first time. */
export const deliver = (platform: Platform, { body }: ApiCall): ApiAnswer => {
  const parsed = z.safeParse(placeSchema, body);
  if (!parsed.success) return invalid(parsed.error);
  const { outTrackId } = parsed.data;
  if (!outTrackId) return refuse('param.outTrackIdEmpty');
  const spaces = placeOf(platform, parsed.data);
  if (isRefusal(spaces)) return spaces;
  const card = platform.cards.get(outTrackId);
  if (!card) return refuse('param.cardNotExist');
  const result = spaces.map((space) => deliverTo(platform, card, parsed.data, space));
  return succeed({ success: true, result });
};

/** `PUT card/instances`. */
export const update = (platform: Platform, { body }: ApiCall): ApiAnswer => {
  const parsed = z.safeParse(updateSchema, body);
  if (!parsed.success) return invalid(parsed.error);
  const {
    outTrackId,
    cardData,
    privateData: given,
    cardUpdateOptions,
    userIdType: type,
  } = parsed.data;
  if (!outTrackId) return refuse('param.outTrackIdEmpty');
  if (!cardData && !given) return refuse('param.cardDataAndPrivateDataBothEmpty');
  const own = privateOf(given, type);
  if (isRefusal(own)) return own;
  const { cardParamMap: params = {} } = cardData ?? {};
  const refusal = tooLong(platform, params, ...Object.values(own));
  if (refusal) return refusal;
  const card = platform.cards.get(outTrackId);
  if (!card) return refuse('param.cardNotExist');
  platform.cards.update(card, {
    ...(cardData && { params }),
    private: own,
    paramsByKey: cardUpdateOptions?.updateCardDataByKey === true,
    privateByKey: cardUpdateOptions?.updatePrivateDataByKey === true,
  });
  return succeed({ success: true, result: true });
};
