import { expect, it } from 'vitest';
import { commandIn } from '#domain/command.ts';

it.each([
  ['/cancel', 'cancel'],
  ['/status', 'status'],
  ['/reset', 'reset'],
  ['/help', 'help'],
  ['/whoami', 'whoami'],
  ['/enable', 'enable'],
  ['/disable', 'disable'],
  ['  /Cancel!\n', 'cancel'],
  ['／ＳＴＡＴＵＳ。', 'status'],
])('hears %j as the command %s', (text, command) => {
  expect(commandIn(text)).toBe(command);
});

it.each([
  'cancel',
  '取消',
  '/cancel?',
  '/cancel now',
  '/ cancel',
  '//cancel',
  '/stop',
  '/',
  '',
  'please /cancel',
])('hears no command in %j', (text) => {
  expect(commandIn(text)).toBeUndefined();
});
