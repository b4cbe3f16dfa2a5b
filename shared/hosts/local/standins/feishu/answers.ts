/** What the API answers: HTTP 200 with `code` 0, or an error by number. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Codes and words as in the error tables of the API pages and of "general error codes"; HTTP 400 unless said. */
const ERRORS = {
  9499: 'Bad Request',
  10003: 'invalid param',
  10014: 'app secret invalid',
  10002: 'card parameter is invalid',
  11311: 'card format is invalid',
  200000: 'the card message was recalled',
  230001: 'Your request contains an invalid request parameter',
  230002: 'The bot can not be outside the group',
  230011: 'The message is recalled',
  230020: 'This operation triggers the frequency limit',
  230025: 'The length of the message content reaches its limit',
  230031: 'Message can only be modified within 14 days after sending',
  230054: 'This operation is not supported for this message type',
  230071: 'The operator is not the sender of the message',
  230072: 'The message has reached the number of times it can be edited',
  230099: 'Failed to create card content',
  231001: 'reaction type is invalid',
  231003: 'The message is not found, maybe not exist or deleted',
  231007: 'The operator is not the owner of the reaction',
  300020: 'the token of the card update is malformed',
  300030: 'the token of the card update has expired',
  300040: 'the token of the card update has been used too often',
  99991400: 'request trigger frequency limit',
  99991403: "This month's API call quota has been exceeded",
  99991661: 'Missing access token for authorization. Please make a request with token attached',
  99991663: 'Invalid access token for authorization. Please make a request with token attached',
  99992351: 'these open ids not existed',
  99992354: 'these ids not existed',
  99992402: 'field validation failed',
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** 429 for the frequency limit; the token API answers its own errors with 200. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  99991400: 429,
  10003: 200,
  10014: 200,
};

export const succeed = (data?: unknown): Answer => ({
  status: 200,
  body: { code: 0, msg: 'success', ...(data !== undefined && { data }) },
});

export const refuse = (code: ErrorCode, ext?: string): Answer => ({
  status: STATUS[code] ?? 400,
  body: { code, msg: ext === undefined ? ERRORS[code] : `${ERRORS[code]}, ext=${ext}` },
});

/** A code in words that tell more, or that are this API's own: 230071 means one thing to PUT, another to a reply. */
export const refuseWith = (code: ErrorCode, msg: string): Answer => ({
  status: STATUS[code] ?? 400,
  body: { code, msg },
});

/** What is missing or of the wrong type, field by field. */
export const refuseFields = (
  violations: readonly { field: string; description: string }[],
): Answer => ({
  status: 400,
  body: {
    code: 99992402,
    msg: ERRORS[99992402],
    error: { field_violations: violations },
  },
});
