import type { StandInChat, StandInPerson } from '../stand-in.ts';

/** The organisation on this machine. Ids never change: the page and tests may name them. */
export interface Person extends StandInPerson {
  /** `id` is the userId, which robot messages call `senderStaffId`. */
  readonly unionId: string;
  /** What robot messages call `senderId`. */
  readonly dingtalkId: string;
  readonly admin: boolean;
}

export interface DingtalkSecrets {
  readonly appKey: string;
  readonly appSecret: string;
  readonly robotCode: string;
  readonly corpId: string;
  /** The last part of the bot's address, which nobody else knows: signatures do not cover the body. */
  readonly pathSecret: string;
  readonly cardTemplateId: string;
  readonly cardRouteKey: string;
  readonly cardApiSecret: string;
}

export const STANDIN_SECRETS: DingtalkSecrets = {
  appKey: 'dingstandinkey000001',
  appSecret: 'standin-dingtalk-app-secret-not-for-real-use',
  // An internal robot's code is its app's key.
  robotCode: 'dingstandinkey000001',
  corpId: 'dingstandincorp00000000000000001',
  pathSecret: 'standin-path-secret',
  cardTemplateId: '00000000-0000-4000-8000-000000000001.schema',
  cardRouteKey: 'standin-card-route',
  cardApiSecret: 'standin-dingtalk-card-api-secret',
};

export const BOT = { dingtalkId: '$:LWCP_v1:$botStandIn00000000001', name: 'Countersign' };

const person = (number: number, name: string): Person => ({
  id: `01470301186020000${number}`,
  unionId: `standInUnion0000000${number}iEiE`,
  dingtalkId: `$:LWCP_v1:$personStandIn00000000${number}`,
  name,
  admin: number === 1,
});

const WANG = person(1, '王小明');
const LI = person(2, '李雷');
const HAN = person(3, '韩梅梅');
export const PEOPLE: readonly Person[] = [WANG, LI, HAN];

const single = ({ id, name }: Person, index: number): StandInChat => ({
  id: `cidStandInSingle0000000${index + 1}=`,
  name,
  kind: 'single',
  members: [id],
});

export const CHATS: readonly StandInChat[] = [
  ...PEOPLE.map(single),
  // Letters of base64, as real ids have them.
  {
    id: 'cidStandIn/Group+00001==',
    name: '运维值班群',
    kind: 'group',
    members: [WANG.id, LI.id, HAN.id],
  },
  { id: 'cidStandInGroup0000002==', name: '数据组', kind: 'group', members: [WANG.id, LI.id] },
];

export const personOf = (userId: string): Person | undefined =>
  PEOPLE.find(({ id }) => id === userId);

export const chatOf = (id: string): StandInChat | undefined => CHATS.find((chat) => chat.id === id);

export const singleChatOf = (userId: string): StandInChat | undefined =>
  CHATS.find(({ kind, members }) => kind === 'single' && members[0] === userId);
