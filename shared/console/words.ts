import type { Language } from './wire.ts';

const zh = {
  title: 'Countersign 演练场',
  tagline: '动手之前先问人的机器人',
  about: '平台由本机替身扮演；机器人、卡片、点击回调都走真实流程。',
  chats: '会话',
  singles: '单聊',
  groups: '群聊',
  platform: '平台',
  platforms: { feishu: '飞书', dingtalk: '钉钉' },
  unread: '有新消息',
  menu: '会话列表',
  close: '关闭',
  language: 'English',
  languageLabel: '切换到英文',
  model: '模型',
  conversation: '消息',
  speakAs: '身份',
  speakAsLabel: '以谁的身份发言和点击',
  mention: '@机器人',
  mentionOff: '群里没有 @机器人 的消息，机器人不会读',
  write: '输入消息',
  placeholder: '输入消息…',
  keys: 'Enter 发送 · Shift+Enter 换行',
  send: '发送',
  reply: '回复',
  replyingTo: '回复',
  dropReply: '不再回复这条',
  card: '[卡片]',
  gone: '（已不在这里的消息）',
  bot: '机器人',
  everyone: '所有人',
  updated: '已更新',
  newest: '有新消息',
  tryThis: '试一试',
  tryThisWhy: '点一句放进输入框，再发送。有风险的操作会先给你看卡片。',
  examples: ['删除所有笔记', '记一条笔记：周五下午三点评审', '删除 orders 表里 status=1 的记录'],
  status: '会话状态',
  session: '会话',
  phase: '阶段',
  phases: {
    IDLE: '空闲',
    EXECUTING: '执行中',
    WAITING_INPUT: '等待回答',
    WAITING_CONFIRM: '等待确认',
  },
  ask: '未决的询问',
  lastAsk: '上一个询问',
  noAsk: '没有等待决定的询问',
  kinds: { confirm: '请确认', input: '请填写', choice: '请选择' },
  askStates: { decided: '已决定，正在处理', taken: '已处理' },
  tools: '操作',
  may: '可决定的人',
  anyone: '这里的任何人',
  round: '轮次',
  left: '剩余时间',
  expired: '已到期',
  waiting: '排队消息',
  events: '最近事件',
  noEvents: '还没有事件',
  facts: '原始内容',
  lost: '与机器人的连接断开了，可能正在重启。正在重连，输入的内容不会丢。',
  notSent: '没有发出去',
  notClicked: '这次点击没有送达',
  confirmClick: '确定',
  cancelClick: '取消',
  required: '这一项必填',
  choose: '请选择',
  image: '图片',
  badCard: '这张卡片无法显示',
  reactions: { OnIt: '处理中', Get: '收到', DONE: '完成', OK: 'OK', THUMBSUP: '赞' },
};

const en: typeof zh = {
  title: 'Countersign playground',
  tagline: 'The bot that asks before it acts',
  about:
    'A stand-in on this machine plays the platform; the bot, its cards and callbacks are real.',
  chats: 'Chats',
  singles: 'Single chats',
  groups: 'Groups',
  platform: 'Platform',
  platforms: { feishu: 'Feishu', dingtalk: 'DingTalk' },
  unread: 'new messages',
  menu: 'Chats',
  close: 'Close',
  language: '中文',
  languageLabel: 'Switch to Chinese',
  model: 'Model',
  conversation: 'Messages',
  speakAs: 'You are',
  speakAsLabel: 'Whom you write and click as',
  mention: '@bot',
  mentionOff: 'In a group the bot reads only what mentions it',
  write: 'Write a message',
  placeholder: 'Write a message…',
  keys: 'Enter sends · Shift+Enter starts a line',
  send: 'Send',
  reply: 'Reply',
  replyingTo: 'Replying to',
  dropReply: 'Do not reply to this',
  card: '[card]',
  gone: '(a message no longer here)',
  bot: 'Bot',
  everyone: 'everyone',
  updated: 'updated',
  newest: 'New messages',
  tryThis: 'Try this',
  tryThisWhy: 'Pick a sentence, then send it. Anything risky is shown to you on a card first.',
  examples: [
    'Delete all notes',
    'Write a note: review on Friday at three',
    'Delete the rows of table orders where status=1',
  ],
  status: 'Session',
  session: 'Session',
  phase: 'Phase',
  phases: {
    IDLE: 'Idle',
    EXECUTING: 'Working',
    WAITING_INPUT: 'Waiting for an answer',
    WAITING_CONFIRM: 'Waiting for a yes',
  },
  ask: 'Open question',
  lastAsk: 'Last question',
  noAsk: 'Nothing is waiting for a decision',
  kinds: { confirm: 'To confirm', input: 'To fill in', choice: 'To choose' },
  askStates: { decided: 'Decided, being taken up', taken: 'Taken up' },
  tools: 'Tools',
  may: 'May decide',
  anyone: 'anyone here',
  round: 'Round',
  left: 'Time left',
  expired: 'Expired',
  waiting: 'Messages waiting',
  events: 'Last events',
  noEvents: 'No events yet',
  facts: 'Raw facts',
  lost: 'The connection to the bot is lost; it may be restarting. Reconnecting: what you typed is kept.',
  notSent: 'Not sent',
  notClicked: 'The click did not arrive',
  confirmClick: 'OK',
  cancelClick: 'Cancel',
  required: 'This is required',
  choose: 'Choose',
  image: 'image',
  badCard: 'This card cannot be shown',
  reactions: { OnIt: 'On it', Get: 'Got it', DONE: 'Done', OK: 'OK', THUMBSUP: 'Thumbs up' },
};

type Words = typeof zh;

const REMEMBERED = 'countersign.language';
let language: Language = 'zh-CN';

export const words = (): Words => (language === 'zh-CN' ? zh : en);
export const currentLanguage = (): Language => language;

/** The word for a name that may be one we have never heard of: then the name itself. */
export const wordFor = (table: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(table, name) ? (table[name] ?? name) : name;

export const startLanguage = (ofServer: Language): void => {
  const remembered = localStorage.getItem(REMEMBERED);
  use(remembered === 'zh-CN' || remembered === 'en' ? remembered : ofServer);
};

export const switchLanguage = (): void => {
  use(language === 'zh-CN' ? 'en' : 'zh-CN');
  localStorage.setItem(REMEMBERED, language);
};

const use = (next: Language): void => {
  language = next;
  document.documentElement.lang = next;
  document.title = words().title;
  fill('data-word', (node, word) => {
    node.textContent = word;
  });
  fill('data-label', (node, word) => node.setAttribute('aria-label', word));
  fill('data-hint', (node, word) => node.setAttribute('title', word));
  fill('data-placeholder', (node, word) => node.setAttribute('placeholder', word));
};

const fill = (attribute: string, put: (node: Element, word: string) => void): void => {
  const table: Readonly<Record<string, unknown>> = words();
  for (const node of document.querySelectorAll(`[${attribute}]`))
    put(node, String(table[node.getAttribute(attribute) ?? '']));
};
