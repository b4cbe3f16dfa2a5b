import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { askCode, messageId } from '#domain/ids.ts';
import { textsIn } from '#domain/texts.ts';
import { defineTool } from '#ports/tool.ts';
import { ANN } from '../../support/cloud.ts';
import { createMemoryBot } from '../../support/memory-bot.ts';
import { callTool, say, scripted } from '../../support/scripted-model.ts';

const texts = textsIn('zh-CN');

const aBot = () =>
  createMemoryBot({
    model: scripted([callTool('act', {}), say('好了')]),
    tools: {
      act: defineTool({
        description: 'acts',
        input: z.object({}),
        risk: 'HIGH',
        run: async () => 'acted',
      }),
    },
  });
const asked = async () => {
  const bot = aBot();
  await bot.write('go');
  await bot.runAll();
  return bot;
};

describe('nothing but a mention', () => {
  it.each([
    ['', []],
    ['  \n', []],
    ['@小助手', ['@小助手']],
  ])(
    '%j decides nothing and starts nothing: it is told what the bot can do',
    async (text, mentionNames) => {
      const bot = await asked();
      expect(await bot.write(text, { mentionNames })).toEqual({ kind: 'noticed' });
      await bot.runAll();
      expect(bot.platform.texts()).toEqual([texts.help]);
      expect((await bot.session()).ask?.state).toBe('open');
    },
  );
});

describe('mentions among the words', () => {
  const mentionNames = ['@李雷', '@李雷雷'];
  it.each([
    ['确认 @李雷', 'confirm'],
    ['@李雷雷 取消。', 'cancel'],
    ['@李雷 修改：少删一点', 'modify'],
  ])('%j is a %s', async (text, kind) => {
    const bot = await asked();
    expect(await bot.write(text, { mentionNames })).toMatchObject({ kind: 'claimed' });
    expect((await bot.session()).ask?.decision).toMatchObject({ kind, by: ANN });
  });

  it('stay in what is to change', async () => {
    const bot = await asked();
    await bot.write('修改：先问 @李雷', { mentionNames });
    expect((await bot.session()).ask?.decision?.text).toBe('先问 @李雷');
  });

  it('decide nothing for somebody else: 确认 stays a word of the sentence', async () => {
    const bot = await asked();
    await bot.write('请 @李雷 确认', { mentionNames });
    expect((await bot.session()).ask?.decision).toMatchObject({ kind: 'modify' });
  });
});

describe('the code of a card', () => {
  it.each(['', ' ', '+', '-'])('counts with %j between it and its word', async (between) => {
    const bot = await asked();
    const code = askCode((await bot.session()).ask?.id ?? ('' as never));
    await bot.write(`确认${between}${code}`);
    expect((await bot.session()).ask?.decision).toMatchObject({ kind: 'confirm' });
  });
});

it('changes and picks are heard with the code of their card, too', async () => {
  const bot = await asked();
  const code = askCode((await bot.session()).ask?.id ?? ('' as never));
  await bot.write(`修改${code}：少一点`);
  expect((await bot.session()).ask?.decision).toMatchObject({ kind: 'modify', text: '少一点' });
});

describe('a reply in a group that claimed, and whose process died before it queued anything', () => {
  it('is taken up when the platform delivers it again', async () => {
    const bot = aBot();
    const to = { channel: 'test', app: 'app', chat: 'chat', group: true };
    await bot.write('go', { to, mentionsSomeBot: true });
    await bot.runAll();
    const parent = bot.platform.lastCard().sent.message;
    const reply = { to, parent, id: messageId('yes') };
    const { send } = bot.queue;
    bot.ports.queue = {
      send: async () => {
        throw new Error('killed');
      },
    };
    await expect(bot.write('确认', reply)).rejects.toThrow('killed');
    bot.ports.queue = { send };
    expect(await bot.write('确认', reply)).toMatchObject({ kind: 'claimed' });
    await bot.runAll();
    expect(bot.platform.texts()).toEqual(['好了']);
  });
});

describe('a text that no message of the queue can hold', () => {
  it('is cut with a note that says so, without half a character', async () => {
    const bot = await asked();
    await bot.click('cancel');
    await bot.runAll();
    await bot.write(`a${'😀'.repeat(60_000)}`);
    const { job } = bot.take();
    const heard = job.type === 'message' ? job.message.text : '';
    expect(heard).toMatch(/😀 \[truncated: 33333 of 120001 characters\]$/);
    expect(heard.isWellFormed()).toBe(true);
  });

  it('is whole where it fits', async () => {
    const bot = await asked();
    await bot.click('cancel');
    await bot.runAll();
    const long = '长'.repeat(50_000);
    await bot.write(long);
    const { job } = bot.take();
    expect(job).toMatchObject({ message: { text: long } });
  });
});
