import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { confirmCard, doneCard, formCard, hostileCard, LONG_SQL, submitted } from './cards.ts';
import { givenPage } from './page.ts';

const world = givenPage();

const show = (card: unknown, chat = 'oc_team') =>
  world.feishu.post({ chat, content: { kind: 'card', card } });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('a card', () => {
  it('shows what it was given, letter by letter', async () => {
    show(confirmCard);
    const page = await world.open('oc_team');
    expect(await page.locator('.card-header h3').textContent()).toBe('需要确认：修改数据');
    expect(await page.locator('.card pre').textContent()).toBe(LONG_SQL);
    expect(await page.locator('.card .at').textContent()).toBe('@陈美');
    expect(await page.locator('.ink-red').textContent()).toBe('HIGH');
    const details = page.locator('.panel-body');
    expect(await details.isVisible()).toBe(false);
    await page.getByText('完整参数').click();
    expect(await details.isVisible()).toBe(true);
  });

  it('sends the value of the button, as the person one is, and shows the toast with their name', async () => {
    const { id } = show(confirmCard);
    world.feishu.answer = () => ({ toast: { type: 'warning', content: 'not yours' } });
    const page = await world.open('oc_team/ou_lei');
    await button(page, '确认执行').click();
    const toast = page.locator('#toasts .toast-warning');
    expect(await toast.textContent()).toBe('李雷not yours');
    expect(world.feishu.clicks).toEqual([
      { message: id, by: 'ou_lei', value: { a: 'confirm', ask: 'a1' } },
    ]);
  });

  it('shows what the client says when the bot does not answer', async () => {
    show(confirmCard);
    world.feishu.answer = () => ({ error: '目标回调服务超时未响应 (200341)' });
    const page = await world.open('oc_team');
    await button(page, '取消').click();
    expect(await page.locator('.toast-error').textContent()).toContain('200341');
  });

  it('lets two people click at once, each from their own window', async () => {
    const { id } = show(confirmCard);
    const both = Promise.withResolvers<void>();
    world.feishu.answer = async ({ by }) => {
      if (world.feishu.clicks.length === 2) both.resolve();
      await both.promise;
      return { toast: { type: 'info', content: `told ${by}` } };
    };
    const mei = await world.open('oc_team/ou_mei');
    const lei = await world.open('oc_team/ou_lei');
    await button(mei, '确认执行').click();
    expect(await button(mei, '确认执行').isDisabled()).toBe(true);
    await button(lei, '取消').click();
    expect(await mei.locator('.toast').textContent()).toContain('told ou_mei');
    expect(await lei.locator('.toast').textContent()).toContain('told ou_lei');
    expect(world.feishu.clicks.map(({ message, by }) => [message, by])).toEqual([
      [id, 'ou_mei'],
      [id, 'ou_lei'],
    ]);
  });

  it('changes in place when the bot changes it, and keeps the keyboard where it was', async () => {
    const { id } = show(confirmCard);
    const page = await world.open('oc_team');
    await button(page, '确认执行').focus();
    world.feishu.change(id, { content: { kind: 'card', card: doneCard }, updatedAt: Date.now() });
    await page.getByText('已执行').waitFor();
    expect(await button(page, '确认执行').isDisabled()).toBe(true);
    expect(await page.locator('.meta').textContent()).toContain('updated');
    expect(await page.locator('.card').evaluate((node) => node === document.activeElement)).toBe(
      true,
    );
    expect(await page.locator('.card').count()).toBe(1);
  });
});

describe('a form', () => {
  const fill = async (page: Page) => {
    await page.getByLabel('Reason').fill('cleaning up');
    await page.getByRole('combobox', { name: 'Pick a region' }).selectOption('South');
    await page.getByLabel('3. delete_file').check();
    await page.getByLabel('There is a backup').uncheck();
  };

  it('is not sent while something required is missing, and says what', async () => {
    show(formCard);
    const page = await world.open('oc_team');
    await button(page, 'Submit').click();
    expect(await page.locator('.problem:visible').count()).toBe(2);
    const reason = page.getByLabel('Reason');
    expect(await reason.getAttribute('aria-invalid')).toBe('true');
    expect(await reason.evaluate((node) => node === document.activeElement)).toBe(true);
    await reason.fill('x');
    await reason.press('Enter');
    await button(page, 'Submit').click();
    expect(await page.locator('.problem:visible').count()).toBe(1);
    expect(await page.locator('dialog').count()).toBe(0);
    expect(world.feishu.clicks).toEqual([]);
  });

  it('asks back where the button says so, and takes Escape for a no', async () => {
    show(formCard);
    const page = await world.open('oc_team');
    await fill(page);
    await button(page, 'Submit').click();
    expect(await page.getByRole('dialog', { name: 'Sure?' }).textContent()).toContain('undone');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(page, 'Submit').click();
    await button(page, 'Cancel').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(world.feishu.clicks).toEqual([]);
  });

  it('sends its values by name with the value and name of its button', async () => {
    const { id } = show(formCard);
    world.feishu.answer = () => ({ toast: { type: 'success', content: 'received' } });
    const page = await world.open('oc_team');
    await fill(page);
    await button(page, 'Submit').click();
    await button(page, 'OK').click();
    await page.locator('.toast-success').waitFor();
    expect(world.feishu.clicks).toEqual([{ ...submitted, message: id, by: 'ou_mei' }]);
  });

  it('keeps what is half filled in while the conversation goes on, in either language', async () => {
    const { id } = show(formCard);
    const page = await world.open('oc_team');
    await fill(page);
    world.feishu.post({ chat: 'oc_team', content: { kind: 'text', text: 'by the way' } });
    await page.getByText('by the way').waitFor();
    world.feishu.change(id, { reactions: ['DONE'] });
    await page.locator('.reaction').waitFor();
    await page.getByLabel('李雷').check();
    await page.locator('#language').click();
    expect(await page.getByLabel('Reason').inputValue()).toBe('cleaning up');
    expect(await page.getByLabel('3. delete_file').isChecked()).toBe(true);
    await button(page, 'Reset').click();
    expect(await page.getByLabel('Reason').inputValue()).toBe('');
    expect(world.feishu.clicks).toEqual([]);
  });
});

describe('hostile text', () => {
  it('stays text in a card', async () => {
    show(hostileCard);
    const page = await world.open('oc_team');
    const card = page.locator('.card');
    expect(await card.locator('h3').textContent()).toBe('<img src=x onerror=alert(1)>');
    const body = await card.locator('.card-body').textContent();
    for (const text of [
      '<img src=x onerror="alert(1)"> </script><script>alert(1)</script> [bad](javascript:alert(1))',
      '<b> <at id=all></at> **not bold** &lt;code&gt; **x** SELECT * FROM a * b',
      '**plain** <at id=ou_mei></at> &lt;',
      '@ou_nobody<font color=\'x" onclick="alert(1)\'>odd</font>',
      '[unsupported: table]',
      '[unsupported: <b>]',
      '[unsupported: constructor]',
      'A chart',
      '@Ann Smith',
    ])
      expect(body).toContain(text);
    expect(await card.locator('img, script, b, font').count()).toBe(0);
    expect(await card.locator('em').textContent()).toBe('slanted');
    const links = card.locator('a');
    expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      'https://example.com/a?b=1&c=2',
      'https://example.com/',
    ]);
    expect(await links.first().getAttribute('rel')).toContain('noopener');
  });

  it('stays text in a message, a name, a quote, a toast and an event', async () => {
    const evil = '<img src=x onerror=alert(1)></script><script>alert(1)</script>';
    const { id } = world.feishu.post({ chat: 'oc_team', content: { kind: 'text', text: evil } });
    world.feishu.post({
      chat: 'oc_team',
      from: evil,
      content: { kind: 'text', text: 'x' },
      replyTo: id,
    });
    show(confirmCard);
    world.feishu.answer = () => ({ toast: { type: evil, content: evil } });
    world.look = {
      session: evil,
      phase: evil,
      waiting: 0,
      ask: {
        id: evil,
        kind: evil,
        tools: [evil],
        expiresAt: 0,
        may: [evil],
        round: 1,
        state: evil,
      },
      events: [{ time: evil, level: evil, event: evil, facts: { why: evil } }],
    };
    const page = await world.open('oc_team');
    await button(page, '取消').click();
    expect(await page.locator('.toast').textContent()).toContain(evil);
    expect(await page.locator('.bubble').first().textContent()).toBe(evil);
    expect(await page.locator('#posts img:not([src="/console/icon.svg"])').count()).toBe(0);
    expect(await page.locator('#inspector img, #toasts img, body script').count()).toBe(0);
    expect(await page.locator('#inspector').textContent()).toContain(evil);
  });

  it('is shown as it was sent where it is no card at all', async () => {
    for (const card of [null, 'text', [], { body: { elements: 'x' } }]) show(card);
    show({ body: { elements: [null, 1, { tag: 'column_set', columns: 7 }] } });
    const page = await world.open('oc_team');
    expect(await page.locator('.card-raw pre').allTextContents()).toEqual([
      'null',
      '"text"',
      '[]',
      JSON.stringify({ body: { elements: 'x' } }, null, 2),
    ]);
    expect(await page.locator('.card-body').textContent()).toBe('[unsupported: ?][unsupported: ?]');
  });
});
