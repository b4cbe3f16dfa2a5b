import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Stands between a client and Postgres and cuts the first connection that says COMMIT to a READ WRITE transaction:
 * `before` it reaches the server, or `after` the server has answered, so that the answer is lost. `freeze` keeps the line
 * open and says nothing.
 */
export const startCuttingProxy = async (target: string, cut: 'before' | 'after' | 'freeze') => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let done = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let writing = false;
    let cutting = false;
    const hangUp = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', hangUp);
      socket.on('close', hangUp);
    }
    client.on('data', (data) => {
      writing ||= data.includes('READ WRITE');
      if (!done && writing && data.includes('COMMIT')) {
        done = true;
        cutting = true;
        if (cut === 'before') return hangUp();
        if (cut === 'freeze') return;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (cutting) hangUp();
      else client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
