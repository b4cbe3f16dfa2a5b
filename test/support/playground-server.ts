import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPlayground, type PlaygroundOptions } from '#hosts/local/playground.ts';

export interface PlaygroundServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** The playground alone behind a real HTTP server; what is not the playground's is a 404 of the server. */
export const startPlayground = async (
  options: PlaygroundOptions,
  port = 0,
): Promise<PlaygroundServer> => {
  const playground = createPlayground(options);
  const server = createServer((request, response) => {
    playground(request, response).then(
      (mine) => mine || response.writeHead(404).end('not mine'),
      (error) => response.destroy(error),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const listening = (server.address() as AddressInfo).port;
  return {
    port: listening,
    url: `http://127.0.0.1:${listening}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
