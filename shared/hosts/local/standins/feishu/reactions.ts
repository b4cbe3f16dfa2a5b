import * as z from 'zod/mini';
import { type Answer, refuse, succeed } from './answers.ts';
import { newId } from './crypto.ts';
import { EMOJI_TYPES } from './emoji-types.ts';
import { readBody } from './messages.ts';
import type { ApiCall, Platform } from './platform.ts';
import type { Message, Reaction } from './state.ts';

const bodySchema = z.object({ reaction_type: z.object({ emoji_type: z.string() }) });

const toWire = ({ secrets }: Platform, { id, emoji, at }: Reaction) => ({
  reaction_id: id,
  operator: { operator_id: secrets.appId, operator_type: 'app' },
  action_time: String(at),
  reaction_type: { emoji_type: emoji },
});

const save = ({ state, changed }: Platform, message: Message, reactions: readonly Reaction[]) => {
  state.messages.put(message.id, { ...message, reactions });
  changed(message.chat);
};

export const react = (platform: Platform, { body }: ApiCall, id: string): Answer => {
  const read = readBody(bodySchema, body);
  if ('refusal' in read) return read.refusal;
  const emoji = read.data.reaction_type.emoji_type;
  if (!EMOJI_TYPES.has(emoji)) return refuse(231001);
  const message = platform.state.messages.get(id);
  if (!message || message.recalled) return refuse(231003);
  // One person's second reaction with the same face is the first one.
  const same = message.reactions.find((one) => one.emoji === emoji);
  const reaction = same ?? { id: newId('r_'), emoji, at: platform.now() };
  if (!same) save(platform, message, [...message.reactions, reaction]);
  return succeed(toWire(platform, reaction));
};

export const unreact = (platform: Platform, _: ApiCall, id: string, reactionId: string): Answer => {
  const message = platform.state.messages.get(id);
  if (!message || message.recalled) return refuse(231003);
  const reaction = message.reactions.find((one) => one.id === reactionId);
  if (!reaction) return refuse(231007);
  save(
    platform,
    message,
    message.reactions.filter((one) => one !== reaction),
  );
  return succeed(toWire(platform, reaction));
};
