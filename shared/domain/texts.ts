import type { DecisionKind, Refusal, Settled } from './ask.ts';
import type { ModelFailure, Outcome } from './conversation.ts';
import type { Language } from './settings.ts';
import { timeText } from './time-text.ts';

/** Everything the engine says to people, in both languages. Channels render; they invent no sentences. */
export interface Texts {
  readonly settled: (settled: Settled) => string;
  readonly refusal: (refusal: Refusal) => string;
  readonly taken: (kind: DecisionKind) => string;
  readonly awaiting: (may: readonly string[], expiresAt: number) => string;
  readonly askedElsewhere: (may: readonly string[], expiresAt: number) => string;
  readonly wrongPick: (of: number) => string;
  readonly wrongAnswer: string;
  readonly onlyText: string;
  readonly reask: (expiresAt: number) => string;
  readonly lapsed: string;
  readonly changed: string;
  readonly failed: (
    ran: readonly string[],
    maybe: readonly string[],
    not: readonly string[],
  ) => string;
  readonly cancelled: string;
  readonly stopped: (stopped: readonly string[], started: readonly string[]) => string;
  readonly nothingToCancel: string;
  readonly mayNotCancel: string;
  readonly tooManyRounds: (rounds: number) => string;
  readonly tooManySteps: (steps: number) => string;
  readonly emptyAnswer: string;
  readonly modelFailed: (failure: ModelFailure) => string;
  readonly reset: string;
  readonly resetNeedsIdle: string;
  readonly help: string;
  readonly whoami: (person: string) => string;
  readonly status: (
    phase: string,
    tools: readonly string[],
    may: readonly string[],
    expiresAt: number | undefined,
    waiting: number,
  ) => string;
}

const who = (may: readonly string[], anyone: string) =>
  may.includes('*') ? anyone : may.join(', ');

const zh: Texts = {
  settled: ({ kind, by, at }) => {
    const said: Record<DecisionKind, string> = {
      confirm: '确认',
      modify: '要求修改',
      cancel: '取消',
      answer: '回答',
      timeout: '超时',
      'gave-up': '因故障放弃',
    };
    return by
      ? `这个请求已由 ${by} 于 ${timeText(at, 'zh-CN')} ${said[kind]}。`
      : `这个请求已于 ${timeText(at, 'zh-CN')} ${said[kind]}。`;
  },
  refusal: (refusal) => {
    if (refusal.reason === 'already-decided') return zh.settled(refusal.settled);
    if (refusal.reason === 'expired')
      return `这个请求已于 ${timeText(refusal.at, 'zh-CN')} 过期，未执行。`;
    if (refusal.reason === 'not-an-approver')
      return `你不能决定这个请求，可以决定的人：${who(refusal.may, '其他人')}。`;
    if (refusal.reason === 'wrong-answer')
      return refusal.options > 0 ? zh.wrongPick(refusal.options) : zh.wrongAnswer;
    return refusal.reason === 'changed'
      ? '请求的内容已变化，请看最新的卡片。'
      : '没有等待决定的请求。';
  },
  taken: (kind) =>
    ({
      confirm: '已确认',
      modify: '已收到修改意见',
      cancel: '已取消',
      answer: '已收到回答',
      timeout: '操作超时，已取消',
      'gave-up': '已放弃',
    })[kind],
  awaiting: (may, expiresAt) =>
    `正在等待 ${who(may, '在场的人')} 决定，截止 ${timeText(expiresAt, 'zh-CN')}；你的消息会在之后处理。`,
  askedElsewhere: (may, expiresAt) =>
    `已请 ${who(may, '在场的人')} 决定，截止 ${timeText(expiresAt, 'zh-CN')}。`,
  wrongPick: (of) => `没有这个编号，可选 1 到 ${of}。什么都没有执行。`,
  wrongAnswer: '这个回答不符合要求，请重新回答。',
  onlyText: '我只能读文字消息，请用文字告诉我要做什么。',
  reask: (expiresAt) => `请先回复“确认”或“取消”（截止 ${timeText(expiresAt, 'zh-CN')}）。`,
  lapsed: '这次确认没有在规定时间内执行，已作废，未执行任何操作；如仍需要会重新请你确认。',
  changed: '情况在确认之后发生了变化，未执行；需要重新确认。',
  failed: (ran, maybe, not) =>
    [
      '处理失败，已停止。',
      ran.length && `已执行：${ran.join('、')}。`,
      maybe.length && `可能已执行，请核实：${maybe.join('、')}。`,
      not.length && `未执行：${not.join('、')}。`,
    ]
      .filter(Boolean)
      .join(''),
  cancelled: '已取消。',
  stopped: (stopped, started) =>
    [
      stopped.length && `已停止：${stopped.join('、')}。`,
      started.length && `已经开始、无法停止：${started.join('、')}。`,
      '正在结束这一轮。',
    ]
      .filter(Boolean)
      .join(''),
  nothingToCancel: '现在没有可取消的操作。',
  mayNotCancel: '只有发起人、可决定的人或管理员可以取消。',
  tooManyRounds: (rounds) =>
    `已经修改了 ${rounds} 次仍未确认，先到这里，未执行任何操作。请重新说明需求。`,
  tooManySteps: (steps) => `已用完 ${steps} 步仍未完成，先停在这里。`,
  emptyAnswer: '（没有更多内容）',
  modelFailed: (failure) =>
    ({
      account: '模型服务拒绝了访问（密钥、权限或余额有问题），请联系管理员。',
      rejected: '模型服务没有接受这次请求，请联系管理员。',
      overflow: '内容太长，模型读不下。请缩短问题，或先用 /reset 清空之前的对话。',
      refused: '模型拒绝回答这个问题，请换一种说法。',
      empty: '模型没有给出回答，请再说一遍或换一种说法。',
    })[failure],
  reset: '好的，之前的对话不再使用。',
  resetNeedsIdle: '正在处理中，空闲后才能重置。',
  help: '直接说要做什么；有风险的操作会先请你确认。回复“确认”“取消”，或“修改：…”。命令：/cancel /status /reset /whoami /help',
  whoami: (person) => `你的编号：${person}`,
  status: (phase, tools, may, expiresAt, waiting) =>
    [
      `状态：${phase}`,
      tools.length && `等待决定：${tools.join('、')}`,
      may.length && `可决定的人：${who(may, '在场的人')}`,
      expiresAt && `截止 ${timeText(expiresAt, 'zh-CN')}`,
      waiting && `排队消息：${waiting}`,
    ]
      .filter(Boolean)
      .join('；'),
};

const en: Texts = {
  settled: ({ kind, by, at }) => {
    const said: Record<DecisionKind, string> = {
      confirm: 'confirmed',
      modify: 'sent back with changes',
      cancel: 'cancelled',
      answer: 'answered',
      timeout: 'timed out',
      'gave-up': 'given up after a fault',
    };
    return by
      ? `This was ${said[kind]} by ${by} at ${timeText(at, 'en')}.`
      : `This ${kind === 'timeout' ? '' : 'was '}${said[kind]} at ${timeText(at, 'en')}.`;
  },
  refusal: (refusal) => {
    if (refusal.reason === 'already-decided') return en.settled(refusal.settled);
    if (refusal.reason === 'expired')
      return `This expired at ${timeText(refusal.at, 'en')}; nothing was run.`;
    if (refusal.reason === 'not-an-approver')
      return `You may not decide this. Those who may: ${who(refusal.may, 'anyone else')}.`;
    if (refusal.reason === 'wrong-answer')
      return refusal.options > 0 ? en.wrongPick(refusal.options) : en.wrongAnswer;
    return refusal.reason === 'changed'
      ? 'What is asked has changed; please look at the newest card.'
      : 'Nothing is waiting for a decision.';
  },
  taken: (kind) =>
    ({
      confirm: 'Confirmed',
      modify: 'Changes received',
      cancel: 'Cancelled',
      answer: 'Answer received',
      timeout: 'Timed out, cancelled',
      'gave-up': 'Given up',
    })[kind],
  awaiting: (may, expiresAt) =>
    `Waiting for ${who(may, 'anyone here')} to decide, until ${timeText(expiresAt, 'en')}; your message will be handled after that.`,
  askedElsewhere: (may, expiresAt) =>
    `Asked ${who(may, 'anyone there')} to decide, until ${timeText(expiresAt, 'en')}.`,
  wrongPick: (of) => `There is no such number: choose from 1 to ${of}. Nothing was run.`,
  wrongAnswer: 'That answer does not fit the question; please answer again.',
  onlyText: 'I can only read text. Please tell me in words what you need.',
  reask: (expiresAt) =>
    `Please reply "confirm" or "cancel" first (until ${timeText(expiresAt, 'en')}).`,
  lapsed:
    'This approval could not be carried out in time and has lapsed. Nothing was run; you will be asked again if it is still wanted.',
  changed: 'Things changed after the approval. Nothing was run; it has to be confirmed again.',
  failed: (ran, maybe, not) =>
    [
      'This failed and was stopped.',
      ran.length && ` Run: ${ran.join(', ')}.`,
      maybe.length && ` May have run, please check: ${maybe.join(', ')}.`,
      not.length && ` Not run: ${not.join(', ')}.`,
    ]
      .filter(Boolean)
      .join(''),
  cancelled: 'Cancelled.',
  stopped: (stopped, started) =>
    [
      stopped.length && `Stopped: ${stopped.join(', ')}. `,
      started.length && `Already started, cannot be stopped: ${started.join(', ')}. `,
      'Ending this turn.',
    ]
      .filter(Boolean)
      .join(''),
  nothingToCancel: 'There is nothing to cancel now.',
  mayNotCancel: 'Only the requester, an approver or an admin may cancel.',
  tooManyRounds: (rounds) =>
    `Changed ${rounds} times without a yes, so this ends here; nothing was run. Please say anew what you need.`,
  tooManySteps: (steps) => `All ${steps} steps are used up and it is not finished; stopping here.`,
  emptyAnswer: '(nothing more to say)',
  modelFailed: (failure) =>
    ({
      account:
        'The model service refused access (its key, rights or credit). Please tell an administrator.',
      rejected: 'The model service did not accept this request. Please tell an administrator.',
      overflow:
        'This is more than the model can read. Please ask for less, or forget the conversation so far with /reset.',
      refused: 'The model declined to answer this. Please put it differently.',
      empty: 'The model gave no answer. Please say it again, or put it differently.',
    })[failure],
  reset: 'Done: the conversation so far is no longer used.',
  resetNeedsIdle: 'A turn is running; reset works once it is idle.',
  help: 'Say what you want done; risky work is shown to you first. Reply "confirm", "cancel" or "modify: …". Commands: /cancel /status /reset /whoami /help',
  whoami: (person) => `Your id: ${person}`,
  status: (phase, tools, may, expiresAt, waiting) =>
    [
      `Phase: ${phase}`,
      tools.length && `waiting for a decision on ${tools.join(', ')}`,
      may.length && `who may decide: ${who(may, 'anyone here')}`,
      expiresAt && `until ${timeText(expiresAt, 'en')}`,
      waiting && `${waiting} message(s) queued`,
    ]
      .filter(Boolean)
      .join('; '),
};

export const textsIn = (language: Language): Texts => (language === 'zh-CN' ? zh : en);

/** What the model reads of a call that did not run. English: models are told in one language. */
export const resultText = (
  outcome: Outcome,
  detail: { readonly by?: string | undefined; readonly text?: string | undefined },
): string => {
  const reason = detail.text ? `: ${detail.text}` : '';
  const by = detail.by ? ` by ${detail.by}` : '';
  switch (outcome) {
    case 'declined':
      return `Not run: declined${by}${reason}`;
    case 'timeout':
      return 'Operation cancelled (timeout)';
    case 'revised':
      return `Not run: a change was asked for${by}${reason}. Plan again; what you do next will be shown again`;
    case 'stopped':
      return `Not run: stopped${by}${reason}`;
    case 'unknown':
      return `It may have run: the process that ran it was lost before it could report. Do not assume either way${reason}`;
    case 'refused':
      return `Refused${reason}`;
    default:
      return detail.text ?? outcome;
  }
};
