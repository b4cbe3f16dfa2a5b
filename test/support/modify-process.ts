import { writeSync } from 'node:fs';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import { dataModify } from '#tools/data-modify.ts';
import { call } from './sql-call.ts';

/** A bot that is to be killed: it prints what it saves and hangs at its nth checkpoint, or after all is done. */
const [, , url = '', sql = '', nth = ''] = process.argv;
const say = (line: string) => writeSync(1, `${line}\n`);
const hang = () => new Promise<never>(() => {});
// A pending promise alone keeps no process.
setInterval(() => {}, 1000);

let checkpoints = 0;
const checkpoint = async (data: unknown) => {
  say(JSON.stringify(data));
  checkpoints += 1;
  if (checkpoints < Number(nth)) return;
  say('hanging');
  await hang();
};
await call(dataModify, createPostgresDatabase({ url }), { sql }, { checkpoint });
say('hanging');
