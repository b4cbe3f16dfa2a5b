import type { StandInChat, StandInPerson } from '../stand-in.ts';

/** The tenant on this machine. Ids never change: the page and tests may name them. */
export interface Person extends StandInPerson {
  readonly unionId: string;
  readonly userId: string;
}

export interface Chat extends StandInChat {
  /** Whether people may @ everybody here, and whether replies may open a topic. */
  readonly atAll: boolean;
  readonly topics: boolean;
}

export interface FeishuSecrets {
  readonly appId: string;
  readonly appSecret: string;
  readonly encryptKey: string;
  readonly verificationToken: string;
}

export const STANDIN_SECRETS: FeishuSecrets = {
  appId: 'cli_standin000000001',
  appSecret: 'standin-feishu-app-secret-not-for-real-use',
  encryptKey: 'standin-feishu-encrypt-key',
  verificationToken: 'standin-feishu-verification-token',
};

export const TENANT_KEY = '57a4d1e000000001';
export const BOT = {
  openId: 'ou_b0700000000000000000000000000001',
  unionId: 'on_b0700000000000000000000000000001',
  name: 'Countersign',
};

const person = (number: number, name: string, userId: string): Person => ({
  id: `ou_a0000000000000000000000000000${String(number).padStart(3, '0')}`,
  unionId: `on_a0000000000000000000000000000${String(number).padStart(3, '0')}`,
  userId,
  name,
});

const WANG = person(1, '王小明', 'wangxm01');
const LI = person(2, '李雷', 'lilei002');
const HAN = person(3, '韩梅梅', 'hanmm003');
export const PEOPLE: readonly Person[] = [WANG, LI, HAN];

const chatId = (number: number) =>
  `oc_c0000000000000000000000000000${String(number).padStart(3, '0')}`;

const single = ({ id, name }: Person, index: number): Chat => ({
  id: chatId(index + 1),
  name,
  kind: 'single',
  members: [id],
  atAll: false,
  topics: true,
});

export const CHATS: readonly Chat[] = [
  ...PEOPLE.map(single),
  {
    id: chatId(101),
    name: '运维值班群',
    kind: 'group',
    members: [WANG.id, LI.id, HAN.id],
    atAll: true,
    topics: true,
  },
  {
    id: chatId(102),
    name: '数据组',
    kind: 'group',
    members: [WANG.id, LI.id],
    atAll: false,
    topics: false,
  },
];

export const personOf = (openId: string): Person | undefined =>
  PEOPLE.find(({ id }) => id === openId);

export const chatOf = (id: string): Chat | undefined => CHATS.find((chat) => chat.id === id);

/** A person by any of the ids Feishu takes for one. */
export const isUserId = (id: string): boolean =>
  id === BOT.openId ||
  id === BOT.unionId ||
  PEOPLE.some((one) => [one.id, one.unionId, one.userId].includes(id));
