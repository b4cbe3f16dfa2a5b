import * as z from 'zod/mini';
import type { BotAnswer } from '../bot-call.ts';
import { parseJson } from '../json.ts';
import type { ClickShown } from '../stand-in.ts';
import { isV2 } from './content.ts';
import { faultOfUpdate } from './messages.ts';
import type { Message } from './state.ts';

/** What Feishu's client shows, by number (page card-callback-communication, "errors"). */
const SHOWN = {
  200340: '应用未配置卡片回调地址，或组件没有配置回调 · no callback is set up',
  200341: '回调服务未在规定时间内响应 · the callback was not answered in time',
  200342: '无法与回调地址建立连接 · the callback address cannot be reached',
  200343: '回调地址的域名无法解析 · the host of the callback address is unknown',
  200671: '回调服务返回了非 200 的状态码 · the callback was not answered with HTTP 200',
  200672: '回调服务返回了错误的响应体格式 · the answer to the callback is malformed',
  200673: '回调服务返回了错误的卡片 · the card in the answer is not valid',
  200830: 'JSON 2.0 的卡片不能更新为 1.0 · a card of JSON 2.0 cannot become one of 1.0',
} as const;

export const shownError = (code: keyof typeof SHOWN, detail?: string): ClickShown => ({
  error: `${code} ${SHOWN[code]}${detail === undefined ? '' : ` (${detail})`}`,
});

const KINDS = ['info', 'success', 'error', 'warning'] as const;

/** Page card-callback-communication, "the body of the answer". */
const answerSchema = z.strictObject({
  toast: z.optional(
    z.strictObject({
      type: z._default(z.enum(KINDS), 'info'),
      content: z.optional(z.string()),
      i18n: z.optional(z.record(z.string(), z.string())),
    }),
  ),
  card: z.optional(
    z.strictObject({ type: z.enum(['raw', 'template']), data: z.record(z.string(), z.unknown()) }),
  ),
});

export interface ClickOutcome {
  readonly shown: ClickShown;
  /** What the card becomes, for everybody. */
  readonly card?: unknown;
}

const LONGEST_CARD = 30 * 1024;

const cardFault = (message: Message, { type, data }: { type: string; data: object }) => {
  if (type === 'template') return shownError(200673, 'the stand-in has no templates');
  if (isV2(parseJson(message.content)) && !isV2(data)) return shownError(200830);
  if (Buffer.byteLength(JSON.stringify(data)) > LONGEST_CARD)
    return shownError(200673, 'more than 30 KB');
  const fault = faultOfUpdate(message, data);
  return fault && shownError(200673, `${fault.errCode} ${fault.path}: ${fault.value}`);
};

/** What the client makes of the bot's answer to a click. */
export const readAnswer = (message: Message, answer: BotAnswer): ClickOutcome => {
  if (answer.kind === 'late') return { shown: shownError(200341) };
  if (answer.kind === 'unknown-host') return { shown: shownError(200343) };
  if (answer.kind !== 'answered') return { shown: shownError(200342) };
  if (answer.status !== 200) return { shown: shownError(200671, `HTTP ${answer.status}`) };
  const parsed = z.safeParse(answerSchema, parseJson(answer.text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { shown: shownError(200672, `${issue?.path.join('.')}: ${issue?.message}`) };
  }
  const { toast, card } = parsed.data;
  const wrong = card && cardFault(message, card);
  if (wrong) return { shown: wrong };
  // The people here read Chinese.
  const content = toast?.i18n?.['zh_cn'] ?? toast?.content ?? '';
  return {
    shown: toast ? { toast: { type: toast.type, content } } : {},
    ...(card && { card: card.data }),
  };
};
