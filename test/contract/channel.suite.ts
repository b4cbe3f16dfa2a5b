import { describe, expect, it } from 'vitest';
import { textsIn } from '#domain/texts.ts';
import { type Channel, ChannelError, type Webhook, type WebhookRequest } from '#ports/channel.ts';
import { type ChannelUnderTest, startBot } from './channel-bot.ts';
import { describeQuestions } from './channel-questions.suite.ts';

/** The promises of every channel. */
export const describeChannel = (name: string, subject: ChannelUnderTest): void => {
  describe(`the channel ${name}`, () => {
    it('answers a message, in a group and in a single chat', async () => {
      const bot = await startBot(subject);
      for (const chat of [bot.chats.single, bot.chats.group]) {
        await bot.write(chat, 'say hello');
        expect(bot.textsIn(chat).join('')).toBe('hello'.repeat(2_000));
      }
    });

    it('refuses what is forged, and starts nothing by it', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const [genuine] = bot.requests;
      if (!genuine) throw new Error('nothing was delivered');
      const said = bot.botPosts(bot.chats.single).length;
      const forged = subject.forgeries(genuine);
      expect(forged.length).toBeGreaterThan(2);
      for (const request of forged) expect(await bot.post(request)).toBe(401);
      await bot.work();
      expect(bot.botPosts(bot.chats.single)).toHaveLength(said);
    });

    it(`refuses what is stale: ${subject.windowMs ?? 'it declares no window'}`, async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const [genuine] = bot.requests;
      if (!genuine) throw new Error('nothing was delivered');
      bot.clock.advance((subject.windowMs ?? 6 * 3_600_000) + 60_000);
      expect(await bot.post(genuine)).toBe(subject.windowMs === undefined ? 200 : 401);
    });

    it('passes the check of its address, where the platform makes one', async () => {
      const { platform } = await startBot(subject);
      expect((await platform.handshake?.()) ?? true).toBe(true);
    });

    it('takes a message that is delivered again for the one it was', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const said = bot.textsIn(bot.chats.single);
      const [delivery] = bot.standIn.deliveries();
      await bot.standIn.redeliver(delivery?.id ?? '');
      for (const request of [...bot.requests]) expect(await bot.post(request)).toBe(200);
      await bot.work();
      expect(bot.textsIn(bot.chats.single)).toEqual(said);
    });

    it('shows what would run, and runs it once when somebody presses the button', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.group, 'drop *table* <b>');
      expect(bot.ran).toEqual([]);
      await bot.press(bot.chats.group, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual(['drop *table* <b>']);
      expect(bot.textsIn(bot.chats.group).at(-1)).toBe('all done');
      expect((await bot.sessionOf(bot.chats.group)).phase).toBe('IDLE');
    });

    it('takes a press that is delivered again for the one it was', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.group, 'drop it');
      await bot.press(bot.chats.group, 'confirm', bot.people.wang);
      const posts = bot.botPosts(bot.chats.group).length;
      const pressed = bot.requests.at(-1);
      if (!pressed) throw new Error('nothing was delivered');
      expect(await bot.post(pressed)).toBe(200);
      await bot.work();
      expect(bot.ran).toEqual(['drop it']);
      expect(bot.botPosts(bot.chats.group)).toHaveLength(posts);
    });

    it('runs nothing when the button says no', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'drop it');
      await bot.press(bot.chats.single, 'cancel', bot.people.wang);
      expect(bot.ran).toEqual([]);
      expect((await bot.sessionOf(bot.chats.single)).ask?.decision).toMatchObject({
        kind: 'cancel',
      });
    });

    it('matches a press to its own ask and to nobody else', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'first');
      await bot.press(bot.chats.single, 'cancel', bot.people.wang);
      const old = bot.cardIn(bot.chats.single);
      await bot.write(bot.chats.single, 'second');
      expect(bot.cardIn(bot.chats.single).id).not.toBe(old.id);
      await bot.write(bot.chats.group, 'third', bot.people.li);
      await bot.press(bot.chats.single, 'confirm', bot.people.wang, old);
      expect(bot.ran).toEqual([]);
      // Somebody else's ask: only the one who asked may decide it.
      await bot.press(bot.chats.group, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual([]);
      await bot.press(bot.chats.group, 'confirm', bot.people.li);
      expect(bot.ran).toEqual(['third']);
      await bot.press(bot.chats.single, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual(['third', 'second']);
    });

    it('shows an ask to those who may decide it, wherever they are, and tells the chat whom it waits for', async () => {
      const { name } = subject.definition;
      const bot = await startBot(subject, ([, li]) => ({
        approvers: [`${name}:nobody0000000001`, `elsewhere:bob`, `${name}:${li?.id}`],
        deliverTo: 'approvers',
      }));
      const { group, ofLi } = bot.chats;
      await bot.write(group, 'drop it');
      expect(() => bot.cardIn(group)).toThrow('there is no card');
      expect(bot.textsIn(group).at(-1)).toContain(bot.people.li);
      expect(bot.ran).toEqual([]);
      await bot.press(ofLi, 'confirm', bot.people.li);
      expect(bot.ran).toEqual(['drop it']);
      expect(bot.textsIn(group).at(-1)).toBe('all done');
      expect((await bot.sessionOf(group)).phase).toBe('IDLE');
    });

    it('takes the words of those who may decide, and of nobody else', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.group, 'drop it');
      await bot.write(bot.chats.group, '确认', bot.people.li);
      expect(bot.ran).toEqual([]);
      await bot.write(bot.chats.group, '确认');
      expect(bot.ran).toEqual(['drop it']);
    });

    it('tells who may not decide why the press did not count', async () => {
      const bot = await startBot(subject);
      const { group } = bot.chats;
      await bot.write(group, 'drop it');
      const card = bot.cardIn(group);
      const shown = await bot.press(group, 'confirm', bot.people.li, card);
      expect(bot.platform.toldWhy(card, bot.people.li, shown)).toContain(bot.people.wang);
      expect(bot.ran).toEqual([]);
      expect((await bot.sessionOf(group)).ask?.state).toBe('open');
    });

    it('takes no word of a bot, neither for a decision nor for a message', async () => {
      const bot = await startBot(subject);
      const { single } = bot.chats;
      await bot.write(single, 'drop it');
      const [message] = bot.requests;
      if (!message) throw new Error('nothing was delivered');
      const posts = bot.botPosts(single).length;
      for (const botSays of ['确认', 'drop more']) {
        bot.clock.advance(1_500);
        expect(await bot.post(subject.remade(message, { botSays }))).toBe(200);
        await bot.work();
      }
      expect(await bot.sessionOf(single)).toMatchObject({ aside: [], ask: { state: 'open' } });
      expect(bot.botPosts(single)).toHaveLength(posts);
      expect(bot.ran).toEqual([]);
    });

    it('answers a picture with one polite line, and starts nothing by it', async () => {
      const bot = await startBot(subject);
      const { single } = bot.chats;
      await bot.write(single, 'say hi');
      const said = bot.textsIn(single).length;
      const [message] = bot.requests;
      if (!message) throw new Error('nothing was delivered');
      expect(await bot.post(subject.remade(message, 'picture'))).toBe(200);
      await bot.work();
      expect(bot.textsIn(single).slice(said)).toEqual([textsIn('zh-CN').onlyText]);
      expect(bot.heard).toHaveLength(1);
    });

    it('asks again after a change, by the form of the card where it has one, else by words', async () => {
      const bot = await startBot(subject);
      const { single } = bot.chats;
      await bot.write(single, 'twice drop it');
      const first = bot.cardIn(single);
      if (subject.forms.includes('modify')) await bot.submit(single, 'modify', 'a smaller one');
      else await bot.write(single, '修改：a smaller one');
      expect(bot.results()).toEqual([expect.stringContaining('a smaller one')]);
      expect(bot.cardIn(single).id).not.toBe(first.id);
      expect((await bot.sessionOf(single)).ask).toMatchObject({ state: 'open', round: 2 });
      await bot.press(single, 'confirm', bot.people.wang);
      expect(bot.ran).toEqual(['drop it']);
    });

    // A number that grows here is what people wait for: the platform gives up after two or three seconds.
    it('makes no more calls before it answers than the design allows, and none to the platform', async () => {
      const bot = await startBot(subject);
      const { single } = bot.chats;
      const cost = () => bot.costs.at(-1);
      const [claimed, lost] = [
        ['write', 'send'],
        ['write', 'write', 'send'],
      ];
      const pressed = (calls: readonly string[]) =>
        subject.buttons === 'call' ? calls : ['read', ...calls];

      await bot.write(single, 'first');
      expect(cost()).toEqual(['read', 'send']);
      await bot.press(single, 'cancel', bot.people.wang);
      expect(cost()).toEqual(pressed(claimed));
      await bot.write(single, 'second');
      await bot.write(single, '取消');
      expect(cost()).toEqual(['read', ...claimed]);
      await bot.write(single, 'third');
      bot.clock.advance(300_000);
      await bot.press(single, 'confirm', bot.people.wang);
      // A button that writes is told why it lost by a message, which is one more to queue.
      expect(cost()).toEqual(subject.buttons === 'call' ? lost : ['read', ...lost, 'send']);
      expect(bot.ran).toEqual([]);
    });

    it('keeps a long reply in order and whole', async () => {
      const bot = await startBot(subject);
      const line = `${'字'.repeat(30)}\n`;
      await bot.write(bot.chats.single, `say ${line.trim()}`);
      const texts = bot.textsIn(bot.chats.single);
      expect(texts.join('')).toBe('字'.repeat(30).repeat(2_000));
      expect(texts.length).toBeGreaterThan(1);
    });

    it('waits out a limit, and then says it', async () => {
      const bot = await startBot(subject);
      bot.platform.limitNext();
      await bot.write(bot.chats.single, 'say hi');
      expect(bot.textsIn(bot.chats.single).join('')).toBe('hi'.repeat(2_000));
    });

    it('puts what cannot be a card into words that can be answered', async () => {
      const bot = await startBot(subject);
      bot.platform.refuseCards();
      await bot.write(bot.chats.single, 'drop it');
      expect(bot.textsIn(bot.chats.single).join('\n')).toContain('│ drop it');
      await bot.write(bot.chats.single, '确认');
      expect(bot.ran).toEqual(['drop it']);
    });

    it('says of a send that will never work that it need not be tried again', async () => {
      const bot = await startBot(subject);
      await bot.write(bot.chats.single, 'say hi');
      const to = (await lastAddress(bot)) as Parameters<Channel['say']>[0];
      bot.platform.refuseAll();
      const failure = await bot.channel.say(to, 'x', 'k').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ChannelError);
      expect(failure).toMatchObject({ retryable: false });
      expect(bot.logged).toContainEqual({
        event: `${subject.definition.name}-failed`,
        facts: expect.objectContaining({ class: 'operator', todo: expect.any(String) }),
      });
    });

    it('ends the turn and frees the session when nothing can be sent at all', async () => {
      const bot = await startBot(subject);
      bot.platform.refuseAll();
      await bot.write(bot.chats.single, 'drop it');
      const { phase, turn } = await bot.sessionOf(bot.chats.single);
      expect({ phase, turn }).toEqual({ phase: 'IDLE', turn: undefined });
      expect(bot.ran).toEqual([]);
    });

    describeQuestions(subject);
  });
};

/** Where the last message came from, as the channel read it. */
const lastAddress = async ({
  webhook,
  requests,
  clock,
}: {
  readonly webhook: Webhook;
  readonly requests: readonly WebhookRequest[];
  readonly clock: { now(): number };
}): Promise<unknown> => {
  const last = requests.at(-1);
  const received = last && (await webhook.receive(last, clock.now()));
  const [inbound] = received?.kind === 'received' ? received.inbound : [];
  return inbound?.type === 'message' ? inbound.to : undefined;
};
