import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerJson } from './http-gateway.ts';

export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The one address of the local host. */
export interface Door {
  readonly url: string;
  /** Requests that came before wait for this; only a question after the health is answered, with a no. */
  open(serve: Serve): void;
  stop(): Promise<void>;
}

/** Takes the port at once: when it is busy nothing else has been touched yet. */
export const openDoor = async (port: number): Promise<Door> => {
  const opened = Promise.withResolvers<Serve>();
  let serve: Serve = async (request, response) => {
    if (request.url === '/healthz') return answerJson(response, 503, 'Service Unavailable');
    await (await opened.promise)(request, response);
  };
  // What fails here is a client that went away in the middle of its request.
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new Error(whyNot(port, error), { cause: error });
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (opening) => {
      serve = opening;
      opened.resolve(opening);
    },
    stop: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

const whyNot = (port: number, { code, message }: NodeJS.ErrnoException): string => {
  if (code === 'EADDRINUSE')
    return `port ${port} is in use: stop what listens there, or set PORT to another one`;
  if (code === 'EACCES') return `port ${port} may not be used: set PORT to one above 1023`;
  return `port ${port} cannot be used (${message}): set PORT to another one`;
};
