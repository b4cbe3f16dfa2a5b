import { describe, expect, it } from 'vitest';
import { textsIn } from '#domain/texts.ts';
import { type ChannelUnderTest, startBot } from './channel-bot.ts';

const CHOICE = { kind: 'choice', prompt: '哪个环境？', options: ['开发', '测试', '生产'] };
const NUMBER = { kind: 'input', prompt: '多少行？', pattern: '\\d+', placeholder: '数字' };
const texts = textsIn('zh-CN');

/** `ask_user`: a form where the channel has one, and words on every channel. */
export const describeQuestions = (subject: ChannelUnderTest): void => {
  const ask = async (question: object) => {
    const bot = await startBot(subject);
    const { single } = bot.chats;
    await bot.write(single, `ask ${JSON.stringify(question)}`);
    expect(await bot.sessionOf(single)).toMatchObject({ phase: 'WAITING_INPUT' });
    const shown = JSON.stringify(bot.botPosts(single).at(-1)?.content);
    const reply = (text: string) => bot.write(single, text);
    const isOpen = async () => (await bot.sessionOf(single)).ask?.state === 'open';
    return { ...bot, single, shown, reply, isOpen };
  };
  type Asked = Awaited<ReturnType<typeof ask>>;
  const expectAnswer = async (bot: Asked, answer: string) => {
    expect(bot.results()).toEqual([answer]);
    expect(bot.textsIn(bot.single).at(-1)).toBe('thank you');
    expect((await bot.sessionOf(bot.single)).phase).toBe('IDLE');
  };

  describe('a question', () => {
    it('is shown with all there is to choose from, numbered', async () => {
      const { shown } = await ask(CHOICE);
      expect(shown).toContain(CHOICE.prompt);
      for (const [index, option] of CHOICE.options.entries())
        expect(shown).toMatch(new RegExp(`${index + 1}\\. ?${option}`));
    });

    it.each([
      [CHOICE, '2', '测试'],
      [CHOICE, '生产', '生产'],
      [{ ...CHOICE, multiple: true }, '1,3', '开发, 生产'],
      [{ ...CHOICE, multiple: true }, '生产、1', '生产, 开发'],
      [NUMBER, '42', '42'],
      [{ kind: 'input', prompt: '给谁？' }, '确认', '确认'],
    ])('%j is answered by the words %s', async (question, words, answer) => {
      const bot = await ask(question);
      await bot.reply(words);
      await expectAnswer(bot, answer);
    });

    it.each([
      [CHOICE, '4', texts.wrongPick(3)],
      [CHOICE, '1,2', texts.wrongPick(3)],
      [NUMBER, 'many', texts.wrongAnswer],
    ])('%j stays open after %s, and says what would do', async (question, words, told) => {
      const bot = await ask(question);
      await bot.reply(words);
      expect(bot.textsIn(bot.single).at(-1)).toBe(told);
      expect(await bot.isOpen()).toBe(true);
    });

    it('is cancelled by the bare word', async () => {
      const bot = await ask(NUMBER);
      await bot.reply('取消');
      expect(bot.results()).toEqual([expect.stringContaining('declined')]);
      expect((await bot.sessionOf(bot.single)).ask?.decision).toMatchObject({ kind: 'cancel' });
    });

    if (!subject.forms.includes('answer')) return;
    it.each([
      [NUMBER, '42', '42'],
      [CHOICE, '2', '测试'],
      [{ ...CHOICE, multiple: true }, ['1', '3'], '开发, 生产'],
    ])('%j is answered by its form: %j', async (question, entered, answer) => {
      const bot = await ask(question);
      await bot.submit(bot.single, 'answer', entered);
      expect(bot.costs.at(-1)).toEqual(['read', 'write', 'send']);
      await expectAnswer(bot, answer);
    });

    it('stays open after a form that does not fit, and says so to who sent it', async () => {
      const bot = await ask(NUMBER);
      const { toast } = await bot.submit(bot.single, 'answer', 'many');
      expect(toast?.content).toBe(texts.wrongAnswer);
      expect(await bot.isOpen()).toBe(true);
    });
  });
};
