import { addressIn, type Environment, listed, required } from '../environment.ts';

const needed = (environment: Environment, name: string): string =>
  required(environment, name, 'DingTalk');

const CARDS = [
  'DINGTALK_CARD_TEMPLATE_ID',
  'DINGTALK_CARD_ROUTE_KEY',
  'DINGTALK_CARD_API_SECRET',
] as const;

/** Interactive cards take all three settings; with none of them confirmations are action cards. */
const wantsCards = (environment: Environment): boolean => CARDS.some((name) => environment[name]);

const oapiUrl = (environment: Environment): string =>
  addressIn(environment, 'DINGTALK_OAPI_BASE_URL', 'https://oapi.dingtalk.com');

export interface InboundSettings {
  readonly app: string;
  readonly secrets: readonly string[];
  readonly robotCode: string;
  readonly corp: string;
  readonly pathSecrets: readonly string[];
  /** Empty without interactive cards: then no card callback is taken. */
  readonly cardSecrets: readonly string[];
  readonly oapiUrl: string;
}

export const inboundSettings = (environment: Environment): InboundSettings => ({
  app: needed(environment, 'DINGTALK_APP_KEY'),
  secrets: listed(needed(environment, 'DINGTALK_APP_SECRET')),
  robotCode: needed(environment, 'DINGTALK_ROBOT_CODE'),
  corp: needed(environment, 'DINGTALK_CORP_ID'),
  pathSecrets: listed(needed(environment, 'DINGTALK_PATH_SECRET')),
  cardSecrets: wantsCards(environment)
    ? listed(needed(environment, 'DINGTALK_CARD_API_SECRET'))
    : [],
  oapiUrl: oapiUrl(environment),
});

export interface OutboundSettings {
  readonly app: string;
  readonly secret: string;
  readonly robotCode: string;
  readonly baseUrl: string;
  readonly oapiUrl: string;
  readonly cards: { readonly template: string; readonly routeKey: string } | undefined;
}

export const outboundSettings = (environment: Environment): OutboundSettings => {
  const [secret = ''] = listed(needed(environment, 'DINGTALK_APP_SECRET'));
  return {
    app: needed(environment, 'DINGTALK_APP_KEY'),
    secret,
    robotCode: needed(environment, 'DINGTALK_ROBOT_CODE'),
    baseUrl: addressIn(environment, 'DINGTALK_BASE_URL', 'https://api.dingtalk.com'),
    oapiUrl: oapiUrl(environment),
    cards: wantsCards(environment)
      ? {
          template: needed(environment, 'DINGTALK_CARD_TEMPLATE_ID'),
          routeKey: needed(environment, 'DINGTALK_CARD_ROUTE_KEY'),
        }
      : undefined,
  };
};
