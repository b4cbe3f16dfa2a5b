import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Look } from '#hosts/local/playground.ts';
import { confirmCard, doneCard, formCard } from './cards.ts';
import { poorContrasts } from './contrast.ts';
import { givenPage, IDLE } from './page.ts';

const world = givenPage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const write = (page: Page) => page.getByLabel('Write a message');
const say = (text: string, chat = 'oc_team') =>
  world.feishu.post({ chat, content: { kind: 'text', text } });
const waiting = (expiresAt: number): Look => ({
  session: 'feishu:cli:oc_team',
  phase: 'WAITING_CONFIRM',
  waiting: 2,
  ask: {
    id: 'a1',
    kind: 'confirm',
    tools: ['data_modify', 'write_note'],
    expiresAt,
    may: ['feishu:ou_mei', '*'],
    round: 2,
    state: 'open',
  },
  events: [
    { time: '2026-11-18T10:00:00.000Z', level: 'info', event: 'first', facts: {} },
    {
      time: '2026-11-18T10:00:05.000Z',
      level: 'error',
      event: 'second',
      facts: {
        session: 's',
        why: 'broken',
        by: 'feishu:ou_mei',
        tools: ['x'],
        long: 'x'.repeat(99),
        deep: { a: 1, text: 'so much that it is left to the raw facts' },
      },
    },
  ],
});

describe('the conversation', () => {
  it('offers examples in an empty chat, which wait in the composer to be sent', async () => {
    const page = await world.open('oc_mei');
    await page.getByRole('button', { name: 'Delete all notes' }).click();
    expect(world.feishu.written).toEqual([]);
    await write(page).press('Enter');
    await page.locator('.post[data-mine] .bubble').waitFor();
    expect(world.feishu.written).toEqual([
      { chat: 'oc_mei', from: 'ou_mei', text: 'Delete all notes', mention: true },
    ]);
    expect(await page.getByText('Try this').isVisible()).toBe(false);
    expect(await write(page).inputValue()).toBe('');
  });

  it('speaks as any member of a group, with or without a mention, in answer to a message', async () => {
    const { id } = say('shall I?');
    const page = await world.open('oc_team');
    await page.getByLabel('Ann Smith').check();
    await page.getByLabel('@bot').uncheck();
    await page.getByText('shall I?').hover();
    await page.getByRole('button', { name: 'Reply: Bot' }).click();
    await write(page).pressSequentially('one');
    await write(page).press('Shift+Enter');
    await write(page).pressSequentially('two');
    await write(page).press('Enter');
    await page.locator('.post[data-mine] .quote').waitFor();
    expect(world.feishu.written).toEqual([
      { chat: 'oc_team', from: 'ou_ann', text: 'one\ntwo', mention: false, replyTo: id },
    ]);
    expect(await page.locator('#reply').isVisible()).toBe(false);
  });

  it('has nobody to choose and nobody to mention in a single chat', async () => {
    const page = await world.open('oc_mei/ou_lei');
    expect(await page.locator('#people input').count()).toBe(1);
    expect(await page.getByLabel('陈美').isChecked()).toBe(true);
    expect(await page.getByLabel('@bot').isVisible()).toBe(false);
  });

  it('sends nothing while an input method is composing', async () => {
    const page = await world.open('oc_mei');
    await write(page).fill('que');
    await write(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await write(page).fill('   ');
    await write(page).press('Enter');
    await write(page).fill('确认');
    await write(page).press('Enter');
    await page.locator('.bubble').waitFor();
    expect(world.feishu.written.map(({ text }) => text)).toEqual(['确认']);
  });

  it('keeps a draft by chat, and marks chats with something new', async () => {
    const page = await world.open('oc_team');
    await write(page).fill('half a thou');
    say('hello', 'oc_mei');
    await page.getByRole('button', { name: '陈美 new messages' }).click();
    await page.getByText('hello').waitFor();
    expect(await write(page).inputValue()).toBe('');
    await page.getByRole('button', { name: '订单小组' }).click();
    expect(await write(page).inputValue()).toBe('half a thou');
    expect(await page.locator('.dot').count()).toBe(0);
    expect(page.url()).toContain('#feishu/oc_team/ou_mei');
  });

  it('follows new messages, but leaves a reader who scrolled back where they are', async () => {
    for (let count = 0; count < 40; count += 1) say(`line ${count}`);
    const page = await world.open('oc_team');
    const posts = page.locator('#posts');
    const below = () =>
      posts.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
    expect(await below()).toBeLessThan(2);
    say('seen at once');
    await page.getByText('seen at once').waitFor();
    expect(await below()).toBeLessThan(2);
    await posts.evaluate((node) => node.scrollTo(0, 0));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    say('not yet');
    await page.getByRole('button', { name: 'New messages' }).click();
    expect(await below()).toBeLessThan(2);
  });
});

describe('the session beside it', () => {
  it('shows phase, open ask, what waits and the last events, newest first', async () => {
    world.look = waiting(Date.now() + 100_000);
    const page = await world.open('oc_team');
    const panel = page.locator('#inspector');
    const text = await panel.innerText();
    for (const part of [
      'WAITING_CONFIRM',
      'feishu:cli:oc_team',
      'data_modify',
      'write_note',
      '陈美, anyone here',
      '01:',
    ])
      expect(text).toContain(part);
    expect(await panel.locator('.event b').allTextContents()).toEqual(['second', 'first']);
    expect(await panel.locator('.event span').first().textContent()).toBe(
      'why broken · by 陈美 · tools ["x"]',
    );
    expect(await panel.locator('pre').first().isVisible()).toBe(false);
    await panel.getByText('second').click();
    expect(await panel.locator('pre').first().textContent()).toContain('"deep"');
    world.look = { ...world.look, waiting: 3 };
    say('x');
    await panel.getByText('3', { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('second');
    expect(await panel.locator('pre').first().isVisible()).toBe(true);
    await page.locator('#status').click();
    expect(await panel.isVisible()).toBe(false);
  });

  it('counts down to the end of the ask, and sees by itself what became of it', async () => {
    const now = Date.now();
    world.look = waiting(now + 62_000);
    const page = await world.open('oc_team', {}, ({ clock }) => clock.install({ time: now }));
    const countdown = page.locator('#countdown');
    await page.clock.pauseAt(now + 2_000);
    expect(await countdown.textContent()).toBe('01:00');
    await page.clock.runFor(1_000);
    expect(await countdown.textContent()).toBe('00:59');
    await page.clock.runFor(50_000);
    expect(await countdown.textContent()).toBe('00:09');
    expect(await countdown.getAttribute('class')).toContain('very-soon');
    await page.clock.runFor(9_000);
    expect(await countdown.textContent()).toBe('Expired');
    world.look = IDLE;
    await page.clock.runFor(2_000);
    await expect.poll(() => page.locator('#phase').textContent()).toBe('Idle');
    expect(await countdown.isVisible()).toBe(false);
  });
});

describe('the connection', () => {
  it('is missed when it is lost and comes back by itself, with nothing typed lost', async () => {
    const page = await world.open('oc_team');
    await write(page).fill('precious');
    await world.server.stop();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('restarting');
    await write(page).press('Enter');
    await page.locator('.toast-error').waitFor();
    expect(await write(page).inputValue()).toBe('precious');
    say('while you were away');
    await world.restart();
    await page.getByText('while you were away').waitFor();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    expect(await write(page).inputValue()).toBe('precious');
    await write(page).press('Enter');
    await page.locator('.post[data-mine]').waitFor();
    expect(world.feishu.written.map(({ text }) => text)).toEqual(['precious']);
    // The browser itself reports each refused connection.
    expect(world.complaints.splice(0).filter((one) => !/ERR_|Failed to load/.test(one))).toEqual(
      [],
    );
  });
});

describe('the language', () => {
  it("is the server's until one is chosen, which is remembered", async () => {
    const page = await world.open('oc_team');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByRole('button', { name: 'Switch to Chinese' }).click();
    expect(await page.locator('#send').textContent()).toBe('发送');
    expect(await page.title()).toContain('演练场');
    await page.reload();
    await page.locator('#phase:not(:empty)').waitFor();
    expect(await page.locator('#phase').textContent()).toBe('空闲');
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
  });
});

describe('the look', () => {
  const fill = () => {
    for (const card of [formCard, doneCard, confirmCard])
      world.feishu.post({ chat: 'oc_team', content: { kind: 'card', card }, reactions: ['OnIt'] });
    say(`a word with no end ${'x'.repeat(300)}`);
    world.feishu.post({ chat: 'oc_team', from: 'ou_mei', content: { kind: 'text', text: 'mine' } });
    world.look = waiting(Date.now() + 100_000);
  };

  it('fits a phone without scrolling sideways, with chats and session a tap away', async () => {
    fill();
    const page = await world.open('oc_team', PHONE);
    const sideways = () =>
      page.evaluate(() =>
        [
          document.scrollingElement,
          ...document.querySelectorAll('#posts, #inspector, #sidebar, .card-body'),
        ]
          .filter((node) => node && node.scrollWidth > node.clientWidth)
          .map((node) => node?.id || node?.className),
      );
    expect(await sideways()).toEqual([]);
    const sidebar = page.locator('#sidebar');
    expect(await sidebar.isVisible()).toBe(false);
    await page.locator('#menu').tap();
    expect(await sidebar.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await sidebar.isVisible()).toBe(false);
    expect(await page.locator('#inspector').isVisible()).toBe(false);
    await page.locator('#status').tap();
    const panel = await page.locator('#inspector').boundingBox();
    const composer = await page.locator('#composer').boundingBox();
    expect(panel?.y).toBeGreaterThanOrEqual((composer?.y ?? 0) + (composer?.height ?? 0) - 1);
    expect(await sideways()).toEqual([]);
    await page.locator('#menu').tap();
    await page.getByRole('button', { name: '李雷' }).tap();
    expect(await sidebar.isVisible()).toBe(false);
    expect(await page.locator('#chat-name').textContent()).toBe('李雷');
  });

  it.each(['light', 'dark'] as const)('can be read in the %s', async (colorScheme) => {
    fill();
    const page = await world.open('oc_team', { colorScheme });
    await page.getByRole('button', { name: '提交修改' }).click();
    const { checked, poor } = await page.evaluate(poorContrasts);
    expect(checked).toBeGreaterThan(60);
    expect(poor).toEqual([]);
  });

  it('is used by keyboard alone', async () => {
    world.feishu.post({ chat: 'oc_team', content: { kind: 'card', card: confirmCard } });
    const page = await world.open('oc_team');
    await page.locator('#status').focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    for (let tabs = 0; tabs < 12 && (await focused()) !== '确认执行'; tabs += 1)
      await page.keyboard.press('Tab');
    expect(await focused()).toBe('确认执行');
    expect(
      await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle),
    ).toBe('solid');
    await page.keyboard.press('Enter');
    await expect.poll(() => world.feishu.clicks.length).toBe(1);
  });
});
