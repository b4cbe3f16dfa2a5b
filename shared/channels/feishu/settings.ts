type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_BASE_URL = 'https://open.feishu.cn';

const required = (environment: Environment, name: string): string => {
  const value = environment[name];
  if (value === undefined || value.trim() === '')
    throw new Error(
      `${name} is not set; the Feishu channel needs it (developer console of the app, see the guide)`,
    );
  return value.trim();
};

/** A secret may be a list `new,old` while it is being rotated: all are accepted, the first is used. */
const listed = (value: string): readonly string[] =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

export interface InboundSettings {
  readonly app: string;
  /** Empty only where the operator set the key to nothing on purpose: then the token alone guards the bot. */
  readonly encryptKeys: readonly string[];
  readonly tokens: readonly string[];
}

export const inboundSettings = (environment: Environment): InboundSettings => ({
  app: required(environment, 'FEISHU_APP_ID'),
  encryptKeys:
    environment['FEISHU_ENCRYPT_KEY'] === ''
      ? []
      : listed(required(environment, 'FEISHU_ENCRYPT_KEY')),
  tokens: listed(required(environment, 'FEISHU_VERIFICATION_TOKEN')),
});

export interface OutboundSettings {
  readonly app: string;
  readonly secret: string;
  readonly baseUrl: string;
}

/** Lark is the same platform under another address. */
export const outboundSettings = (environment: Environment): OutboundSettings => {
  const address = environment['FEISHU_BASE_URL'] || DEFAULT_BASE_URL;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error(
      `FEISHU_BASE_URL is not an address: expected something like ${DEFAULT_BASE_URL}`,
    );
  const [secret = ''] = listed(required(environment, 'FEISHU_APP_SECRET'));
  return {
    app: required(environment, 'FEISHU_APP_ID'),
    secret,
    baseUrl: address.replace(/\/+$/, ''),
  };
};
