import { createClient } from '#channels/dingtalk/deliver.ts';
import { inboundSettings, outboundSettings } from '#channels/dingtalk/settings.ts';
import { createSystemClock } from '../../clock.ts';
import { createJsonLog } from '../../json-log.ts';
import type { Verb } from './verb.ts';

const USAGE =
  'usage: ops dingtalk-register --env <name>, or --url <the public address of the local bot>';

/** Tells DingTalk where clicks on interactive cards go. Done again it changes nothing; under the same key it moves it. */
export const dingtalkRegister: Verb = async ({ words, url, env, environment, target }) => {
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
  await client.call({
    act: 'register the card callback',
    method: 'POST',
    path: '/v1.0/card/callbacks/register',
    body: {
      callbackRouteKey: cards.routeKey,
      callbackUrl: `${base}/webhook/dingtalk/${pathSecret}/card`,
      apiSecret,
      forceUpdate: true,
    },
  });
  const shown = `${base}/webhook/dingtalk/{DINGTALK_PATH_SECRET}/card`;
  return { none: '', rows: [{ route_key: cards.routeKey, registered: shown }] };
};

const addressOf = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`${url} is not an address; ${USAGE}`);
  return url.replace(/\/+$/, '');
};
