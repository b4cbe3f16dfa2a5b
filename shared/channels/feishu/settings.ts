import { addressIn, type Environment, listed, required } from '../environment.ts';

const needed = (environment: Environment, name: string): string =>
  required(environment, name, 'Feishu');

export interface InboundSettings {
  readonly app: string;
  /** Empty only where the operator set the key to nothing on purpose: then the token alone guards the bot. */
  readonly encryptKeys: readonly string[];
  readonly tokens: readonly string[];
}

export const inboundSettings = (environment: Environment): InboundSettings => ({
  app: needed(environment, 'FEISHU_APP_ID'),
  encryptKeys:
    environment['FEISHU_ENCRYPT_KEY'] === ''
      ? []
      : listed(needed(environment, 'FEISHU_ENCRYPT_KEY')),
  tokens: listed(needed(environment, 'FEISHU_VERIFICATION_TOKEN')),
});

export interface OutboundSettings {
  readonly app: string;
  readonly secret: string;
  readonly baseUrl: string;
}

/** Lark is the same platform under another address. */
export const outboundSettings = (environment: Environment): OutboundSettings => {
  const [secret = ''] = listed(needed(environment, 'FEISHU_APP_SECRET'));
  return {
    app: needed(environment, 'FEISHU_APP_ID'),
    secret,
    baseUrl: addressIn(environment, 'FEISHU_BASE_URL', 'https://open.feishu.cn'),
  };
};
