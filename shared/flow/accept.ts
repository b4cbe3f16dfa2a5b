import { type Ask, type Decision, everyoneWhoMay, mayDecideTask } from '#domain/ask.ts';
import { commandIn } from '#domain/command.ts';
import { headOf } from '#domain/head-of.ts';
import { type AskId, askCode, type SessionId, sessionId } from '#domain/ids.ts';
import type { Inbound, InboundDecision, InboundMessage } from '#domain/inbound.ts';
import { envelope } from '#domain/job.ts';
import { keys } from '#domain/keys.ts';
import {
  bareDecision,
  buttonIn,
  readAmongMentions,
  readReply,
  withoutMentions,
} from '#domain/reply.ts';
import { leftLying, openAsk, readSession, type Session, settledAsks } from '#domain/session.ts';
import { textsIn } from '#domain/texts.ts';
import type { FrontPorts } from '#ports/engine.ts';
import { type Claimed, claim, sendResume } from './claim.ts';

export type Accepted =
  | Claimed
  | { readonly kind: 'enqueued' | 'commanded' | 'noticed' }
  | { readonly kind: 'ignored'; readonly why: 'bot' | 'not-for-the-bot' };

const RECENTLY_MS = 10 * 60_000;

/** Before anything is queued: is it a decision? A claimed reply never reaches the model as a message. */
export const accept = (ports: FrontPorts, inbound: Inbound): Promise<Accepted> =>
  inbound.type === 'decision' ? acceptDecision(ports, inbound) : acceptMessage(ports, inbound);

const acceptDecision = async (ports: FrontPorts, inbound: InboundDecision): Promise<Accepted> => {
  const { session: id, ask, binding, by, kind, picked } = inbound;
  let text = inbound.text;
  if (inbound.form && kind === 'answer') {
    const [item] = await ports.store.read([keys.session(id)]);
    const open = openAsk(readSession(id, item));
    const reply = open?.id === ask ? readReply(text ?? '', open) : undefined;
    if (reply?.kind === 'wrong')
      return { kind: 'refused', refusal: { reason: 'wrong-answer', options: reply.of } };
    text = reply?.kind === 'answer' ? reply.text : text;
  }
  const decision: Decision = {
    id: inbound.id,
    kind,
    by,
    at: ports.clock.now(),
    via: 'click',
    ...(picked && { picked }),
    ...(text !== undefined && { text: cut(text) }),
  };
  return claim(ports, { session: id, ask, binding, decision, tasks: inbound.tasks });
};

const acceptMessage = async (ports: FrontPorts, message: InboundMessage): Promise<Accepted> => {
  if (message.bot) return { kind: 'ignored', why: 'bot' };
  const heard = await lookUp(ports, message);
  const { session, named } = heard;
  const repliesToCard = named !== undefined && named === openAsk(session)?.id;
  // Delivered again after it had decided: its first delivery may have died before it queued anything.
  const decided = session.ask?.decision?.id === message.id;
  if (!isForTheBot(heard) && !repliesToCard && !decided)
    return { kind: 'ignored', why: 'not-for-the-bot' };
  const texts = textsIn(ports.settings.agent.language);
  if (message.unreadable) return notice(ports, heard, texts.onlyText);
  if (bareText(message) === '') return notice(ports, heard, texts.help);
  const command = commandIn(bareText(message));
  if (command) {
    await ports.queue.send(
      envelope({ type: 'command', session: session.id, command, message }, `k:${message.id}`),
    );
    return { kind: 'commanded' };
  }
  const lying = leftLying(session, ports.clock.now());
  if (lying && lying.decision?.id !== message.id)
    await sendResume(ports, session.id, lying, `again:${message.id}`);
  return decideByText(ports, heard);
};

/** A message and what the store knew about its place when it came. */
interface Heard {
  readonly message: InboundMessage;
  readonly session: Session;
  /** The ask whose card this message replies to. */
  readonly named: AskId | undefined;
  /** The bot's own id on the platform, once it is known. */
  readonly bot: string | undefined;
}

const lookUp = async (ports: FrontPorts, message: InboundMessage): Promise<Heard> => {
  const { channel, app, chat, thread, group } = message.to;
  const perPerson = group && ports.settings.agent.groupSessions === 'person';
  const id = sessionId({
    channel,
    app,
    chat,
    thread,
    person: perPerson ? message.from : undefined,
  });
  const parent = message.parent ? [keys.reference(channel, app, message.parent)] : [];
  const [item, appItem, reference] = await ports.store.read([
    keys.session(id),
    keys.app(channel, app),
    ...parent,
  ]);
  const heard = {
    message,
    named: reference?.['ask'] as AskId | undefined,
    bot: appItem?.['bot'] as string | undefined,
  };
  const elsewhere = reference?.['session'] as SessionId | undefined;
  if (elsewhere === undefined || elsewhere === id)
    return { ...heard, session: readSession(id, item) };
  const [other] = await ports.store.read([keys.session(elsewhere)]);
  return { ...heard, session: readSession(elsewhere, other) };
};

const bareText = ({ text, mentionNames = [] }: InboundMessage): string =>
  withoutMentions(text, mentionNames);

const isForTheBot = ({ message, bot }: Heard): boolean => {
  if (!message.to.group) return true;
  return bot === undefined ? message.mentionsSomeBot : message.mentions.includes(bot);
};

const decideByText = async (ports: FrontPorts, heard: Heard): Promise<Accepted> => {
  const { session, message, named } = heard;
  const texts = textsIn(ports.settings.agent.language);
  const redelivered = settledAsks(session).length > 0 && session.ask?.decision?.id === message.id;
  const ask = redelivered ? session.ask : openAsk(session);
  const button = buttonIn(bareText(message));
  const pressed = ask !== undefined && button?.code === askCode(ask.id);
  if (!ask || (named !== undefined && named !== ask.id) || (button && !pressed))
    return withoutAsk(ports, heard);
  // Only a card that was out, in this chat, before the text was written can be what the text answers. Who sends its
  // code has seen it, wherever that was.
  const out = ask.shown.filter((copy) => copy.time < message.sentAt);
  const seen = pressed || out.some((copy) => copy.chat === message.to.chat);
  if (!ask.tasks.some((task) => mayDecideTask(task, message.from))) {
    const may = everyoneWhoMay(ask);
    if (pressed) return notice(ports, heard, texts.refusal({ reason: 'not-an-approver', may }));
    const enqueued = await enqueue(ports, heard);
    return out.length > 0 ? notice(ports, heard, texts.awaiting(may, ask.expiresAt)) : enqueued;
  }
  if (!seen) return enqueue(ports, heard);
  const reply = readAmongMentions(button?.word ?? message.text, message.mentionNames ?? [], ask);
  const decide = (decision: Pick<Decision, 'kind' | 'picked' | 'text'>) =>
    claimByText(ports, heard, ask, decision);
  switch (reply.kind) {
    case 'confirm':
      return decide({ kind: 'confirm', ...(reply.picked && { picked: reply.picked }) });
    case 'cancel':
      return decide({ kind: 'cancel' });
    case 'modify':
    case 'answer':
      return decide({ kind: reply.kind, text: cut(reply.text) });
    case 'wrong':
      return notice(
        ports,
        heard,
        reply.wrong === 'pick' || reply.wrong === 'choice'
          ? texts.wrongPick(reply.of)
          : texts.wrongAnswer,
      );
    case 'other':
      return otherText(ports, heard, ask);
    default:
      return reply satisfies never;
  }
};

const otherText = (ports: FrontPorts, heard: Heard, ask: Ask): Promise<Accepted> => {
  const { otherReply } = ports.settings.approval;
  if (otherReply === 'queue') return enqueue(ports, heard);
  if (otherReply === 'reask')
    return notice(ports, heard, textsIn(ports.settings.agent.language).reask(ask.expiresAt));
  return claimByText(ports, heard, ask, { kind: otherReply, text: cut(heard.message.text) });
};

const claimByText = async (
  ports: FrontPorts,
  heard: Heard,
  ask: Ask,
  what: Pick<Decision, 'kind' | 'picked' | 'text'>,
): Promise<Accepted> => {
  const { session, message } = heard;
  const decision: Decision = {
    id: message.id,
    by: message.from,
    at: ports.clock.now(),
    via: 'text',
    message: message.id,
    ...what,
  };
  const claimed: Claimed = await claim(ports, {
    session: session.id,
    ask: ask.id,
    binding: ask.binding,
    decision,
    tasks: ask.tasks.length,
  });
  if (claimed.kind !== 'refused') return claimed;
  // A word that lost is told so; a sentence that lost is still something the person said.
  if (bareDecision(bareText(message)) === undefined && what.kind === 'modify')
    return enqueue(ports, heard);
  await notice(ports, heard, textsIn(ports.settings.agent.language).refusal(claimed.refusal));
  return claimed;
};

const withoutAsk = (ports: FrontPorts, heard: Heard): Promise<Accepted> => {
  const { session, message, named } = heard;
  const button = buttonIn(bareText(message));
  if (!button && bareDecision(bareText(message)) === undefined) return enqueue(ports, heard);
  const since = ports.clock.now() - RECENTLY_MS;
  const settled = settledAsks(session).find((one) => {
    if (button) return askCode(one.id) === button.code;
    return named === undefined ? one.at >= since : one.id === named;
  });
  const texts = textsIn(ports.settings.agent.language);
  if (settled) return notice(ports, heard, texts.settled(settled));
  // The button of a card so old that nobody remembers it: whatever is open now, it was not meant.
  if (button) {
    const reason = openAsk(session) ? 'changed' : 'no-open-ask';
    return notice(ports, heard, texts.refusal({ reason }));
  }
  return enqueue(ports, heard);
};

const enqueue = async (ports: FrontPorts, { session, message, bot }: Heard): Promise<Accepted> => {
  const introduce = bot === undefined && ({ introduce: true } as const);
  const short = { ...message, text: cutToQueue(message.text) };
  await ports.queue.send(
    envelope(
      { type: 'message', session: session.id, message: short, ...introduce },
      `m:${message.id}`,
    ),
  );
  return { kind: 'enqueued' };
};

/** What the webhook has to tell goes through the queue: it calls no platform itself. */
const notice = async (
  ports: FrontPorts,
  { session, message }: Heard,
  text: string,
): Promise<Accepted> => {
  const name = `t:${message.id}`;
  await ports.queue.send(
    envelope({ type: 'notice', session: session.id, to: message.to, text, key: name }, name),
  );
  return { kind: 'noticed' };
};

const MOST = 20_000;
const cut = (text: string, most = MOST): string =>
  text.length <= most
    ? text
    : `${headOf(text, most)} [truncated: ${most} of ${text.length} characters]`;

/** A job holds 256 KB; as an escape, which is how half an emoji travels, a character takes six bytes of it. */
const QUEUE_BYTES = 200_000;
const ESCAPE = '\\u0000';
const cutToQueue = (text: string): string => {
  const body = JSON.stringify(text).replace(/[\uD800-\uDFFF]/g, ESCAPE);
  return new TextEncoder().encode(body).length <= QUEUE_BYTES
    ? text
    : cut(text, Math.floor(QUEUE_BYTES / ESCAPE.length));
};
