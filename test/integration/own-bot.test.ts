import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type FeishuStandIn, startFeishuStandIn } from '#hosts/local/standins/feishu/index.ts';
import { type LocalProcess, startProcess } from '../support/local-process.ts';

/** A user's own platform and keys, in place of the stand-in that `npm start` brings. */
const secrets = {
  appId: 'cli_ofmyown0000000001',
  appSecret: 'a secret of my own',
  encryptKey: 'an encrypt key of my own',
  verificationToken: 'a token of my own',
};
let feishu: FeishuStandIn;
let bot: LocalProcess;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-own-'));
  feishu = await startFeishuStandIn({ secrets });
  bot = startProcess({ STATE_DIR: folder, ...feishu.environment });
  feishu.setCallbackUrl(`${await bot.url}/webhook/feishu`);
});
afterAll(async () => {
  await bot?.kill();
  await feishu?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const CHAT = 'oc_c0000000000000000000000000000001';
const PERSON = 'ou_a0000000000000000000000000000001';
const lastCard = () =>
  JSON.stringify(
    feishu
      .posts(CHAT)
      .flatMap(({ content }) => (content.kind === 'card' ? [content.card] : []))
      .at(-1),
  );
const until = (text: string) =>
  vi.waitFor(() => expect(lastCard()).toContain(text), { timeout: 30_000, interval: 50 });

it('runs against the platform and the keys that the environment names', async () => {
  const verified = await feishu.verifyUrl();
  expect(verified).toEqual({ kind: 'verified' });
  await feishu.write({ chat: CHAT, from: PERSON, text: '清空笔记', mention: false });
  await feishu.settled();
  expect(feishu.deliveries().at(-1)?.tries).toMatchObject([{ status: 200 }]);
  await until('delete_notes');
  const message = feishu.posts(CHAT).find(({ content }) => content.kind === 'card')?.id ?? '';
  const value = /"value":(\{[^}]*"d":"confirm"[^}]*\})/.exec(lastCard())?.[1] ?? '';
  const shown = await feishu.click({ message, by: PERSON, value: JSON.parse(value) });
  expect(shown.toast).toMatchObject({ type: 'success' });
  await until('已执行');
});

it('is deaf to whoever has only the well-known keys of the stand-in', async () => {
  const stranger = await startFeishuStandIn({ callbackUrl: `${await bot.url}/webhook/feishu` });
  await stranger.write({ chat: CHAT, from: PERSON, text: '清空笔记', mention: false });
  await stranger.settled();
  expect(stranger.deliveries().at(-1)?.tries).toMatchObject([{ status: 401 }]);
  await stranger.stop();
});
