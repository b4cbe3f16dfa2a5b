import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DingtalkStandIn,
  startDingtalkStandIn,
} from '#hosts/local/standins/dingtalk/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { type PlaygroundServer, startPlayground } from '../support/playground-server.ts';
import { apiOf, type BotReply, startBot } from '../unit/hosts/dingtalk-standin/given.ts';
import { poorContrasts } from './contrast.ts';
import { IDLE } from './page.ts';

/** The real stand-in under the real page: what a bot sends over the wire is what is seen, what is clicked reaches it. */
const OPS = 'cidStandIn/Group+00001==';
const LI = '014703011860200002';
const complaints: string[] = [];
let browser: Browser;
let dingtalk: DingtalkStandIn;
let playground: PlaygroundServer;
let bot: Awaited<ReturnType<typeof startBot>>;
let api: ReturnType<typeof apiOf>;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  complaints.length = 0;
  bot = await startBot();
  dingtalk = await startDingtalkStandIn({ callbackUrl: bot.url });
  api = apiOf(dingtalk);
  await api.logIn();
  playground = await startPlayground({
    standIns: [dingtalk],
    look: async () => IDLE,
    language: 'en',
    model: 'demo',
  });
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await playground.stop();
  await dingtalk.stop();
  expect(complaints).toEqual([]);
});

const open = async (colorScheme: 'light' | 'dark' = 'light'): Promise<Page> => {
  const context = await browser.newContext({ reducedMotion: 'reduce', colorScheme });
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`${playground.url}/#dingtalk/${encodeURIComponent(OPS)}/${LI}`);
  await page.locator('#phase:not(:empty)').waitFor();
  return page;
};
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dtmd = (text: string) =>
  `dtmd://dingtalkclient/sendMessage?content=${encodeURIComponent(text)}`;

const ACTION_CARD = {
  title: '需要确认',
  text: [
    '### 需要确认：修改数据',
    '**data_modify** 风险 *HIGH*  ',
    'DELETE FROM orders',
    '',
    '> 将影响 3 行',
    '',
    '- 一',
    '- 二',
    '',
    `按钮没有反应时请点这里：[确认执行吧](${dtmd('确认-K7Q2')}) ｜ [文档](https://example.com/)`,
  ].join('\n'),
  buttonTitle1: '确认执行',
  buttonUrl1: dtmd('确认-K7Q2'),
  buttonTitle2: '取消',
  buttonUrl2: dtmd('取消-K7Q2'),
};

const PARAMS = {
  title: '需要确认：修改数据',
  text_1: "data_modify（高风险）\nDELETE FROM order_items WHERE note = '<b>**x**</b>';",
  text_2: '将影响 3 行',
  lines: '发起人 @王小明 · 15:42 前有效',
  hint: '也可以回复：确认 ｜ 取消',
  waiting: 'true',
  confirm_label: '确认执行',
  cancel_label: '取消',
  modify_label: '提交修改',
  modify_hint: '想怎么改',
  pointer: '{"a":"a1"}',
};
const decided: BotReply = {
  body: {
    cardUpdateOptions: { updateCardDataByKey: true, updatePrivateDataByKey: true },
    cardData: { cardParamMap: { waiting: 'false', lines: '李雷 已确认', hint: '' } },
    userPrivateData: { cardParamMap: { notice: '已收到' } },
  },
};
const refused: BotReply = { body: { userPrivateData: { cardParamMap: { notice: '你不能决定' } } } };

describe('an action card', () => {
  it('shows DingTalk’s markdown, and its buttons side by side', async () => {
    await api.toGroup(OPS, 'sampleActionCard6', ACTION_CARD);
    const page = await open();
    const card = page.locator('.card');
    expect(await card.locator('h4').textContent()).toBe('需要确认：修改数据');
    expect(await card.locator('strong').textContent()).toBe('data_modify');
    expect(await card.locator('blockquote').textContent()).toBe('将影响 3 行');
    expect(await card.locator('li').allTextContents()).toEqual(['一', '二']);
    expect(await card.locator('p').first().innerText()).toBe(
      'data_modify 风险 HIGH\nDELETE FROM orders',
    );
    expect(await card.locator('a').getAttribute('href')).toBe('https://example.com/');
    const [yes, no] = await Promise.all(
      ['确认执行', '取消'].map((name) => button(page, name).boundingBox()),
    );
    expect(yes?.y).toBe(no?.y);
  });

  it('makes the clicker write, by a button and by a link alike', async () => {
    await api.toGroup(OPS, 'sampleActionCard6', ACTION_CARD);
    const page = await open();
    await button(page, '确认执行').click();
    await page.getByText('@Countersign 确认-K7Q2').waitFor();
    await button(page, '确认执行吧').click();
    await expect.poll(() => bot.requests.length).toBe(2);
    expect(bot.requests.map(({ body }) => [body.senderStaffId, body.text.content])).toEqual([
      [LI, ' 确认-K7Q2'],
      [LI, ' 确认-K7Q2'],
    ]);
  });
});

describe('an interactive card', () => {
  it('shows its variables where the template has them, letter by letter', async () => {
    await api.card('a1', OPS, { ...PARAMS, odd: 'nowhere' });
    const page = await open();
    const { title, text_1, text_2, lines, hint } = PARAMS;
    const plain = await page.locator('.card .plain').allTextContents();
    expect(plain).toEqual([title, text_1, text_2, lines, hint]);
    expect(await page.locator('.card hr').count()).toBe(1);
    expect(await page.locator('.unsupported').allTextContents()).toEqual(['odd: nowhere']);
    expect(await page.locator('.card b').count()).toBe(0);
  });

  it('calls the bot back, and shows what its answer changed, for whom', async () => {
    await api.card('a1', OPS, PARAMS);
    bot.answer(() => refused);
    const page = await open();
    await button(page, '确认执行').click();
    expect(await page.locator('.private').textContent()).toBe('@李雷 alone sees: 你不能决定');
    bot.answer(() => decided);
    await button(page, '确认执行').click();
    await page.getByText('李雷 已确认').waitFor();
    expect(await page.locator('.card button, .private').count()).toBe(0);
    const { userId, content } = bot.requests[0]?.body ?? expect.fail();
    expect([userId, JSON.parse(content).cardPrivateData]).toEqual([
      LI,
      { actionIds: ['confirm'], params: { action: 'confirm', pointer: PARAMS.pointer } },
    ]);
  });

  it('sends what was entered, and says when the bot did not answer', async () => {
    await api.card('a1', OPS, PARAMS);
    bot.answer(() => ({ status: 500 }));
    const page = await open();
    await page.getByPlaceholder('想怎么改').fill('只删 2024 年的');
    await button(page, '提交修改').click();
    expect(await page.locator('.toast-error').textContent()).toContain('HTTP 500');
    const { content } = bot.requests[0]?.body ?? expect.fail();
    expect(JSON.parse(content).cardPrivateData.params).toMatchObject({
      action: 'modify',
      feedback: '只删 2024 年的',
    });
  });
});

it('keeps hostile text as text, and follows no odd address', async () => {
  const evil = '<img src=x onerror=alert(1)></script><script>alert(1)</script>';
  const text = `# ${evil}\n${evil} [bad](javascript:alert) ![](https://example.com/x.png)`;
  await api.toGroup(OPS, 'sampleMarkdown', { title: 't', text });
  await api.card('a1', OPS, { ...PARAMS, title: evil, text_1: evil, confirm_label: evil });
  const page = await open();
  expect(await page.locator('.bubble h4').textContent()).toBe(evil);
  expect(await page.locator('.card .plain').first().textContent()).toBe(evil);
  await button(page, 'bad').click();
  expect(
    await page.locator('#posts img:not([src="/console/icon.svg"]), body script, #posts a').count(),
  ).toBe(0);
  expect(bot.requests).toEqual([]);
});

it.each(['light', 'dark'] as const)('can be read in the %s', async (colorScheme) => {
  await api.toGroup(OPS, 'sampleMarkdown', { title: 't', text: ACTION_CARD.text });
  await api.toGroup(OPS, 'sampleActionCard6', ACTION_CARD);
  await api.card('a0', OPS, { ...PARAMS, waiting: 'false', odd: 'nowhere' });
  await api.card('a1', OPS, PARAMS, {
    privateData: { [LI]: { cardParamMap: { notice: '你不能决定' } } },
  });
  const page = await open(colorScheme);
  const { poor } = await page.evaluate(poorContrasts);
  expect(poor).toEqual([]);
});
