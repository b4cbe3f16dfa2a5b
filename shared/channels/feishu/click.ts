import * as z from 'zod/mini';
import type { CardTexts } from '#domain/card-texts.ts';
import { type AskId, type Binding, personId, type SessionId } from '#domain/ids.ts';
import type { InboundDecision } from '#domain/inbound.ts';

/** What a button carries. It comes back from outside, so all of it is a pointer that the claim checks. */
const pointer = z.object({
  v: z.literal(1),
  /** It becomes a key, which holds 2 KB. */
  s: z.string().check(z.regex(/^[\x21-\x7e]{1,1024}$/)),
  a: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,50}$/)),
  b: z.string().check(z.minLength(1), z.maxLength(100)),
  d: z.enum(['confirm', 'pick', 'cancel', 'modify', 'answer']),
  n: z.int().check(z.gte(1), z.lte(1000)),
});
export type Pointer = z.infer<typeof pointer>;

/** Names of the fields in a card's forms. */
export const FEEDBACK = 'feedback';
export const ANSWER = 'answer';
export const taskField = (index: number): string => `task_${index}`;

const cardEvent = z.object({
  operator: z.object({ open_id: z.string().check(z.minLength(1), z.maxLength(256)) }),
  host: z.nullish(z.string()),
  action: z.object({
    value: z.unknown(),
    form_value: z.nullish(z.record(z.string(), z.unknown())),
  }),
});

type Click =
  | { readonly kind: 'decision'; readonly decision: InboundDecision }
  /** Nothing is decided, and the person is told what is missing. */
  | { readonly kind: 'incomplete'; readonly text: string }
  | { readonly kind: 'not-ours' }
  | { readonly kind: 'malformed' };

export const readClick = (
  app: string,
  event: unknown,
  eventId: string,
  texts: CardTexts,
): Click => {
  const parsed = cardEvent.safeParse(event);
  if (!parsed.success) return { kind: 'malformed' };
  const { operator, host, action } = parsed.data;
  const ours = pointer.safeParse(action.value);
  if (!ours.success || !ours.data.s.startsWith(`feishu:${app}:`)) return { kind: 'not-ours' };
  if (host && host !== 'im_message') return { kind: 'incomplete', text: texts.notHere };
  const { s, a, b, d, n } = ours.data;
  const base = {
    type: 'decision',
    id: eventId,
    session: s as SessionId,
    ask: a as AskId,
    binding: b as Binding,
    by: personId('feishu', operator.open_id),
    tasks: n,
  } as const;
  const form = action.form_value ?? {};
  switch (d) {
    case 'confirm':
    case 'cancel':
      return { kind: 'decision', decision: { ...base, kind: d, form: false } };
    case 'pick': {
      const picked = pickedIn(form, n);
      return picked.length === 0
        ? { kind: 'incomplete', text: texts.needsPick }
        : { kind: 'decision', decision: { ...base, kind: 'confirm', picked, form: false } };
    }
    case 'modify':
    case 'answer': {
      const text = textIn(form[d === 'modify' ? FEEDBACK : ANSWER]);
      return text === ''
        ? { kind: 'incomplete', text: d === 'modify' ? texts.needsFeedback : texts.needsAnswer }
        : { kind: 'decision', decision: { ...base, kind: d, text, form: true } };
    }
    default:
      return d satisfies never;
  }
};

const pickedIn = (form: Readonly<Record<string, unknown>>, tasks: number): readonly number[] =>
  Array.from({ length: tasks }, (_, index) => index).filter((index) =>
    [true, 'true'].includes(form[taskField(index)] as boolean | string),
  );

/** Several as nobody writes a list: an option may well be called `1,2`, and is not the first and the second. */
const textIn = (value: unknown): string => {
  const several = Array.isArray(value) ? value : [value];
  return several
    .filter((one) => typeof one === 'string')
    .join(' ,')
    .trim();
};
