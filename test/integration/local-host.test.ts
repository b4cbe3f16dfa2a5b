import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatView, PlaygroundState } from '#console/wire.ts';
import { type ChatCompletions, startChatCompletions } from '../support/chat-completions.ts';
import { COMMAND, type LocalProcess, startProcess } from '../support/local-process.ts';

/** Nothing is asked of it here; with it set, no demo database is started. */
const DATABASE_URL = 'postgres://nobody@127.0.0.1:9/nothing';

let folder: string;
let running: LocalProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-local-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.kill()));
  rmSync(folder, { recursive: true });
});

const start = (environment: Record<string, string> = {}, ...flags: string[]): LocalProcess => {
  const started = startProcess(
    { STATE_DIR: join(folder, 'state'), DATABASE_URL, ...environment },
    ...flags,
  );
  running.push(started);
  return started;
};
const jobsOnDisk = (): unknown => {
  const queues = new DatabaseSync(join(folder, 'state', 'sqs', 'fauxqs.db'), { readOnly: true });
  const counted = queues.prepare('SELECT count(*) AS jobs FROM sqs_messages').get();
  queues.close();
  return counted?.['jobs'];
};
const eventually = <T>(check: () => T | Promise<T>) =>
  vi.waitFor(check, { timeout: 40_000, interval: 50 });

describe('npm start, when it cannot', () => {
  const refused = async (environment: Record<string, string> = {}, ...flags: string[]) => {
    const { code, stdout, stderr } = await start(environment, ...flags).ended;
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^countersign did not start: [^\n]+\n$/);
    return stderr;
  };

  it('says that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const PORT = String((other.address() as AddressInfo).port);
    expect(await refused({ PORT })).toContain(`port ${PORT} is in use`);
    other.close();
    expect(await refused({ PORT: 'http' })).toContain('PORT is http: expected a number');
  });

  it('names a wrong setting, its value and what was expected', async () => {
    const COUNTERSIGN_CONFIG = join(folder, 'config.json');
    writeFileSync(COUNTERSIGN_CONFIG, '{ "approval": { "timeoutSeconds": 0, "otherReply": "x" } }');
    const line = await refused({ COUNTERSIGN_CONFIG });
    expect(line).toContain('approval.timeoutSeconds is 0: expected at least 1');
    expect(line).toContain('approval.otherReply is "x": expected one of modify, cancel');
    writeFileSync(
      COUNTERSIGN_CONFIG,
      '{ "approval": { "toolOverrides": { "data_modfy": true } } }',
    );
    expect(await refused({ COUNTERSIGN_CONFIG })).toContain(
      'approval.toolOverrides.data_modfy: there is no such tool; known are ask_user, data_modify',
    );
    expect(await refused({ COUNTERSIGN_CONFIG: join(folder, 'none.json') })).toContain(
      'none.json cannot be read',
    );
  });

  it('names a model that there is not, a flag that there is not, and what a real bot lacks', async () => {
    expect(await refused({ MODEL: 'telepathy/1' })).toContain('MODEL is telepathy/1');
    expect(await refused({}, '--rest')).toContain("Unknown option '--rest'");
    expect(await refused({ FEISHU_APP_SECRET: 'hidden' })).toMatch(
      /FEISHU_APP_SECRET set, but not FEISHU_APP_ID, FEISHU_ENCRYPT_KEY(?!.*hidden)/,
    );
  });

  it('says what is wrong with the state folder', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await refused({ STATE_DIR: file })).toContain('the state folder cannot be used');
    const STATE_DIR = join(folder, 'state');
    const first = start();
    await first.url;
    expect(await refused()).toContain(`another countersign runs on the state folder ${STATE_DIR}`);
    expect((await first.interrupt()).code).toBe(0);
    for (const broken of [
      'schedules.json',
      'sqs/fauxqs.db',
      'dynamodb/CURRENT',
      'standins/feishu.json',
    ]) {
      writeFileSync(join(STATE_DIR, broken), 'nonsense\n');
      expect(await refused()).toContain('start empty with --reset');
      const again = start({}, '--reset');
      await again.url;
      expect((await again.interrupt()).code).toBe(0);
    }
  });

  it('says which Node it needs', async () => {
    const older = 'Object.defineProperty(process, "versions", { value: { node: "20.1.0" } })';
    const run = promisify(execFile)(process.execPath, [
      ...['--import', `data:text/javascript,${older}`],
      ...['--import', './shared/hosts/local/node-version.mjs'],
      ...['--eval', 'console.log("went on")'],
    ]);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^countersign runs on Node 24, this is 20\.1\.0: [^\n]+\n$/),
    });
  });
});

describe('npm start', () => {
  let model: ChatCompletions;
  /** Held back until the test lets it go. */
  let thinking: Promise<void>;
  beforeAll(async () => {
    model = await startChatCompletions(async (messages) => {
      await thinking;
      const last = messages.at(-1);
      const said = JSON.stringify(last?.content ?? '');
      if (last?.role !== 'user') return { text: `finished after ${said}` };
      const note = /note (\w+)/.exec(said)?.[1];
      return note ? { tool: 'write_note', input: { text: note } } : { text: `heard ${said}` };
    });
  });
  afterAll(() => model.stop());
  beforeEach(() => {
    thinking = Promise.resolve();
  });

  const open = async (environment: Record<string, string> = {}, ...flags: string[]) => {
    const local = start(
      {
        MODEL: 'openai-compatible/test',
        MODEL_BASE_URL: model.url,
        MODEL_API_KEY: 'of the test',
        ...environment,
      },
      ...flags,
    );
    const url = await local.url;
    const state = (await (await fetch(`${url}/playground/state`)).json()) as PlaygroundState;
    const chat = state.platforms[0]?.chats[0];
    const address = `${url}/playground/feishu/chats/${chat?.id}`;
    return {
      ...local,
      url,
      write: async (text: string) => {
        const response = await fetch(`${address}/messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ from: chat?.members[0], text, mention: false }),
        });
        expect(response.status).toBe(200);
      },
      view: async () => (await (await fetch(address)).json()) as ChatView,
      /** What the bot said, cards left out. */
      texts: async () => {
        const { posts } = (await (await fetch(address)).json()) as ChatView;
        return posts.flatMap(({ from, content }) =>
          from === 'bot' && content.kind === 'text' ? content.text : [],
        );
      },
    };
  };
  type Open = Awaited<ReturnType<typeof open>>;
  const openAsk = (bot: Open) =>
    eventually(async () => {
      const { look, posts } = await bot.view();
      expect(look).toMatchObject({ phase: 'WAITING_CONFIRM', ask: { state: 'open' } });
      expect(posts.at(-1)?.content.kind).toBe('card');
      return look.ask;
    });
  /** Its function has returned: nothing of it is left to be done. */
  const asked = async (bot: Open) => {
    await bot.write('please note milk');
    await eventually(async () => {
      const { events } = (await bot.view()).look;
      expect(events.map(({ event }) => event)).toContain('agent-worked');
    });
    return openAsk(bot);
  };

  it('is up with nothing set, within 15 s, prints where, and ends at Ctrl+C with nothing left behind', async () => {
    const startedAt = Date.now();
    const local = startProcess({ STATE_DIR: join(folder, 'state') });
    running.push(local);
    const url = await local.url;
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    const health = await fetch(`${url}/healthz`);
    expect(health.status).toBe(200);
    expect((await fetch(`${url}/`)).headers.get('content-type')).toContain('text/html');
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${url}/webhook/nobody`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${url}/webhook/feishu`, { method: 'POST', body: '{}' })).status).toBe(401);

    const stoppingAt = Date.now();
    const { code, stdout, stderr } = await local.interrupt();
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(Date.now() - stoppingAt).toBeLessThan(5_000);
    expect(stdout).toContain(`${url}/webhook/feishu`);
    expect(stdout).toContain('demo');
    expect(stdout).toContain(join(folder, 'state'));
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('ends with the shell that npm runs it in', async () => {
    const settings = { PORT: '0', STATE_DIR: join(folder, 'state'), DATABASE_URL };
    const shell = spawn('sh', ['-c', `"${process.execPath}" ${COMMAND.join(' ')}; true`], {
      env: { ...process.env, ...settings, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let printed = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    try {
      await eventually(() => expect(printed).toContain('is running'));
      shell.kill('SIGTERM');
      // It has the same standard output, which closes when the last process that holds it is gone.
      await eventually(() => expect(shell.stdout.closed).toBe(true));
    } finally {
      if (!shell.stdout.closed) process.kill(-Number(shell.pid), 'SIGKILL');
    }
  });

  it('goes on with an open ask after Ctrl+C and after kill -9', async () => {
    const first = await open();
    const ask = await asked(first);
    expect((await first.interrupt()).code).toBe(0);

    const second = await open();
    expect(await openAsk(second)).toEqual(ask);
    await second.kill();

    const third = await open();
    expect(await openAsk(third)).toEqual(ask);
    await third.write('确认');
    await eventually(async () => expect((await third.texts()).join()).toContain('finished after'));
    // Told first, ended after.
    await eventually(async () =>
      expect((await third.view()).look).toMatchObject({ phase: 'IDLE', waiting: 0 }),
    );
  });

  it.each(['kill', 'interrupt'] as const)(
    'loses no message to %s: not the one being worked on, not the one behind it',
    async (end) => {
      thinking = new Promise(() => {});
      const first = await open();
      await first.write('first');
      await eventually(async () => expect((await first.view()).look.phase).toBe('EXECUTING'));
      await first.write('second');
      await eventually(() => expect(jobsOnDisk()).toBe(2));
      const endingAt = Date.now();
      const { code } = await first[end]();
      expect(code).toBe(end === 'kill' ? null : 0);
      expect(Date.now() - endingAt).toBeLessThan(8_000);

      thinking = Promise.resolve();
      const second = await open();
      await eventually(async () => {
        const texts = await second.texts();
        expect(texts.filter((text) => text.includes('first'))).toHaveLength(1);
        expect(texts.filter((text) => text.includes('second'))).toHaveLength(1);
      });
    },
  );

  it('tells of an ask that ran out while nobody was here', async () => {
    const COUNTERSIGN_CONFIG = join(folder, 'config.json');
    writeFileSync(COUNTERSIGN_CONFIG, '{ "approval": { "timeoutSeconds": 2 } }');
    const first = await open({ COUNTERSIGN_CONFIG });
    const ask = await asked(first);
    await first.kill();
    await eventually(() => expect(Date.now()).toBeGreaterThan(ask?.expiresAt ?? 0));

    const second = await open({ COUNTERSIGN_CONFIG });
    await eventually(async () => expect((await second.view()).look.phase).toBe('IDLE'));
    expect((await second.texts()).join()).toContain('finished after');
  });

  it('starts empty with --reset', async () => {
    const first = await open();
    await asked(first);
    await first.interrupt();
    const second = await open({}, '--reset');
    expect(await second.view()).toMatchObject({ posts: [], look: { phase: 'IDLE' } });
  });

  it('plays no platform for which a real bot is set up', async () => {
    const local = start({
      FEISHU_APP_ID: 'cli_real',
      FEISHU_APP_SECRET: 'a-real-secret',
      FEISHU_ENCRYPT_KEY: 'a-real-key',
      FEISHU_VERIFICATION_TOKEN: 'a-real-token',
      FEISHU_BASE_URL: 'http://127.0.0.1:9',
      MODEL: 'openai-compatible/test',
      MODEL_BASE_URL: model.url,
    });
    const url = await local.url;
    const state = (await (await fetch(`${url}/playground/state`)).json()) as PlaygroundState;
    expect(state.platforms.map(({ name }) => name)).toEqual(['dingtalk']);
    const { stdout } = await local.interrupt();
    expect(stdout).not.toMatch(/Feishu.*stand-in|a-real/);
  });
});
