import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { type LocalProcess, startProcess } from '../support/local-process.ts';

/** The whole bot as `npm start` runs it, used by people in a real browser. */
const WANG = 'oc_c0000000000000000000000000000001';
const GROUP = 'oc_c0000000000000000000000000000101';
const [WANG_ID, LI_ID] = [1, 2].map((n) => `ou_a${String(n).padStart(31, '0')}`);
const DELETE = '删除 orders 表里 status=1 的记录';
const COUNT = 'orders 表里 status=1 的有多少条';

let browser: Browser;
let folder: string;
let bot: LocalProcess;
let url: string;

const startBot = async (
  approval: object,
  name: string,
  port = '0',
  ...flags: string[]
): Promise<void> => {
  const COUNTERSIGN_CONFIG = join(folder, `${name}.json`);
  writeFileSync(COUNTERSIGN_CONFIG, JSON.stringify({ approval }));
  bot = startProcess({ STATE_DIR: join(folder, name), COUNTERSIGN_CONFIG, PORT: port }, ...flags);
  url = await bot.url;
};

const open = async (chat: string, person = WANG_ID, platform = 'feishu'): Promise<Page> => {
  const page = await browser.newPage({ locale: 'zh-CN' });
  await page.goto(`${url}/#${platform}/${encodeURIComponent(chat)}/${person}`);
  await page.locator('#phase:not(:empty)').waitFor();
  return page;
};
const say = async (page: Page, text: string): Promise<void> => {
  await page.locator('#text').fill(text);
  await page.locator('#text').press('Enter');
};
const card = (page: Page) => page.locator('.card').last();
const until = (page: Page, text: string) => card(page).getByText(text).first().waitFor();
const heard = (page: Page, text: string | RegExp) =>
  page.locator('.post').getByText(text).last().waitFor();

beforeAll(async () => {
  browser = await launchBrowser();
  folder = mkdtempSync(join(tmpdir(), 'countersign-browser-'));
});
afterAll(async () => {
  await browser?.close();
  await bot?.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe('the bot, by default', () => {
  beforeAll(() => startBot({}, 'default'));
  afterAll(() => bot.interrupt());

  it('shows what it would delete, runs nothing on a no or a question, and deletes on 确认', async () => {
    const page = await open(WANG);
    await say(page, DELETE);
    await until(page, '请确认操作');
    await until(page, 'DELETE FROM orders WHERE status = 1');
    await until(page, '将影响 37 行');

    await say(page, '不确认');
    await until(page, '已取消，未执行');
    await say(page, COUNT);
    await heard(page, /37/);

    await say(page, DELETE);
    await until(page, '请确认操作');
    await say(page, 'ok?');
    await until(page, '已要求修改，未执行');
    await say(page, COUNT);
    await heard(page, /37/);

    await say(page, DELETE);
    await until(page, '请确认操作');
    await say(page, '确认');
    await until(page, '已执行');
    await until(page, '王小明');
    await say(page, COUNT);
    await heard(page, /(?<!\d)0(?!\d)/);
  });

  it('goes on after kill -9 while it waits: the same card, clicked, is carried out', async () => {
    const page = await open(GROUP);
    await say(page, '把 customers 表里 id=7 的 city 改成 南京');
    await until(page, '请确认操作');
    await bot.kill();
    await page.locator('#banner:not([hidden])').waitFor();
    await startBot({}, 'default', new URL(url).port);
    await page.locator('#banner[hidden]').waitFor({ state: 'attached' });

    const colleague = await open(GROUP, LI_ID);
    await card(colleague).getByRole('button', { name: '确认', exact: true }).click();
    await colleague.locator('#toasts').getByText('你不能决定这个请求').waitFor();
    await card(page).getByRole('button', { name: '确认', exact: true }).click();
    await until(page, '已执行');
  });
});

describe('the bot on DingTalk', () => {
  const CHAT = 'cidStandInSingle00000001=';
  const PERSON = '014703011860200001';
  const confirm = (page: Page) =>
    card(page).getByRole('button', { name: '确认', exact: true }).last().click();
  const asked = async (): Promise<Page> => {
    const page = await open(CHAT, PERSON, 'dingtalk');
    await say(page, DELETE);
    await until(page, 'DELETE FROM orders WHERE status = 1');
    await until(page, '将影响 37 行');
    return page;
  };

  it('asks with a card that shows what came of it', async () => {
    await startBot({}, 'template');
    const page = await asked();
    await confirm(page);
    await until(page, '已执行');
    await bot.interrupt();
  });

  it('asks without a card template, by a button that says the word', async () => {
    await startBot({}, 'no-template', '0', '--action-cards');
    const page = await asked();
    await confirm(page);
    await heard(page, '已执行');
    await say(page, COUNT);
    await heard(page, /(?<!\d)0(?!\d)/);
    await bot.interrupt();
  });
});

describe('the bot, with other settings', () => {
  afterAll(() => bot.interrupt());

  it('says that nobody answered in time, and runs nothing', async () => {
    await startBot({ timeoutSeconds: 10, approvers: 'anyone' }, 'short');
    const page = await open(WANG);
    await say(page, DELETE);
    await until(page, '请确认操作');
    await until(page, '操作超时，已取消');
    await say(page, COUNT);
    await heard(page, /37/);
  });

  it('lets one of two people through who click at once, and tells the other', async () => {
    const [one, other] = [await open(GROUP, WANG_ID), await open(GROUP, LI_ID)];
    await say(one, '记一条笔记：周五发布');
    await Promise.all([until(one, '请确认操作'), until(other, '请确认操作')]);
    const confirm = (page: Page) =>
      card(page).getByRole('button', { name: '确认', exact: true }).click();
    await Promise.all([confirm(one), confirm(other)]);
    const toasts = [one, other].map((page) => page.locator('#toasts > *').first().textContent());
    const told = await Promise.all(toasts);
    expect(told.filter((text) => text?.includes('已确认'))).toHaveLength(1);
    expect(told.filter((text) => text?.includes('这个请求已由'))).toHaveLength(1);
    await until(one, '已执行');
  });
});
