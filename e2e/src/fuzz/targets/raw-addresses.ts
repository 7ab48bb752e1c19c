import { connect } from 'node:net';
import fc from 'fast-check';
import type { FuzzCase, FuzzTarget } from '../fuzz-target.js';
import type { FuzzStage } from '../open-fuzz-stage.js';
import { anyText, encodeText } from '../values/hostile-values.js';

const known = [
  '/api/zones',
  '/api/drs',
  '/graphql',
  '/oauth2/auth',
  '/openid/login',
  '/docs',
  '/health',
  '/.well-known',
];

/** Part of a request target: printable ASCII only, because other bytes end the request line early. */
const piece = fc.oneof(
  fc.constantFrom(
    '/',
    '//',
    '/..',
    '/.',
    '%2e%2e/',
    '%',
    '%zz',
    '%00',
    '%ff',
    ';',
    '?',
    '&',
    '=',
    '#',
    '\\',
    '*',
    ':80',
  ),
  fc.stringMatching(/^[\u0021-\u007e]{0,20}$/),
  anyText.map(encodeText),
);

const target = fc
  .tuple(fc.constantFrom(...known, ''), fc.array(piece, { maxLength: 8 }))
  .map(([start, pieces]) => start + pieces.join(''))
  .map((text) => (text === '' ? '/' : text.startsWith('/') || text.startsWith('*') ? text : `/${text}`));

const method = fc.constantFrom('GET', 'POST', 'OPTIONS', 'HEAD', 'TRACE', 'PURGE', 'PATCH', 'get');

const header = fc.oneof(
  fc.constantFrom(
    'Content-Length: 0',
    'Transfer-Encoding: chunked\r\n\r\n0',
    'Content-Type: application/json; charset=x',
    'X-Forwarded-For: ::1, a',
    'Forwarded: for=',
    'Range: bytes=0-',
    'Origin: null',
    'Cookie: a=b; __proto__=c',
    'Upgrade: h2c\r\nConnection: upgrade',
    'Authorization: Basic ====',
    'Authorization: Bearer ey.ey.ey',
    'Authorization: Bearer',
    'If-None-Match: *',
    'Accept: ;q=',
  ),
  fc.stringMatching(/^[A-Za-z-]{1,12}: [\u0020-\u007e]{0,30}$/),
);

const answerMs = 60_000;
/** `/health` tells that the database does not answer within two seconds, which may be true for a moment. */
const attempts = 4;

/** Sends text over a new connection. @returns the status of the first answer, undefined when the server closes without one */
const statusOf = (host: string, port: number, text: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host);
    let received = '';
    const finish = (): void => {
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1];
      resolve(status === undefined ? undefined : Number(status));
    };
    socket.setTimeout(answerMs, () => {
      socket.destroy();
      reject(new Error(`no answer within ${answerMs} ms`));
    });
    socket.on('error', finish);
    socket.on('end', finish);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (received.includes('\r\n\r\n')) finish();
    });
    socket.on('connect', () => socket.write(text));
  });

/** Request lines and headers as raw bytes, because an HTTP client would refuse to send them. */
export const rawAddresses = ({ doors: { service } }: FuzzStage): FuzzTarget => {
  const { hostname, port } = new URL(service.baseUrl);
  const cases = fc.tuple(method, target, fc.array(header, { maxLength: 3 })).map(([verb, path, headers]): FuzzCase => {
    const text = [`${verb} ${path} HTTP/1.1`, `Host: ${hostname}:${port}`, ...headers, 'Connection: close'].join(
      '\r\n',
    );
    return {
      label: JSON.stringify(text),
      ask: async () => {
        const send = (): Promise<number | undefined> => statusOf(hostname, Number(port), `${text}\r\n\r\n`);
        let status = await send();
        for (let attempt = 1; status === 503 && attempt < attempts; attempt += 1) status = await send();
        if (status !== undefined && status >= 500) throw new Error(`status ${status}`);
      },
    };
  });
  return { name: 'addresses', cases };
};
