import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@fds/errors';
import type { SocketRefusal } from './create-socket-register.js';

const refusals = {
  FULL: { status: 503, error: new AppError('UNAVAILABLE', 'there are too many websockets') },
  ADDRESS_FULL: { status: 429, error: new AppError('RATE_LIMITED', 'too many websockets have not signed in') },
} as const satisfies Record<SocketRefusal, object>;

/** Answers a request to become a websocket with a refusal, as GraphQL over HTTP has it, and ends the connection. */
export const refuseUpgrade = (connection: Duplex, refusal: SocketRefusal): void => {
  const { status, error } = refusals[refusal];
  const body = JSON.stringify({ errors: [{ message: error.message, extensions: { code: error.code } }] });
  connection.on('error', () => undefined);
  connection.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n${body}`,
    () => connection.destroy(),
  );
};
