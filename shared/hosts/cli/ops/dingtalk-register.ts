import * as z from 'zod/mini';
import { createClient } from '#channels/dingtalk/deliver.ts';
import { DingtalkError } from '#channels/dingtalk/errors.ts';
import { inboundSettings, outboundSettings } from '#channels/dingtalk/settings.ts';
import { createSystemClock } from '../../clock.ts';
import { createJsonLog } from '../../json-log.ts';
import type { Verb } from './verb.ts';

const USAGE =
  'usage: ops dingtalk-register --env <name>, or --url <the public address of the local bot> [--force]';

/** Tells DingTalk where clicks on interactive cards go. Done again it changes nothing; what leads elsewhere is moved only by force. */
export const dingtalkRegister: Verb = async ({ words, url, env, force, environment, target }) => {
  if (words.length > 0 || (url === undefined) === (env === undefined)) throw new Error(USAGE);
  const deployed = env === undefined ? undefined : await target();
  const base = addressOf(url ?? deployed?.url ?? '');
  const settings = (await deployed?.environment()) ?? environment;
  const { cards, ...outbound } = outboundSettings(settings);
  const {
    pathSecrets: [pathSecret],
    cardSecrets: [apiSecret],
  } = inboundSettings(settings);
  if (!cards || !apiSecret)
    throw new Error(
      'interactive cards are not set up: set DINGTALK_CARD_TEMPLATE_ID, DINGTALK_CARD_ROUTE_KEY and DINGTALK_CARD_API_SECRET',
    );
  const log = createJsonLog((line) => process.stderr.write(line));
  const client = createClient({ clock: createSystemClock(), log, fetch }, { ...outbound, cards });
  const wanted = { callbackUrl: `${base}/webhook/dingtalk/${pathSecret}/card`, apiSecret };
  const register = (forceUpdate: boolean) =>
    client.call({
      act: 'register the card callback',
      method: 'POST',
      path: '/v1.0/card/callbacks/register',
      body: { callbackRouteKey: cards.routeKey, ...wanted, forceUpdate },
    });
  const found = force ? undefined : await registeredBy(() => register(false), wanted);
  if (found && found.callbackUrl !== wanted.callbackUrl)
    throw new Error(
      `DINGTALK_CARD_ROUTE_KEY ${cards.routeKey} leads to ${placeOf(found.callbackUrl)} already, and two bots cannot share a key: choose another, or move it here with --force`,
    );
  if (force || found?.apiSecret !== apiSecret) await register(true);
  const shown = `${base}/webhook/dingtalk/{DINGTALK_PATH_SECRET}/card`;
  return { none: '', rows: [{ route_key: cards.routeKey, registered: shown }] };
};

/** A key that exists keeps its address unless it is forced; the answer then holds what it was registered with. */
const registration = z.object({
  result: z.object({ callbackUrl: z.string(), apiSecret: z.optional(z.string()) }),
});
type Registered = Partial<z.infer<typeof registration>['result']>;
const plainYes = z.object({ success: z.literal(true), result: z.optional(z.null()) });

/** The guide says that the answer tells where a key leads; the page of the API says that it is refused. */
const registeredBy = async (
  register: () => Promise<unknown>,
  wanted: Registered,
): Promise<Registered> => {
  try {
    const answer = await register();
    return plainYes.safeParse(answer).success
      ? wanted
      : (registration.safeParse(answer).data?.result ?? {});
  } catch (error) {
    if (error instanceof DingtalkError && error.platformCode === 'param.callbackRouteKeyExist')
      return {};
    throw error;
  }
};

/** Without its path, which holds a secret. */
const placeOf = (address: string | undefined): string =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : 'another address';

const addressOf = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`${url} is not an address; ${USAGE}`);
  return url.replace(/\/+$/, '');
};
