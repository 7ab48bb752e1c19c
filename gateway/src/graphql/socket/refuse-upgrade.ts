import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@fds/errors';
import type { SocketRefusal } from './create-socket-register.js';

/** ELSEWHERE: the path does not accept websockets. */
type UpgradeRefusal = SocketRefusal | 'ELSEWHERE';

const refusals = {
  FULL: { status: 503, error: new AppError('UNAVAILABLE', 'there are too many websockets') },
  ADDRESS_FULL: { status: 429, error: new AppError('RATE_LIMITED', 'too many websockets have not signed in') },
  ELSEWHERE: { status: 404, error: new AppError('NOT_FOUND', 'websockets are opened at /graphql') },
} as const satisfies Record<UpgradeRefusal, object>;

/** Refuses an upgrade to a websocket with an answer of GraphQL over HTTP, and ends the connection. */
export const refuseUpgrade = (connection: Duplex, refusal: UpgradeRefusal): void => {
  const { status, error } = refusals[refusal];
  const retry = refusal === 'ELSEWHERE' ? '' : 'Retry-After: 1\r\n';
  const body = JSON.stringify({ errors: [{ message: error.message, extensions: { code: error.code } }] });
  connection.on('error', () => undefined);
  connection.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${retry}Connection: close\r\n\r\n${body}`,
    () => connection.destroy(),
  );
};
