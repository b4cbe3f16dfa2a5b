import { cardTextsIn, typedHint } from '#domain/card-texts.ts';
import { askCode } from '#domain/ids.ts';
import type { AskView, Channel, ChannelSetup, Receiver, Sent } from '#ports/channel.ts';
import { inert } from '../inert.ts';
import { placeOf } from '../place.ts';
import { askText, fullText, type Hand, outcomeText } from '../plain.ts';
import { renderActionCard } from './action-card.ts';
import { renderCard } from './card.ts';
import { createClient } from './deliver.ts';
import { DingtalkError } from './errors.ts';
import { nameOf, staffIn } from './inert.ts';
import { actionCardMessage } from './messages.ts';
import { createSender } from './send.ts';
import { outboundSettings } from './settings.ts';
import { sentAs, sentTo, targetOf, trackOf } from './target.ts';
import { dingtalkTextsIn } from './texts.ts';

/** Text messages interpret nothing; they call only whom they name beside the text. */
const HAND: Hand = { inert, mention: nameOf };

/** DingTalk, outward: a robot in HTTP mode. */
export const createDingtalkChannel = (setup: ChannelSetup): Omit<Channel, 'name'> => {
  const { environment, language, clock, log } = setup;
  const settings = outboundSettings(environment);
  const client = createClient(setup, settings);
  const { send, sendText, sendCard } = createSender(setup, settings, client);
  const target = (receiver: Receiver) => targetOf(receiver, settings.oapiUrl, clock.now());

  /** An interactive card, else an action card, else a text: the person must see it one way or the other. */
  const show = async (view: AskView, receiver: Receiver): Promise<Sent> => {
    const place = placeOf(view, receiver);
    const code = askCode(view.ask.id);
    const called = peopleCalled(view, receiver);
    const confirm = view.ask.kind === 'confirm';
    let to = target(receiver);
    let told = false;
    const tellAll = async (): Promise<void> => {
      if (!told) to = await sendText(to, fullText(view, HAND));
      told = true;
    };
    const refused = (why: string | undefined) =>
      log.warn('dingtalk-card-refused', { code: why, ask: view.ask.id });

    if (confirm && settings.cards) {
      const { params, whole } = renderCard(view, place);
      const track = trackOf(view, receiver);
      if (!whole) await tellAll();
      const card = await sendCard(to, track, params, called);
      if ('delivered' in card) return sentAs(track, receiver, clock.now());
      refused(card.refusal);
    }
    const rendered = confirm ? renderActionCard(view, place) : undefined;
    if (rendered)
      try {
        if (!rendered.whole) await tellAll();
        await send(to, actionCardMessage(rendered.card, called));
        return sentAs(code, receiver, clock.now());
      } catch (error) {
        if (!isRefused(error)) throw error;
        refused(error.platformCode);
      }
    const closing =
      place === 'elsewhere'
        ? dingtalkTextsIn(view.language).coded(code, view.tasks.length)
        : typedHint(view.language, place, view.ask);
    await sendText(to, askText(view, HAND, [closing]), called);
    return sentAs(code, receiver, clock.now());
  };

  const update = async (view: AskView, sent: Sent): Promise<void> => {
    const isHere = view.to?.chat === sent.chat;
    const turn = isHere ? target({ kind: 'chat', to: view.to }) : undefined;
    const { name, target: to } = sentTo(sent, turn);
    if (name.startsWith(view.ask.id)) {
      if (isShownByAnswer(view)) return;
      try {
        await client.call({
          act: 'update a card',
          method: 'PUT',
          path: '/v1.0/card/instances',
          body: {
            outTrackId: name,
            userIdType: 1,
            cardData: { cardParamMap: renderCard(view, 'elsewhere').params },
            cardUpdateOptions: { updateCardDataByKey: true },
          },
        });
        return;
      } catch (error) {
        if (!(error instanceof DingtalkError) || error.retryable) throw error;
      }
    }
    // What cannot be changed is told once, when all is known: every message counts against the month.
    if (view.card.state !== 'running') await sendText(to, outcomeText(view, HAND));
  };

  return {
    show,
    update,
    say: async (address, text) => {
      const to = target({ kind: 'chat', to: address });
      try {
        await sendText(to, text);
      } catch (error) {
        if (!(error instanceof DingtalkError) || error.failure !== 'unsafe') throw error;
        await sendText(to, cardTextsIn(language).withheld);
      }
    },
  };
};

const isRefused = (error: unknown): error is DingtalkError =>
  error instanceof DingtalkError && ['fix', 'unsafe'].includes(error.failure);

/** The answer to the click has shown it already, on the one card there is. */
const isShownByAnswer = ({ card, ask }: AskView): boolean =>
  card.state === 'running' &&
  ask.decision?.via === 'click' &&
  ask.details.kind === 'inline' &&
  ask.shown.length === 1;

/** In a group those who may decide are called, if they are named. */
const peopleCalled = ({ ask }: AskView, receiver: Receiver): readonly string[] =>
  receiver.kind === 'chat' && receiver.to.group
    ? [...new Set(ask.tasks.flatMap(({ may }) => may))].flatMap((one) => staffIn(one) ?? [])
    : [];
