import { ChannelError } from '#ports/channel.ts';

/** What to do about an answer of the platform that is not a yes. */
type Failure = 'wait' | 'token' | 'operator' | 'gone' | 'fix';

const WAIT = [99991400, 230020, 11232, 11233, 230049, 200810];
const TOKEN = [99991661, 99991663, 99991664, 99991665, 99991671];
const GONE = [230011, 230110, 230031, 200750, 300030, 300040, 99992354];

/** Only people can put these right, so the log says what to do. */
const OPERATOR: Readonly<Record<number, string>> = {
  230002: 'add the bot to the group',
  230006: 'switch on the bot ability of the app and publish a version',
  230013: "add the person to the app's availability range and publish a version",
  230018: 'let the bot speak in this group (group settings)',
  230027: 'grant the app im:message:send_as_bot and publish a version',
  230029: 'the person has left the company; name another approver',
  230035: 'the bot is muted or blocked in this chat; allow it to send',
  230053: 'the person has stopped the bot from sending; they must allow it again',
  232009: 'the chat is dissolved; use another',
  99991401: 'put the address of this deployment on the IP allow-list of the app',
  99991403: 'the monthly API quota of the tenant is used up',
  99991662: 'the app is disabled; enable it',
  99991672: 'a scope is missing; grant it in the console and publish a version',
  10014: 'the app is disabled or FEISHU_APP_SECRET is wrong',
  10003: 'FEISHU_APP_ID or FEISHU_APP_SECRET is wrong',
  100290: 'an approver is not a person of this tenant; correct the id in "approvers"',
};

/** The reply's topic is not to be had; the same without a topic is. */
export const NO_TOPIC: readonly number[] = [230071, 230072, 230019];
export const NOT_AUDITED: readonly number[] = [230022, 230028];
/** Somebody named on a card, or in a text, is nobody the platform knows. */
export const UNKNOWN_ON_CARD = 100290;
export const UNKNOWN_IN_TEXT = 230001;
export const NO_SCOPE: readonly number[] = [99991672, 230027];

/** Of a code, or of the one within it that says what was wrong with a card. */
export const whatToDo = (code: number | undefined, detail?: number): string | undefined =>
  OPERATOR[code ?? 0] ?? OPERATOR[detail ?? 0];

export const failureOf = (status: number, code: number | undefined, message: string): Failure => {
  if (code !== undefined) {
    if (TOKEN.includes(code)) return 'token';
    if (GONE.includes(code)) return 'gone';
    if (code in OPERATOR) return 'operator';
    if (WAIT.includes(code)) return 'wait';
    if (code === 230099 && message.includes('card action is lock')) return 'wait';
  }
  return status === 429 || status >= 500 ? 'wait' : 'fix';
};

/** Carries codes only: what the platform says may quote what was sent. */
export class FeishuError extends ChannelError {
  readonly platformCode: number | undefined;
  readonly failure: Failure;
  /** What was wrong with a card. */
  readonly detail: number | undefined;
  constructor(
    act: string,
    status: number,
    code: number | undefined,
    failure: Failure,
    detail?: number,
  ) {
    super(
      `Feishu did not ${act}: ${code === undefined ? `HTTP ${status}` : `code ${code}`} (${failure})`,
      `FEISHU_${code ?? `HTTP_${status}`}`,
      failure === 'wait' || failure === 'token',
    );
    this.platformCode = code;
    this.failure = failure;
    this.detail = detail;
  }
}
