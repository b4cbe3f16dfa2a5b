import type { Place } from '#domain/card-texts.ts';
import type { AskView, Receiver } from '#ports/channel.ts';

/** Words without a reply count only where the request came from. */
export const placeOf = ({ session }: AskView, receiver: Receiver): Place => {
  if (receiver.kind !== 'chat') return 'elsewhere';
  const { channel, app, chat, group } = receiver.to;
  const here = `${session}:`.startsWith(`${channel}:${app}:${chat}:`);
  if (!here) return 'elsewhere';
  return group ? 'group' : 'private';
};
