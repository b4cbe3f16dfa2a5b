import type { ServerResponse } from 'node:http';
import type { Change } from '#console/wire.ts';
import type { StandIn } from '../standins/stand-in.ts';
import { SAFE_HEADERS } from './answer.ts';

const HEARTBEAT_MS = 15_000;

/** Server-sent events: where something changed, never what. Who missed some reads the chat again and has missed nothing. */
export const streamChanges = (standIns: readonly StandIn[], response: ServerResponse): void => {
  response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'text/event-stream' });
  response.write(': hello\n\n');
  const stops = standIns.map((standIn) =>
    standIn.watch((chat) => {
      const change: Change = { platform: standIn.name, chat };
      response.write(`data: ${JSON.stringify(change)}\n\n`);
    }),
  );
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);
  heartbeat.unref();
  response.on('close', () => {
    clearInterval(heartbeat);
    for (const stop of stops) stop();
  });
};
