import { ChannelError } from '#ports/channel.ts';

/** What to do about an answer of the platform that is not a yes. */
type Failure = 'limit' | 'wait' | 'token' | 'operator' | 'gone' | 'unsafe' | 'fix';

/** Refused because there were too many: nothing was sent, so the same may be tried again. */
const LIMIT = [
  'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi',
  'Forbidden.AccessDenied.QpmLimitForAppkeyAndApi',
  'Forbidden.AccessDenied.QpsLimitForApi',
  'send.too.fast',
  'send.byToken.tooFast',
  'too.many.group',
  'too.many.people',
  '90018',
  '90002',
  '130101',
  'flowControlledStaffIdList',
];
const WAIT = ['system.busy', 'system.error', 'unknown.send.result', '-1'];
const TOKEN = ['InvalidAuthentication'];
const GONE = ['param.cardNotExist', 'session.notExisted', 'session.expired', '300001'];
const UNSAFE = /^(?:param\.contentUnsafe|contain\.(?:notAllowed\.\w+|unsafe\.url)|4301\d\d)$/;

const MONTH_USED_UP =
  'the monthly API quota of the organisation is used up: buy more, or wait for the next month';

/** Only people can put these right, so the log says what to do. */
const OPERATOR: Readonly<Record<string, string>> = {
  'Forbidden.AccessDenied.ApiCountLimitForOrg': MONTH_USED_UP,
  90020: MONTH_USED_UP,
  'Forbidden.AccessDenied.AccessTokenPermissionDenied':
    'grant the app the scope it lacks (qyapi_robot_sendmsg, Card.Instance.Write) and publish a version',
  'Forbidden.AccessDenied.IpNotInWhiteList':
    'put the address of this deployment on the IP allow-list of the app',
  invalidClientIdOrSecret: 'DINGTALK_APP_KEY or DINGTALK_APP_SECRET is wrong',
  'invalidParameter.robotCode.auth': 'DINGTALK_ROBOT_CODE is not the robot of DINGTALK_APP_KEY',
  'invalidParameter.robotCode.notExsit': 'DINGTALK_ROBOT_CODE names no robot',
  'group.disbanded': 'the group is dissolved; use another',
  'bot.stopped': 'the robot is switched off in this group; switch it on',
  'bot.forbidden.sendMessage': 'the robot is muted in this group; let it speak',
  'chatbotId.notAllow.sendOTO': 'allow the robot to write to people in single chats',
  invalidStaffIdList:
    'the person is not in the organisation, or the app is not visible to them; see to it, or name another approver',
  'staffId.notExisted': 'the person is not in the organisation; name another approver',
  'param.userIdNotExist': 'the person is not in the organisation; name another approver',
  'conversation.org.notMatch': 'the group belongs to another organisation; use another',
  310000: 'the security settings of the robot refuse its messages; change them in the console',
  'resource.unavailable': 'the robot is switched off; switch it on and publish a version',
};

export const whatToDo = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(OPERATOR, code) ? OPERATOR[code] : undefined;

export const failureOf = (status: number, code: string | undefined): Failure => {
  if (code !== undefined) {
    if (LIMIT.includes(code)) return 'limit';
    if (TOKEN.includes(code)) return 'token';
    if (GONE.includes(code)) return 'gone';
    if (WAIT.includes(code)) return 'wait';
    if (UNSAFE.test(code)) return 'unsafe';
    if (Object.hasOwn(OPERATOR, code)) return 'operator';
  }
  if (status === 429) return 'limit';
  if (status === 401) return 'token';
  // A yes in no form we know: better told twice than not at all.
  if (status < 300 && code === undefined) return 'wait';
  return status >= 500 ? 'wait' : 'fix';
};

/** Carries codes only: what the platform says may quote what was sent. */
export class DingtalkError extends ChannelError {
  readonly platformCode: string | undefined;
  readonly failure: Failure;
  constructor(act: string, status: number, code: string | undefined, failure: Failure) {
    super(
      `DingTalk did not ${act}: ${code === undefined ? `HTTP ${status}` : `code ${code}`} (${failure})`,
      `DINGTALK_${code ?? `HTTP_${status}`}`,
      failure === 'limit' || failure === 'wait' || failure === 'token',
    );
    this.platformCode = code;
    this.failure = failure;
  }
}
