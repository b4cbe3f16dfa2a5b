/** What came of a request to the bot. */
export type BotAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'late' | 'unreachable' | 'unknown-host' | 'stopped' };

export interface BotCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly limitMs: number;
  /** The stand-in's own end. */
  readonly stopping: AbortSignal;
}

const whyNot = (error: unknown, stopped: boolean): BotAnswer => {
  if (stopped) return { kind: 'stopped' };
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return { kind: 'late' };
  return { kind: cause?.code === 'ENOTFOUND' ? 'unknown-host' : 'unreachable' };
};

/** Posts JSON to the bot. Redirects are not followed: platforms do not. */
export const callBot = async (call: BotCall): Promise<BotAnswer> => {
  try {
    const response = await fetch(call.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...call.headers },
      body: call.body,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(call.limitMs), call.stopping]),
    });
    return { kind: 'answered', status: response.status, text: await response.text() };
  } catch (error) {
    return whyNot(error, call.stopping.aborted);
  }
};
