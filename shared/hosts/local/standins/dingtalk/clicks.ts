import type { BotAnswer } from '../bot-call.ts';
import type { Deliveries } from '../deliveries.ts';
import type { Click, ClickShown } from '../stand-in.ts';
import { isVisible, seenBy } from './card-view.ts';
import { readAnswer, shownError } from './click-answer.ts';
import { dtmdText, linksIn } from './content.ts';
import { cardCallback } from './events.ts';
import type { Platform } from './platform.ts';
import type { Card, Content, Message, Params, Route } from './state.ts';
import type { CardTemplate, TemplateButton } from './template.ts';
import { chatOf, type Person, personOf } from './world.ts';

export interface ClickParts {
  readonly platform: Platform;
  readonly deliveries: Deliveries;
  /** Posts a callback to the address it is registered for, signed where it has a secret. */
  call(route: Route, payload: string): Promise<BotAnswer>;
  /** A person writes, with the bot mentioned. */
  say(chat: string, from: string, text: string): void;
}

/** What a caller may not ask for is an error of its own. */
const clickOn = ({ state }: Platform, { message: id, by }: Click) => {
  const message = state.messages.get(id);
  if (!message) throw new Error(`there is no message ${id}`);
  const person = personOf(by);
  if (!person || !chatOf(message.chat)?.members.includes(by))
    throw new Error(`${by} is not in the chat of ${id}`);
  return { message, person };
};

/** A `dtmd` link makes the client write for the person; any other opens a page. */
const follow = (
  { say }: ClickParts,
  { chat, content }: Message,
  { by, value }: Click,
): ClickShown => {
  if (typeof value !== 'string' || !linksIn(content).includes(value))
    throw new Error(`the message has no link ${JSON.stringify(value)}`);
  const text = dtmdText(value);
  if (text !== undefined) say(chat, by, text);
  return {};
};

/** What a client sends of a parameter; a local variable nobody filled in is not sent. */
const sentAs = (
  { local }: CardTemplate,
  param: TemplateButton['params'][number],
  seen: Params,
  entered: Click['form'] = {},
): unknown => {
  if (param.type === 'fixed') return param.value;
  return local.includes(param.variable) ? entered[param.variable] : seen[param.variable];
};

/** A button that an update took away is clicked on a screen that is behind: the bot has to answer that. */
const use = (template: CardTemplate, card: Card, seen: Params, { name, form }: Click) => {
  const blocks = template.components.filter((one) => one.componentName === 'ButtonBlock');
  const block = blocks.find(({ props }) => props.buttons.some(({ id }) => id === name));
  const button = block?.props.buttons.find(({ id }) => id === name);
  const hidden =
    !block || !isVisible(block.props.visible, seen) || !button || !isVisible(button.visible, seen);
  if (!button || (hidden && card.updatedAt === undefined))
    throw new Error(`the card ${card.outTrackId} has no button ${name}`);
  const params = button.params.map((param) => [param.name, sentAs(template, param, seen, form)]);
  return {
    actionIds: [button.actionId.content || button.id],
    params: Object.fromEntries(params),
  };
};

const callBack = async (
  { platform, deliveries, call }: ClickParts,
  { message, person, card }: { message: Message; person: Person; card: Card },
  made: Click,
): Promise<ClickShown> => {
  const { secrets, state, cards, template } = platform;
  const used = use(template, card, seenBy(template, card, person.id), made);
  const route = card.route === undefined ? undefined : state.routes.get(card.route);
  if (!route) return shownError('no-route');
  const event = cardCallback(secrets, card, message.id, person, used);
  cards.begin(card.outTrackId);
  const answer = await call(route, event.payload);
  deliveries.record(event, answer);
  const { shown, change } = readAnswer(platform, answer, person.id);
  cards.end(card.outTrackId, change);
  return shown;
};

const cardIn = ({ cards }: Platform, content: Content): Card | undefined =>
  content.msgtype === 'card' ? cards.get(content.outTrackId) : undefined;

/** A person uses a card or a link. Callbacks are sent once: whether they come again is not documented. */
export const click = async (parts: ClickParts, made: Click): Promise<ClickShown> => {
  const { message, person } = clickOn(parts.platform, made);
  const card = cardIn(parts.platform, message.content);
  return card ? callBack(parts, { message, person, card }, made) : follow(parts, message, made);
};
