import * as z from 'zod/mini';
import { isObject } from '../json.ts';
import { type Answer, refuse } from './answers.ts';
import { tooLong } from './content.ts';
import { newId } from './crypto.ts';
import { faultOfUpdate, readBody } from './messages.ts';
import type { ApiCall, Platform } from './platform.ts';

const LIFE_MS = 1_800_000;
const MOST_USES = 2;

const bodySchema = z.object({ token: z.string(), card: z.unknown() });

export interface ClickTokens {
  /** The `c-…` token of one click on a message. */
  give(message: string): string;
  /** `interactive/v1/card/update`. */
  update(call: ApiCall): Answer;
}

/** Page delayed update: a click's token serves 30 minutes, twice. */
export const createClickTokens = (platform: Platform): ClickTokens => {
  const tokens = new Map<string, { readonly message: string; readonly at: number; uses: number }>();
  return {
    give: (message) => {
      for (const [old, { at }] of tokens) if (platform.now() - at >= LIFE_MS) tokens.delete(old);
      const token = newId('c-');
      tokens.set(token, { message, at: platform.now(), uses: 0 });
      return token;
    },
    update: ({ body, bytes }) => {
      const read = readBody(bodySchema, body);
      if ('refusal' in read) return read.refusal;
      const { token, card } = read.data;
      if (!/^c-\w+$/.test(token)) return refuse(300020);
      const found = tokens.get(token);
      const message = found && platform.state.messages.get(found.message);
      if (!found || !message || platform.now() - found.at >= LIFE_MS) return refuse(300030);
      if (found.uses >= MOST_USES) return refuse(300040);
      if (message.recalled) return refuse(200000);
      if (!isObject(card) || tooLong('interactive', bytes)) return refuse(10002);
      const fault = faultOfUpdate(message, card);
      if (fault) return refuse(11311, `ErrCode: ${fault.errCode}; ErrMsg: ${fault.errMsg}`);
      found.uses += 1;
      platform.cards.replace(message, card);
      return { status: 200, body: { code: 0, msg: 'ok' } };
    },
  };
};
