import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSchedules, type Schedules, type SchedulesOptions } from './schedules.ts';

/**
 * EventBridge Scheduler for one process, as the AWS SDK speaks to it: `POST`, `GET` and `DELETE /schedules/{name}`,
 * dates as seconds, errors named in `x-amzn-errortype`. Invocations are made at least once, as by the service.
 */
export interface LocalScheduler {
  readonly endpoint: string;
  /** Fires what is due, for a test that owns the clock. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

export interface LocalSchedulerOptions extends SchedulesOptions {
  /** `manual`: nothing fires but by `tick()`. */
  readonly drive?: 'timer' | 'manual';
}

interface Answer {
  readonly status: number;
  readonly error?: string;
  readonly body: object;
}

const NAME = /^[\w.-]{1,64}$/;
/** A timeout holds 24.8 days at most, and stands still while the machine sleeps: look again at least this often. */
const LONGEST_SLEEP_MS = 60_000;

const failure = (status: number, error: string, Message: string): Answer => ({
  status,
  error,
  body: { Message },
});
const notFound = (name: string) =>
  failure(404, 'ResourceNotFoundException', `Schedule ${name} does not exist.`);
const arnOf = (group: string, name: string) =>
  `arn:aws:scheduler:us-east-1:000000000000:schedule/${group}/${name}`;

const create = (schedules: Schedules, name: string, body: string): Answer => {
  let schedule: { GroupName?: string };
  try {
    schedule = JSON.parse(body);
  } catch {
    return failure(400, 'ValidationException', 'The body is not JSON');
  }
  const created = schedules.create(name, schedule);
  if (created.kind === 'wrong') return failure(400, 'ValidationException', created.why);
  if (created.kind === 'conflict')
    return failure(409, 'ConflictException', `Schedule ${name} already exists.`);
  return { status: 200, body: { ScheduleArn: arnOf(schedule.GroupName ?? 'default', name) } };
};

const show = (schedules: Schedules, group: string, name: string): Answer => {
  const found = schedules.get(group, name);
  if (!found) return notFound(name);
  const { ClientToken: _, ...schedule } = found.schedule;
  const CreationDate = found.createdAt / 1000;
  const standing = { Name: name, Arn: arnOf(group, name), State: 'ENABLED', CreationDate };
  return { status: 200, body: { ...standing, LastModificationDate: CreationDate, ...schedule } };
};

const answer = async (schedules: Schedules, request: IncomingMessage): Promise<Answer> => {
  // The SDK signs every request; a web page cannot add this header without asking first.
  if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 '))
    return failure(403, 'AccessDeniedException', 'The request is not signed');
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, root, name = '', ...more] = url.pathname.split('/').map(decodeURIComponent);
  if (root !== 'schedules' || more.length > 0)
    return failure(404, 'UnknownOperationException', 'Only /schedules/{name} is here');
  if (!NAME.test(name)) return failure(400, 'ValidationException', `Invalid name ${name}`);
  const group = url.searchParams.get('groupName') ?? 'default';
  switch (request.method) {
    case 'POST':
      return create(schedules, name, await text(request));
    case 'GET':
      return show(schedules, group, name);
    case 'DELETE':
      return schedules.remove(group, name) ? { status: 200, body: {} } : notFound(name);
    default:
      return failure(405, 'UnknownOperationException', `${request.method} is not known here`);
  }
};

const respond = (response: ServerResponse, { status, error, body }: Answer) => {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(error !== undefined && { 'x-amzn-errortype': error }),
  });
  response.end(JSON.stringify(body));
};

/** Wakes for what is due next. `wake` is to be called whenever that may have changed. */
const createDriver = (schedules: Schedules, now: () => number) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const wake = () => {
    clearTimeout(timer);
    const dueAt = schedules.dueAt();
    if (stopped || dueAt === undefined) return;
    timer = setTimeout(run, Math.min(Math.max(0, dueAt - now()), LONGEST_SLEEP_MS));
  };
  const run = () => {
    void schedules.tick().finally(wake);
    wake();
  };
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return { wake, stop };
};

export const startLocalScheduler = async (
  options: LocalSchedulerOptions,
): Promise<LocalScheduler> => {
  const schedules = createSchedules(options);
  const driver =
    options.drive === 'manual' ? undefined : createDriver(schedules, options.now ?? Date.now);

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const answered = await answer(schedules, request).catch((error: unknown) =>
      failure(500, 'InternalServerException', String(error)),
    );
    respond(response, answered);
    driver?.wake();
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  driver?.wake();

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tick: schedules.tick,
    stop: async () => {
      if (!server.listening) return;
      driver?.stop();
      schedules.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
