import { type ApiRequest, type ApiServer, startApiServer } from '../api-server.ts';
import type { Fault, Faults } from '../faults.ts';
import type { Answer } from './answers.ts';
import { newId } from './crypto.ts';

/** Every answer names its request, as support asks for it. */
const named = ({ status, body, headers }: Answer): Answer => {
  const logId = newId('');
  const error = body['code'] !== 0 && { error: { log_id: logId, ...(body['error'] as object) } };
  return { status, body: { ...body, ...error }, headers: { 'X-Tt-Logid': logId, ...headers } };
};

const faulty = ({ code, status = 400, message, headers }: Fault<number>): Answer => ({
  status,
  body: { code, msg: message ?? 'switched on for a test' },
  ...(headers && { headers }),
});

export const startServer = (
  answer: (request: ApiRequest) => Answer,
  faults: Faults<number>,
  port: number,
): Promise<ApiServer> =>
  startApiServer(
    async (request, stopping) =>
      named(await faults.meet(request, () => answer(request), faulty, stopping)),
    (why) => named({ status: 500, body: { code: 500, msg: why } }),
    port,
  );
