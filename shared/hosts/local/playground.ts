import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChatView, ClickShown, Language, Look, PlaygroundState } from '#console/wire.ts';
import { type Answer, json, refusal, send } from './playground/answer.ts';
import { streamChanges } from './playground/changes.ts';
import { pageFile } from './playground/page-file.ts';
import { newClick, newMessage, readBody } from './playground/read-body.ts';
import type { StandIn, StandInChat } from './standins/stand-in.ts';

export type { Look } from '#console/wire.ts';

export interface PlaygroundOptions {
  readonly standIns: readonly StandIn[];
  look(standIn: string, chat: string): Promise<Look>;
  readonly language: Language;
  readonly model: string;
}

/** Answers the page's requests; `false` means that the request is for somebody else. */
export type Playground = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

const MINE = /^\/$|^\/(?:console|playground)\//;
const CHAT = /^\/playground\/([^/]+)\/chats\/([^/]+)(?:\/(messages|clicks))?$/;
/** A page of another site can reach this port by a name of its own that it lets point here; then Host carries that name. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

export const createPlayground =
  (options: PlaygroundOptions): Playground =>
  async (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (!MINE.test(path)) return false;
    const stranger = turnAway(request);
    if (!stranger && path === '/playground/events' && request.method === 'GET')
      streamChanges(options.standIns, response);
    else send(response, stranger ?? (await answer(options, path, request)));
    return true;
  };

const turnAway = ({ headers, method }: IncomingMessage): Answer | undefined => {
  const { host = '', origin } = headers;
  if (!LOOPBACK.test(host))
    return refusal(403, 'not-local', 'The playground answers on localhost and 127.0.0.1 only');
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method !== 'POST') return refusal(405, 'wrong-method', `${method} is not known here`);
  if (origin !== undefined && origin !== `http://${host}`)
    return refusal(403, 'other-origin', 'Only the playground itself may post here');
  return JSON_TYPE.test(headers['content-type'] ?? '')
    ? undefined
    : refusal(415, 'not-json', 'Send content-type: application/json');
};

const answer = async (
  options: PlaygroundOptions,
  path: string,
  request: IncomingMessage,
): Promise<Answer> => {
  try {
    if (!path.startsWith('/playground/')) return reading(request) ?? (await pageFile(path));
    if (path === '/playground/state') return reading(request) ?? json(stateOf(options));
    return await answerInChat(options, path, request);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refusal(503, 'unavailable', `The local bot could not do this: ${why}`);
  }
};

const reading = ({ method }: IncomingMessage): Answer | undefined =>
  method === 'POST' ? refusal(405, 'wrong-method', 'This address is only for reading') : undefined;

const stateOf = ({ standIns, language, model }: PlaygroundOptions): PlaygroundState => ({
  platforms: standIns.map(({ name, people, chats }) => ({ name, people, chats })),
  language,
  model,
});

const answerInChat = async (
  options: PlaygroundOptions,
  path: string,
  request: IncomingMessage,
): Promise<Answer> => {
  const [, platform, chatId, act] = CHAT.exec(path)?.map(decoded) ?? [];
  const standIn = options.standIns.find(({ name }) => name === platform);
  const chat = standIn?.chats.find(({ id }) => id === chatId);
  if (!standIn || !chat) return refusal(404, 'not-found', 'There is no such chat');
  if (act === 'messages') return writing(request) ?? (await write(standIn, chat, request));
  if (act === 'clicks') return writing(request) ?? (await click(standIn, chat, request));
  return reading(request) ?? json(await viewOf(options, standIn, chat));
};

const viewOf = async (
  options: PlaygroundOptions,
  standIn: StandIn,
  chat: StandInChat,
): Promise<ChatView> => {
  const look = await options.look(standIn.name, chat.id);
  return { posts: standIn.posts(chat.id), look };
};

/** Nothing for a percent sign that encodes nothing: there is no chat of that name. */
const decoded = (part: string | undefined): string | undefined => {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
};

const writing = ({ method }: IncomingMessage): Answer | undefined =>
  method === 'POST' ? undefined : refusal(405, 'wrong-method', 'This address takes POST');

const write = async (
  standIn: StandIn,
  chat: StandInChat,
  request: IncomingMessage,
): Promise<Answer> => {
  const read = await readBody(request, newMessage);
  if (read.kind === 'refused') return read.answer;
  const { from, replyTo } = read.body;
  const wrong = notMember(chat, 'from', from) ?? notPosted(standIn, chat, 'replyTo', replyTo);
  if (wrong) return wrong;
  const { id } = await standIn.write({ ...read.body, chat: chat.id });
  return json({ id });
};

const click = async (
  standIn: StandIn,
  chat: StandInChat,
  request: IncomingMessage,
): Promise<Answer> => {
  const read = await readBody(request, newClick);
  if (read.kind === 'refused') return read.answer;
  const { by, message, value } = read.body;
  const wrong = notMember(chat, 'by', by) ?? notPosted(standIn, chat, 'message', message);
  if (wrong) return wrong;
  const shown: ClickShown = await standIn.click({ ...read.body, value });
  return json(shown);
};

const notMember = (chat: StandInChat, field: string, person: string): Answer | undefined =>
  chat.members.includes(person)
    ? undefined
    : refusal(400, 'invalid-body', `${field}: expected one of ${chat.members.join(', ')}`);

const notPosted = (
  standIn: StandIn,
  chat: StandInChat,
  field: string,
  message: string | undefined,
): Answer | undefined =>
  message === undefined || standIn.posts(chat.id).some(({ id }) => id === message)
    ? undefined
    : refusal(400, 'invalid-body', `${field}: there is no such message in this chat`);
