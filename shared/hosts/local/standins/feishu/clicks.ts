import type { Deliveries } from '../deliveries.ts';
import type { Click, ClickShown } from '../stand-in.ts';
import type { Caller } from './callbacks.ts';
import type { ClickTokens } from './card-update.ts';
import { readAnswer, shownError } from './click-answer.ts';
import { type Control, enteredIn, fillForm, findControl, isReset, sentBack } from './controls.ts';
import { cardUsed, outgoing } from './events.ts';
import { CARD_LIVES_MS } from './messages.ts';
import type { Platform } from './platform.ts';
import type { Message } from './state.ts';
import { chatOf, type Person, personOf } from './world.ts';

export interface ClickParts {
  readonly platform: Platform;
  readonly caller: Caller;
  readonly deliveries: Deliveries;
  readonly tokens: ClickTokens;
  readonly answerWithinMs: number;
}

/** What people read where the client itself stops them. */
const STOPPED = {
  required: '有必填项未填写 · a required field is empty',
  'too-long': '输入内容过长 · the text is too long',
  disabled: '该组件已禁用 · this control is disabled',
  expired: '该卡片发送时间已超过 14 天，无法进行互动 · the card is older than 14 days',
  recalled: '该消息已被撤回 · the message was recalled',
};

/** What a caller may not ask for is an error of its own. */
const clickOn = ({ state }: Platform, { message: id, by }: Click) => {
  const message = state.messages.get(id);
  if (message?.type !== 'interactive') throw new Error(`there is no card ${id}`);
  const operator = personOf(by);
  if (!operator || !chatOf(message.chat)?.members.includes(by))
    throw new Error(`${by} is not in the chat of ${id}`);
  return { message, operator };
};

type Action = { readonly action: object } | { readonly shown: ClickShown };

/** What the client sends for a click, or shows instead. */
const actionOf = (control: Control, { form: given }: Click): Action => {
  const { component, form } = control;
  if (component['disabled'] === true) return { shown: { error: STOPPED.disabled } };
  if (isReset(control)) return { shown: {} };
  const value = sentBack(component);
  const { tag, name, behaviors } = component;
  // A button that only opens a page calls nobody.
  if (value === undefined && Array.isArray(behaviors) && behaviors.length > 0) return { shown: {} };
  const filled = form && fillForm(form, given);
  if (filled?.kind === 'stopped') return { shown: { error: STOPPED[filled.why] } };
  // Reported from live tenants; the pages call both properties optional.
  if (value === undefined && (form || tag === 'checker')) return { shown: shownError(200340) };
  const action = {
    ...(value !== undefined && { value }),
    tag,
    timezone: 'Asia/Shanghai',
    ...(name !== undefined && { name }),
    ...(filled ? { form_value: filled.values } : enteredIn(component, given)),
  };
  return { action };
};

/** The card was just updated and the clicker's screen is behind: it sends what it still shows. */
const staleAction = ({ value, name, form }: Click): Action => ({
  action: {
    value,
    tag: 'button',
    timezone: 'Asia/Shanghai',
    ...(name !== undefined && { name }),
    ...(form && { form_value: form }),
  },
});

const callBack = async (
  { platform, caller, deliveries, tokens, answerWithinMs }: ClickParts,
  message: Message,
  operator: Person,
  action: object,
): Promise<ClickShown> => {
  if (caller.url() === undefined) return shownError(200340);
  const token = tokens.give(message.id);
  const used = { message, operator, token, action, at: platform.now() };
  const event = cardUsed(platform.secrets, used);
  platform.cards.begin(message.id);
  const answer = await caller.call(JSON.stringify(event), answerWithinMs);
  deliveries.record(outgoing(event, message.id), answer);
  const { shown, card } = readAnswer(platform.state.messages.get(message.id) ?? message, answer);
  platform.cards.end(message.id, card);
  return shown;
};

/** A person uses a card: sent once, never again. */
export const click = async (parts: ClickParts, made: Click): Promise<ClickShown> => {
  const { platform } = parts;
  const { message, operator } = clickOn(platform, made);
  if (message.recalled) return { error: STOPPED.recalled };
  if (platform.now() - message.at > CARD_LIVES_MS) return { error: STOPPED.expired };
  const control = findControl(JSON.parse(message.content), made);
  if (!control && message.updatedAt === undefined)
    throw new Error(
      `the card ${message.id} has no control ${made.name ?? JSON.stringify(made.value)}`,
    );
  const sent = control ? actionOf(control, made) : staleAction(made);
  return 'shown' in sent ? sent.shown : callBack(parts, message, operator, sent.action);
};
