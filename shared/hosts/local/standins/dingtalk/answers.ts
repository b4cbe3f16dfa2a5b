import { randomUUID } from 'node:crypto';
import type { ApiAnswer } from '../api-server.ts';

/** Codes and words as in the error tables of the API pages and of "server API error codes"; HTTP 400 unless said. */
const ERRORS = {
  'Forbidden.AccessDenied.ApiCountLimitForOrg': '组织的接口调用量已达本月上限',
  'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi':
    '您的企业应用调用钉钉开放平台当前接口的所有请求都被暂时禁用了',
  InvalidAuthentication: '不合法的access_token',
  Missingbody: 'body is mandatory for this action.',
  'Missingx-acs-dingtalk-access-token': 'x-acs-dingtalk-access-token is mandatory for this action.',
  'invalid.openConversationId': '无效的openConversationId',
  invalidClientIdOrSecret: '无效的clientId或者clientSecret',
  'invalidParameter.msg.unsupport': '不支持的消息类型',
  'invalidParameter.msgKey.empty': '缺少msgKey',
  'invalidParameter.msgKey.invalid': 'msgKey无效',
  'invalidParameter.msgParam.invalid': 'msgParam必须是json格式',
  'invalidParameter.msgParam.tooLong': '消息内容太长',
  'invalidParameter.param.invalid': '参数不合法',
  'invalidParameter.robotCode.empty': '机器人robotCode为空',
  'invalidParameter.robotCode.notExsit': '机器人不存在',
  'invalidParameter.userIds.empty': '用户userId列表为空',
  'invalidParameter.userIds.overMax': '用户userId列表超过最大限制',
  'miss.openConversationId': '缺少openConversationId',
  'outTrackId.outOfLimit': 'outTrackId不要超过64个字符',
  'param.callbackRouteKeyEmpty': 'param.callbackRouteKeyEmpty',
  'param.callbackUrlEmpty': 'param.callbackUrlEmpty',
  'param.cardAlreadyExist': 'param.cardAlreadyExist',
  'param.cardDataAndPrivateDataBothEmpty': 'param.cardDataAndPrivateDataBothEmpty',
  'param.cardNotExist': 'param.cardNotExist',
  'param.cardPublicDataEmpty': 'param.cardPublicDataEmpty',
  'param.cardTemplateIdEmpty': 'param.cardTemplateIdEmpty',
  'param.invalid': 'param.invalid',
  'param.openDeliverModelEmpty': 'param.openDeliverModelEmpty',
  'param.openDeliverModelError': 'param.openDeliverModelError',
  'param.openSpaceIdEmpty': 'param.openSpaceIdEmpty',
  'param.openSpaceIdInvalid': 'param.openSpaceIdInvalid',
  'param.openSpaceModelInvalid': 'param.openSpaceModelInvalid',
  'param.outTrackIdEmpty': 'param.outTrackIdEmpty',
  'param.templateNotExist': 'param.templateNotExist',
  'param.userIdNotExist': 'param.userIdNotExist',
} as const;

export type ErrorCode = keyof typeof ERRORS;

const statusOf = (code: string) => (code.startsWith('Forbidden.') ? 403 : 400);

export const succeed = (body: ApiAnswer['body']): ApiAnswer => ({ status: 200, body });

/** An error of `api.dingtalk.com`, as it is seen there. `detail` is the stand-in's own: what exactly is wrong. */
export const refuseAs = (code: string, message: string, status = statusOf(code)): ApiAnswer => ({
  status,
  body: { code, requestid: randomUUID().toUpperCase(), message },
});

export const refuse = (code: ErrorCode, detail?: string): ApiAnswer =>
  refuseAs(code, detail === undefined ? ERRORS[code] : `${ERRORS[code]} (${detail})`);

/** Errors of `oapi.dingtalk.com` come with HTTP 200. */
const OLD_ERRORS = {
  0: 'ok',
  40035: '不合法的参数',
  43004: '无效的HTTP HEADER Content-Type',
  300001: 'session 不存在',
} as const;

export const answerOld = (errcode: keyof typeof OLD_ERRORS, detail?: string): ApiAnswer => ({
  status: 200,
  body: {
    errcode,
    errmsg: detail === undefined ? OLD_ERRORS[errcode] : `${OLD_ERRORS[errcode]} (${detail})`,
  },
});
