import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '#adapters/postgres/database.ts';
import { ConnectionLostError } from '#ports/database.ts';

const message = (type: string, body: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body, 'latin1')]);
};
const WELCOME = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]);
const GOODBYE = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');

it('outlives a server that greets and dismisses in one breath, as one does that is being stopped', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([WELCOME, GOODBYE])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const database = createPostgresDatabase({ url: `postgres://somebody@127.0.0.1:${port}/orders` });
  onTestFinished(() => database.close());
  const limits = { limitMs: 5_000, signal: new AbortController().signal };
  await expect(database.read('SELECT 1', limits)).rejects.toThrow(ConnectionLostError);
});
