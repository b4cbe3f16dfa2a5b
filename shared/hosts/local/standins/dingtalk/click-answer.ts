import * as z from 'zod/mini';
import type { BotAnswer } from '../bot-call.ts';
import { parseJson } from '../json.ts';
import type { ClickShown } from '../stand-in.ts';
import type { CardChange } from './card-data.ts';
import { dataSchema, updateOptions, wrongParams } from './card-params.ts';
import type { Platform } from './platform.ts';

/** What the stand-in's client shows; the words of the real one are not documented. */
const SHOWN = {
  'no-route': '卡片没有注册回调地址 · no callback address is registered for the card',
  late: '回调没有在 2 秒内响应 · the callback was not answered within 2 s',
  unreachable: '回调地址无法访问 · the callback address cannot be reached',
  status: '回调返回了非 200 的状态码 · the callback was not answered with HTTP 200',
  malformed: '回调返回的内容格式不正确 · the answer to the callback is malformed',
} as const;

export const shownError = (why: keyof typeof SHOWN, detail?: string): ClickShown => ({
  error: detail === undefined ? SHOWN[why] : `${SHOWN[why]} (${detail})`,
});

/** Page event-callback-card, "the answer". There is no toast in it: their words are in the template. */
const answerSchema = z.object({
  cardData: z.optional(dataSchema),
  /** Of the person who clicked, without their id. */
  userPrivateData: z.optional(dataSchema),
  cardUpdateOptions: updateOptions,
});

export interface ClickOutcome {
  readonly shown: ClickShown;
  readonly change?: CardChange;
}

/** What the client makes of the bot's answer to a click. */
export const readAnswer = (
  platform: Platform,
  answer: BotAnswer,
  clicker: string,
): ClickOutcome => {
  if (answer.kind === 'late') return { shown: shownError('late') };
  if (answer.kind !== 'answered') return { shown: shownError('unreachable') };
  if (answer.status !== 200) return { shown: shownError('status', `HTTP ${answer.status}`) };
  const parsed = z.safeParse(answerSchema, parseJson(answer.text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { shown: shownError('malformed', `${issue?.path.join('.')}: ${issue?.message}`) };
  }
  const { cardData, userPrivateData, cardUpdateOptions: by } = parsed.data;
  const params = cardData?.cardParamMap;
  const own = userPrivateData?.cardParamMap;
  const wrong = wrongParams(platform, params ?? {}) ?? wrongParams(platform, own ?? {});
  if (wrong !== undefined) return { shown: shownError('malformed', wrong) };
  if (!params && !own) return { shown: {} };
  const change = {
    ...(params && { params }),
    ...(own && { private: { [clicker]: own } }),
    paramsByKey: by?.updateCardDataByKey === true,
    privateByKey: by?.updatePrivateDataByKey === true,
  };
  return { shown: {}, change };
};
