/** As much of Postgres' protocol 3.0 as it takes to stand before a backend that knows the rest. */

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;
const NO = Buffer.from('N');

export type Received =
  | { readonly kind: 'batch'; readonly bytes: Buffer }
  | { readonly kind: 'answer'; readonly bytes: Buffer }
  | { readonly kind: 'bye' };

/** Cuts a client's stream into what has to be done, in order. */
export const createReader = () => {
  let rest = Buffer.alloc(0);
  let batched = 0;
  let started = false;

  const startup = (): Received | undefined => {
    if (rest.length < 8 || rest.length < rest.readInt32BE(0)) return undefined;
    const code = rest.readInt32BE(4);
    rest = rest.subarray(rest.readInt32BE(0));
    if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'answer', bytes: NO };
    if (code === CANCEL_REQUEST) return { kind: 'bye' };
    started = true;
    return { kind: 'answer', bytes: GREETING };
  };

  const batch = (): Received | undefined => {
    while (rest.length >= batched + 5) {
      const end = batched + 1 + rest.readInt32BE(batched + 1);
      if (rest.length < end) return undefined;
      const type = String.fromCharCode(rest[batched] ?? 0);
      batched = end;
      if (type === 'X') return { kind: 'bye' };
      // Query and Sync are what Postgres answers with "ready"; the messages before a Sync go with it.
      if (type !== 'Q' && type !== 'S') continue;
      const bytes = rest.subarray(0, end);
      rest = rest.subarray(end);
      batched = 0;
      return { kind: 'batch', bytes };
    }
    return undefined;
  };

  return function* read(data: Buffer): Generator<Received> {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const received = started ? batch() : startup();
      if (!received) return;
      yield received;
    }
  };
};

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const PARAMETERS = {
  server_version: '18.0 (PGlite)',
  server_encoding: 'UTF8',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  integer_datetimes: 'on',
  standard_conforming_strings: 'on',
};

/** Welcome without a password, the parameters, a key nobody can cancel with, ready. */
const GREETING = Buffer.concat([
  message('R', Buffer.alloc(4)),
  ...Object.entries(PARAMETERS).map(([name, value]) =>
    message('S', Buffer.from(`${name}\0${value}\0`)),
  ),
  message('K', Buffer.alloc(8)),
  message('Z', Buffer.from('I')),
]);

export const simpleQuery = (sql: string): Buffer => message('Q', Buffer.from(`${sql}\0`));

/** A batch is answered with "ready" last, which says whether a transaction is open. */
export const inTransaction = (answer: Uint8Array): boolean => answer.at(-1) !== 'I'.charCodeAt(0);
