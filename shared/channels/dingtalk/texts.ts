import type { Language } from '#domain/settings.ts';

/** What only DingTalk makes it necessary to say. */
interface DingtalkTexts {
  readonly unknownPerson: string;
  readonly quotaUsedUp: string;
  /** What to type where a bare word would not count. */
  readonly coded: (code: string, tasks: number) => string;
  readonly clickHere: string;
  readonly marks: string;
}

const zh: DingtalkTexts = {
  unknownPerson:
    '无法确认你的身份，没有处理这条消息。如果你是本组织成员，请管理员在开发者后台发布应用版本；组织以外的人不能使用这个机器人。',
  quotaUsedUp: '本组织本月的机器人消息额度已用完，没有收到消息内容。请联系管理员。',
  coded: (code, tasks) =>
    `也可以对机器人说：确认${code}${tasks > 1 ? ` ｜ 确认${code} 1,2（只执行这几项）` : ''} ｜ 取消${code} ｜ 修改${code}：…`,
  clickHere: '按钮没有反应时请点这里：',
  marks: '（为避免被当作格式或链接，＊ ＿ ［ 等符号以全角显示）',
};

const en: DingtalkTexts = {
  unknownPerson:
    'I cannot tell who you are, so this message was not handled. If you belong to this organisation, ask an administrator to publish the app in the developer console; people outside it cannot use this bot.',
  quotaUsedUp:
    "The organisation's monthly quota of robot messages is used up, so your message arrived without its content. Please tell an administrator.",
  coded: (code, tasks) =>
    `Or tell the bot: confirm${code}${tasks > 1 ? ` ｜ confirm${code} 1,2 (only these)` : ''} ｜ cancel${code} ｜ modify${code}: …`,
  clickHere: 'If the buttons do nothing: ',
  marks:
    '(signs such as ＊ ＿ ［ are shown wide so that they are not taken for formatting or links)',
};

export const dingtalkTextsIn = (language: Language): DingtalkTexts =>
  language === 'zh-CN' ? zh : en;
