import * as z from 'zod/mini';
import type { CardTexts } from '#domain/card-texts.ts';
import { type AskId, type Binding, personId, platformKey, type SessionId } from '#domain/ids.ts';
import type { InboundDecision } from '#domain/inbound.ts';
import type { AskView } from '#ports/channel.ts';
import type { InboundSettings } from './settings.ts';

/** What the template's buttons send back beside their action. All of it is a pointer that the claim checks. */
const pointer = z.object({
  v: z.literal(1),
  /** It becomes a key, which holds 2 KB. */
  s: z.string().check(z.regex(/^[\x21-\x7e]{1,1024}$/)),
  a: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,50}$/)),
  b: z.string().check(z.minLength(1), z.maxLength(100)),
  n: z.int().check(z.gte(1), z.lte(1000)),
});

export const pointerOf = ({ session, ask }: AskView): string => {
  const value: z.infer<typeof pointer> = {
    v: 1,
    s: session,
    a: ask.id,
    b: ask.binding,
    n: ask.tasks.length,
  };
  return JSON.stringify(value);
};

const text = z.string().check(z.minLength(1), z.maxLength(256));

/** The guide has `content` with all inside, the page of the builder an older `value` with the params beside. */
const callback = z.object({
  outTrackId: text,
  corpId: text,
  userId: text,
  content: z.nullish(z.string()),
  value: z.nullish(z.string()),
});
const params = z.record(z.string(), z.unknown());
const clicked = z.object({
  cardPrivateData: z.nullish(z.object({ params: z.nullish(params) })),
  params: z.nullish(params),
});

type Click =
  | { readonly kind: 'decision'; readonly decision: InboundDecision }
  /** Nothing is decided, and the person is told what is missing. */
  | { readonly kind: 'incomplete'; readonly text: string }
  | { readonly kind: 'not-ours'; readonly why: string }
  | { readonly kind: 'malformed' };

export const readClick = (settings: InboundSettings, body: unknown, texts: CardTexts): Click => {
  const parsed = callback.safeParse(body);
  if (!parsed.success) return { kind: 'malformed' };
  const { outTrackId, corpId, userId, content, value } = parsed.data;
  const inside = clicked.safeParse(jsonIn(content ?? value ?? ''));
  if (!inside.success) return { kind: 'malformed' };
  if (corpId !== settings.corp)
    return { kind: 'not-ours', why: 'from another organisation: is DINGTALK_CORP_ID right?' };
  const sent = inside.data.cardPrivateData?.params ?? inside.data.params ?? {};
  const ours = pointer.safeParse(jsonIn(sent['pointer']));
  if (!ours.success || !ours.data.s.startsWith(`dingtalk:${settings.app}:`))
    return { kind: 'not-ours', why: 'a button that is not ours' };
  const { s, a, b, n } = ours.data;
  if (!outTrackId.startsWith(a)) return { kind: 'not-ours', why: 'a button of another card' };
  const base = {
    type: 'decision',
    // The platform names no event: the same click of the same person is the same decision, however often it comes.
    id: platformKey('card', outTrackId, userId, content ?? value ?? ''),
    session: s as SessionId,
    ask: a as AskId,
    binding: b as Binding,
    by: personId('dingtalk', userId),
    tasks: n,
  } as const;
  switch (sent['action']) {
    case 'confirm':
    case 'cancel':
      return { kind: 'decision', decision: { ...base, kind: sent['action'], form: false } };
    case 'modify': {
      const feedback = typeof sent['feedback'] === 'string' ? sent['feedback'].trim() : '';
      return feedback === ''
        ? { kind: 'incomplete', text: texts.needsFeedback }
        : { kind: 'decision', decision: { ...base, kind: 'modify', text: feedback, form: true } };
    }
    default:
      return { kind: 'not-ours', why: 'an action that is not ours' };
  }
};

const jsonIn = (value: unknown): unknown => {
  if (typeof value !== 'string') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};
