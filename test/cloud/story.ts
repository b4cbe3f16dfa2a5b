import { setTimeout as sleep } from 'node:timers/promises';
import type { FeishuStandIn } from '#hosts/local/standins/feishu/index.ts';
import type { Post } from '#hosts/local/standins/stand-in.ts';
import type { Cloud } from './cloud.ts';
import { forgetTalk, redriveMessage, seeAsk, seeAudit } from './operate.ts';
import type { Operator } from './operator.ts';
import { createTalk, isOpenCard, isText, shown, type Talk } from './talk.ts';

export interface Scene {
  readonly feishu: FeishuStandIn;
  readonly cloud: Cloud;
  readonly operator: Operator;
  readonly webhookUrl: string;
  /** What the bot is told in its secret. */
  readonly secret: Readonly<Record<string, string>>;
  redeploy(): Promise<void>;
  /** Runs one step and prints what it saw. */
  step(name: string, run: () => Promise<string>): Promise<void>;
}

const ASK_SECONDS = 30;
/** Five tries with 5, 15, 45, 45 and 45 s behind them; and a schedule may be a minute late. */
const FAILURE_SECONDS = 200;
const TRIES = 5;
/** Notes that were asked about by the time that ticks are looked at. */
const LONG_ASKS = 4;
/** As long as a platform may take, so that there is time to look at the turn. */
const SLOW_MS = 8_000;

/** Everything from outside: what people write and click, and what they see of it. */
export const play = async (scene: Scene): Promise<void> => {
  const { feishu, cloud, operator, step } = scene;
  const [wang, li, han] = [0, 1, 2].map((index) => createTalk(feishu, index)) as [Talk, Talk, Talk];

  await step('ops doctor misses the keys', () =>
    operator.diagnose({ secret: /put a JSON object into it/ }),
  );
  await step('a wrong secret is refused, the right one taken up', () => rotate(scene));
  await step('a request without a signature is refused', () => forge(scene));

  // Both take their time, so they are begun first and looked at last.
  const failing = await han.say('记一下：买药');
  feishu.fail({ path: replyTo(failing), status: 500, code: 2200, times: TRIES });
  const expiring = await li.say('删除所有笔记');
  const ignored = await li.next(expiring, 'a card', isOpenCard);

  await step('ask, confirm by click', async () => {
    const asked = await wang.say('记一下：买牛奶');
    const card = await wang.next(asked, 'a card', isOpenCard);
    const { toast, error } = await wang.click(card, 'confirm');
    if (toast?.type !== 'success')
      throw new Error(`the click was answered: ${error ?? toast?.content}`);
    return `toast ${toast.content}; ${shown(await wang.next(card, 'the answer', isText(/买牛奶/)))}`;
  });

  await step('ask, confirm by text', async () => {
    const asked = await wang.say('记一下：买面包');
    const card = await wang.next(asked, 'a card', isOpenCard);
    await untilNoted(cloud, wang);
    await wang.say('确认');
    return shown(await wang.next(card, 'the answer', isText(/买面包/)));
  });

  await step('ask, cancel; nothing was run', async () => {
    const asked = await wang.say('记一下：买酒');
    const card = await wang.next(asked, 'a card', isOpenCard);
    await wang.click(card, 'cancel');
    await wang.next(card, 'the answer', isText(/./));
    const looked = await wang.say('看看笔记');
    const notes = shown(await wang.next(looked, 'the notes', isText(/买牛奶[\s\S]*买面包/)));
    if (notes.includes('买酒')) throw new Error(`a cancelled call was run: ${notes}`);
    return notes.replaceAll('\n', ' ');
  });

  await step('an ask outlives a deploy', async () => {
    const asked = await wang.say('记一下：买茶');
    const card = await wang.next(asked, 'a card', isOpenCard);
    const before = await cloud.codeOf('agent');
    const [seen] = await Promise.all([seeAsk(operator, wang), scene.redeploy()]);
    const after = await cloud.codeOf('agent');
    if (before === after) throw new Error('the deploy changed nothing, so it proves nothing');
    await wang.click(card, 'confirm');
    const answer = shown(await wang.next(card, 'the answer', isText(/买茶/)));
    return `code ${before?.slice(0, 8)} became ${after?.slice(0, 8)}; ${answer}; ${seen}`;
  });

  await step('an ask nobody answers expires by its schedule', async () => {
    const told = await li.next(ignored, 'the expiry', isText(/超时/), FAILURE_SECONDS);
    const seconds = (told.at - ignored.at) / 1000;
    if (seconds < ASK_SECONDS - 5) throw new Error(`expired after ${seconds} s already`);
    if (isOpenCard(li.again(ignored))) throw new Error('its card can still be clicked');
    return `${shown(told)} (${seconds.toFixed(1)} s after its card)`;
  });

  // All while the failing job is tried again.
  const lost = await li.say('删除所有笔记');
  const unheard = await li.next(lost, 'a card', isOpenCard);
  const undelivered = await loseTimer(cloud, li);
  await step('a tick finds its question settled, and removes its own schedule', () =>
    tick(cloud, wang),
  );
  await step('ops doctor of a bot that is well', () => operator.diagnose());
  await step('ops audit and policy say who decided what, and why it was asked', () =>
    seeAudit(operator, wang, [
      ['confirm', 'done'],
      ['confirm', 'done'],
      ['cancel', 'cancelled'],
      ['confirm', 'done'],
    ]),
  );
  await step('ops turns and forget: not while a turn runs', () =>
    forgetTalk(operator, cloud, wang, async () => {
      const asked = await wang.say('看看笔记');
      feishu.fail({ path: replyTo(asked), times: 1, delayMs: SLOW_MS });
    }),
  );

  await step('a timer that could not be delivered is carried out from its queue', async () => {
    await sleep(Math.max(0, undelivered.expiresAt - Date.now()));
    if (!isOpenCard(li.again(unheard))) throw new Error('it expired without its timer');
    await cloud.leaveUndelivered(undelivered.payload);
    return shown(await li.next(unheard, 'the expiry', isText(/超时/)));
  });

  await step('a job that fails five times: the person is told, the session is free', async () => {
    const told = await han.next(
      failing,
      'word of the failure',
      isText(/处理失败/),
      FAILURE_SECONDS,
    );
    const again = await han.say('看看笔记');
    const notes = shown(await han.next(again, 'an answer', isText(/./)));
    if (notes.includes('买药')) throw new Error(`what nobody confirmed was run: ${notes}`);
    return `${shown(told)} (${((told.at - failing.at) / 1000).toFixed(0)} s after the message)`;
  });

  await step('ops doctor tells of it', async () => {
    await drain(cloud);
    return operator.diagnose({ failed: /^1 failed: ops failed lists them/ });
  });
  await step('ops failed and redrive: it runs as a new message', () =>
    redriveMessage(operator, han, failing),
  );
  await step('nothing is left lying', async () => {
    await drain(cloud);
    return `queues empty, schedules: ${(await cloud.schedules()).length}`;
  });
};

interface Timed {
  readonly name: string;
  /** What its schedule gives the timeout function. */
  readonly payload: string;
  readonly expiresAt: number;
}

const timersOf = async (cloud: Cloud, { session }: Talk): Promise<readonly Timed[]> => {
  const all = await Promise.all(
    (await cloud.schedules()).map(async (name) => {
      const payload = await cloud.timerOf(name);
      return { name, payload, ...(JSON.parse(payload) as { session: string; expiresAt: number }) };
    }),
  );
  return all.filter((one) => one.session === session);
};

/** Takes the schedule of an open question away, as if it had fired in vain. */
const loseTimer = async (cloud: Cloud, talk: Talk): Promise<Timed> => {
  const timer = (await timersOf(cloud, talk)).find(({ expiresAt }) => expiresAt > Date.now());
  if (!timer) throw new Error(`no schedule is set for ${talk.name}`);
  await cloud.removeSchedule(timer.name);
  return timer;
};

/** Long questions have one every quarter of an hour; here what they say is said at once. */
const tick = async (cloud: Cloud, talk: Talk): Promise<string> => {
  const ticks = async () =>
    (await timersOf(cloud, talk)).filter(({ name }) => name.endsWith('-tick'));
  const settled = await ticks();
  if (settled.length !== LONG_ASKS) throw new Error(`${settled.length} ticks, not ${LONG_ASKS}`);
  for (const { payload } of settled) await cloud.invoke('timeout', payload);
  const left = await ticks();
  if (left.length > 0) throw new Error(`still there: ${left.map(({ name }) => name).join(', ')}`);
  return `${settled.length} schedules are gone`;
};

const replyTo = ({ id }: Post): string => `/open-apis/im/v1/messages/${id}/reply`;

/** A text counts as an answer once the bot has noted when its card was shown. No person types faster; this test does. */
const untilNoted = async (cloud: Cloud, { session }: Talk): Promise<void> => {
  for (let waited = 0; waited < 100; waited += 1) {
    const item = (await cloud.rowsOf(session)).find(({ sk }) => sk === '#');
    const { shown: copies = [] } = (item?.['ask'] ?? {}) as { shown?: readonly unknown[] };
    if (copies.length > 0) return;
    await sleep(100);
  }
  throw new Error('the bot never noted that its card was shown');
};

const drain = async (cloud: Cloud): Promise<void> => {
  for (let waited = 0; (await cloud.queued()) > 0; waited += 1) {
    if (waited > 60) throw new Error(`${await cloud.queued()} messages stay in the queues`);
    await sleep(500);
  }
};

/** The functions read the secret again when a verification fails, at most every ten seconds. */
const rotate = async ({ feishu, cloud, operator, secret }: Scene): Promise<string> => {
  await cloud.putSecret({ ...secret, FEISHU_VERIFICATION_TOKEN: 'not-the-token' });
  const refused = await feishu.verifyUrl();
  if (refused.kind !== 'failed' || refused.why !== 'HTTP 401')
    throw new Error(`with a wrong token the URL check was ${JSON.stringify(refused)}`);
  await cloud.putSecret(secret);
  const start = Date.now();
  const seen = await operator.diagnose({ feishu: /HTTP 401/ });
  for (;;) {
    if ((await feishu.verifyUrl()).kind === 'verified') break;
    if (Date.now() - start > 30_000) throw new Error('the new secret was not taken up in 30 s');
    await sleep(500);
  }
  return `401, then verified ${((Date.now() - start) / 1000).toFixed(1)} s after the change; ${seen}`;
};

const forge = async ({ webhookUrl }: Scene): Promise<string> => {
  const { status } = await fetch(webhookUrl, { method: 'POST', body: '{"encrypt":"AAAA"}' });
  if (status !== 401) throw new Error(`answered with ${status}`);
  return 'HTTP 401';
};
