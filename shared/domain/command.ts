import { fold } from './reply.ts';

const COMMANDS = ['cancel', 'status', 'reset', 'help', 'whoami', 'enable', 'disable'] as const;
export type Command = (typeof COMMANDS)[number];

/** `/cancel` and its like work at any time, in a lane of their own. Anything else behind a slash is ordinary text. */
export const commandIn = (text: string): Command | undefined => {
  const folded = fold(text);
  return COMMANDS.find((command) => folded === `/${command}`);
};
