import type { Chat, Person, Platform, PlaygroundState } from './wire.ts';

/** Where one is, and as whom. It lives in the address, so that two windows can be two people. */
export interface Place {
  readonly platform: Platform;
  readonly chat: Chat;
  readonly person: Person;
}

/** As the person wanted if they are a member, else as the first one. */
export const placeIn = (platform: Platform, chat: Chat, person?: string): Place => {
  const members = platform.people.filter(({ id }) => chat.members.includes(id));
  const one = members.find(({ id }) => id === person) ?? members[0];
  if (!one) throw new Error(`${platform.name} has a chat without people: ${chat.id}`);
  return { platform, chat, person: one };
};

export const placeInAddress = ({ platforms }: PlaygroundState): Place | undefined => {
  const [platformName, chatId, person] = location.hash.slice(1).split('/').map(decoded);
  const platform = platforms.find(({ name }) => name === platformName) ?? platforms[0];
  const chat = platform?.chats.find(({ id }) => id === chatId) ?? platform?.chats[0];
  return platform && chat && placeIn(platform, chat, person);
};

export const putInAddress = ({ platform, chat, person }: Place): void => {
  const parts = [platform.name, chat.id, person.id].map(encodeURIComponent);
  history.replaceState(null, '', `#${parts.join('/')}`);
};

export const isSameChat = (a: Place | undefined, b: Place): boolean =>
  a?.platform.name === b.platform.name && a.chat.id === b.chat.id;

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
