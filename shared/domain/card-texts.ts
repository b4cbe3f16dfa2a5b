import type { Ask, DecisionKind, SettledState } from './ask.ts';
import type { Language, Risk } from './settings.ts';

/** How the reader of a card can answer it in words: no two places take the same. */
export type Place = 'private' | 'group' | 'elsewhere';

interface TypedTexts {
  readonly lead: Readonly<Record<Place, string>>;
  readonly bot: string;
  readonly confirm: string;
  readonly pick: string;
  readonly cancel: string;
  readonly modify: string;
  readonly answer: string;
  readonly choice: string;
  readonly choices: string;
}

/** Every word on a card, in its toasts and in the text that stands in for it. People and times are handed in as text. */
export interface CardTexts {
  readonly title: (kind: Ask['kind'], tasks: number) => string;
  readonly round: (round: number) => string;
  /** `next` is the round that takes this one's place. */
  readonly state: (state: SettledState, next: number) => string;
  readonly task: (number: number, of: number, tool: string) => string;
  readonly risk: (risk: Risk) => string;
  readonly noArguments: string;
  readonly preview: string;
  readonly result: string;
  readonly options: string;
  readonly mayDecide: (who: string) => string;
  readonly taskMayDecide: (number: number, who: string) => string;
  readonly anyone: string;
  readonly anyoneBut: (who: string) => string;
  readonly andOthers: (count: number) => string;
  readonly deadline: (time: string) => string;
  readonly decided: (kind: DecisionKind, who: string | undefined, time: string) => string;
  readonly said: (kind: DecisionKind) => string;
  readonly picked: (numbers: readonly number[]) => string;
  readonly typed: TypedTexts;
  readonly confirm: string;
  readonly confirmAll: string;
  readonly confirmPicked: string;
  readonly cancel: string;
  readonly modify: string;
  readonly modifyHint: string;
  readonly answer: string;
  readonly answerHint: string;
  readonly choiceHint: string;
  readonly pickHint: string;
  readonly needsFeedback: string;
  readonly needsAnswer: string;
  readonly needsPick: string;
  readonly notHere: string;
  /** A card too small for its content says so, and how much it leaves out. */
  readonly leftOut: (characters: number) => string;
  readonly tasksLeftOut: (tasks: number) => string;
  readonly fullBelow: string;
  readonly fullAbove: string;
  readonly asText: string;
  readonly withheld: string;
}

const zh: CardTexts = {
  title: (kind, tasks) => {
    if (kind !== 'confirm') return '请回答';
    return tasks > 1 ? `请确认 ${tasks} 项操作` : '请确认操作';
  },
  round: (round) => `第 ${round} 轮`,
  state: (state, next) =>
    ({
      running: '已确认，正在执行',
      done: '已执行',
      failed: '执行失败',
      unknown: '结果不明，可能已执行，请核实',
      cancelled: '已取消，未执行',
      expired: '操作超时，已取消',
      replaced: `已要求修改，未执行；如再次请求，为第 ${next} 轮`,
      answered: '已回答',
      lapsed: '确认后未能及时执行，已作废，未执行',
      changed: '情况已变化，未执行，需要重新确认',
      'gave-up': '因故障停止，执行情况见消息',
    })[state],
  task: (number, of, tool) => (of > 1 ? `操作 ${number}/${of}：${tool}` : `操作：${tool}`),
  risk: (risk) => `风险：${{ LOW: '低', MEDIUM: '中', HIGH: '高' }[risk]}`,
  noArguments: '（没有参数）',
  preview: '预览：',
  result: '结果：',
  options: '选项：',
  mayDecide: (who) => `可决定的人：${who}`,
  taskMayDecide: (number, who) => `操作 ${number} 可决定的人：${who}`,
  anyone: '本会话中的任何人',
  anyoneBut: (who) => `本会话中除 ${who} 以外的任何人`,
  andOthers: (count) => `等另外 ${count} 人`,
  deadline: (time) => `截止时间：${time}`,
  decided: (kind, who, time) => {
    const verb = {
      confirm: '确认',
      modify: '要求修改',
      cancel: '取消',
      answer: '回答',
      timeout: '超时',
      'gave-up': '因故障放弃',
    }[kind];
    return who ? `由 ${who} 于 ${time} ${verb}` : `于 ${time} ${verb}`;
  },
  said: (kind) => ({ modify: '修改意见：', answer: '回答：' })[kind as string] ?? '说明：',
  picked: (numbers) => `选中的操作：${numbers.join('、')}`,
  typed: {
    lead: { private: '文字回复：', group: '文字回复：', elsewhere: '引用这条消息回复：' },
    bot: '@机器人 ',
    confirm: '确认',
    pick: '确认 1,2（只执行这几项）',
    cancel: '取消',
    modify: '修改：…',
    answer: '（你的回答）',
    choice: '（选项的编号）',
    choices: '（选项的编号，用逗号分隔）',
  },
  confirm: '确认',
  confirmAll: '全部确认',
  confirmPicked: '确认所选',
  cancel: '取消',
  modify: '修改',
  modifyHint: '需要怎么修改？',
  answer: '提交',
  answerHint: '请输入回答',
  choiceHint: '请选择',
  pickHint: '只执行其中几项：',
  needsFeedback: '请先填写需要怎么修改。还没有做任何决定。',
  needsAnswer: '请先填写回答。还没有提交。',
  needsPick: '请先勾选要执行的操作。还没有做任何决定。',
  notHere: '请在会话中的卡片上操作。还没有做任何决定。',
  leftOut: (characters) => `…（此处省略 ${characters} 个字符）`,
  tasksLeftOut: (tasks) => `…（此处省略 ${tasks} 项操作）`,
  fullBelow: '以下是请求的全文，请看过之后再在随后的卡片上决定：',
  fullAbove: '内容较长，卡片只显示开头；全文已在上方消息中发出，请先阅读。',
  asText: '（卡片无法显示，请用文字回复）',
  withheld: '回复的内容没有通过平台的审核，无法显示。',
};

const en: CardTexts = {
  title: (kind, tasks) => {
    if (kind !== 'confirm') return 'Please answer';
    return tasks > 1 ? `Please confirm ${tasks} operations` : 'Please confirm';
  },
  round: (round) => `Round ${round}`,
  state: (state, next) =>
    ({
      running: 'Confirmed, running',
      done: 'Done',
      failed: 'Failed',
      unknown: 'Outcome unknown: it may have run, please check',
      cancelled: 'Cancelled, not run',
      expired: 'Timed out, cancelled',
      replaced: `Changes asked for, not run; replaced by round ${next} if it is asked again`,
      answered: 'Answered',
      lapsed: 'Confirmed but not carried out in time: lapsed, not run',
      changed: 'Things changed: not run, to be confirmed again',
      'gave-up': 'Stopped by a fault; the message says what ran',
    })[state],
  task: (number, of, tool) =>
    of > 1 ? `Operation ${number}/${of}: ${tool}` : `Operation: ${tool}`,
  risk: (risk) => `Risk: ${risk.toLowerCase()}`,
  noArguments: '(no arguments)',
  preview: 'Preview:',
  result: 'Result:',
  options: 'Options:',
  mayDecide: (who) => `May decide: ${who}`,
  taskMayDecide: (number, who) => `May decide operation ${number}: ${who}`,
  anyone: 'anyone in this chat',
  anyoneBut: (who) => `anyone in this chat except ${who}`,
  andOthers: (count) => `and ${count} more`,
  deadline: (time) => `Until: ${time}`,
  decided: (kind, who, time) => {
    const verb = {
      confirm: 'Confirmed',
      modify: 'Changes asked for',
      cancel: 'Cancelled',
      answer: 'Answered',
      timeout: 'Timed out',
      'gave-up': 'Given up after a fault',
    }[kind];
    return who ? `${verb} by ${who} at ${time}` : `${verb} at ${time}`;
  },
  said: (kind) => ({ modify: 'Changes: ', answer: 'Answer: ' })[kind as string] ?? 'Reason: ',
  picked: (numbers) => `Operations picked: ${numbers.join(', ')}`,
  typed: {
    lead: {
      private: 'In words: ',
      group: 'In words: ',
      elsewhere: 'In words, as a reply to this message: ',
    },
    bot: '@bot ',
    confirm: 'confirm',
    pick: 'confirm 1,2 (only these)',
    cancel: 'cancel',
    modify: 'modify: …',
    answer: '(your answer)',
    choice: '(the number of an option)',
    choices: '(numbers of options, separated by commas)',
  },
  confirm: 'Confirm',
  confirmAll: 'Confirm all',
  confirmPicked: 'Confirm those picked',
  cancel: 'Cancel',
  modify: 'Modify',
  modifyHint: 'What should change?',
  answer: 'Submit',
  answerHint: 'Your answer',
  choiceHint: 'Choose',
  pickHint: 'To run only some of them:',
  needsFeedback: 'Please write first what should change. Nothing was decided.',
  needsAnswer: 'Please fill in an answer first. Nothing was submitted.',
  needsPick: 'Please tick the operations to run first. Nothing was decided.',
  notHere: 'Please use the card in the chat. Nothing was decided.',
  leftOut: (characters) => `… (${characters} characters left out here)`,
  tasksLeftOut: (tasks) => `… (${tasks} operations left out here)`,
  fullBelow: 'The request in full; please read it before you decide on the card that follows:',
  fullAbove:
    'This is long, so the card shows only the beginning. The full text is in the message above; please read it first.',
  asText: '(the card cannot be shown; please reply in words)',
  withheld: "The answer did not pass the platform's content check and cannot be shown.",
};

export const cardTextsIn = (language: Language): CardTexts => (language === 'zh-CN' ? zh : en);

/** What to type instead of clicking. In a group the bot hears only what mentions it. */
export const typedHint = (
  language: Language,
  place: Place,
  ask: Pick<Ask, 'kind' | 'tasks' | 'question'>,
): string => {
  const { typed } = cardTextsIn(language);
  const answer = ask.kind === 'input' ? typed.answer : typed.choice;
  const words =
    ask.kind === 'confirm'
      ? [typed.confirm, ...(ask.tasks.length > 1 ? [typed.pick] : []), typed.cancel, typed.modify]
      : [ask.question?.multiple ? typed.choices : answer, typed.cancel];
  const bot = place === 'group' ? typed.bot : '';
  return typed.lead[place] + words.map((word) => bot + word).join(' ｜ ');
};
