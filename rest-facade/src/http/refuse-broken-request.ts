import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@fds/errors';
import { newRequestId } from '@fds/service';
import { problemType, renderProblem } from '../problem/problem.js';

const toError = (code: string | undefined): AppError => {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE', 'address and headers are too long');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT', 'the request did not come in time');
  return new AppError('MALFORMED_REQUEST', 'the request is not well-formed HTTP');
};

/**
 * Is an answer to an earlier request of the connection in progress? Node's own handler of invalid requests has the same
 * check.
 */
const isAnswering = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true;

/**
 * Answers input that is not a valid request: broken HTTP, headers over the limit, or a request that does not end.
 * Closes the connection. Use it as the option `clientErrorHandler` of the server.
 *
 * @param baseUrl address that clients see
 */
export const createClientErrors =
  (baseUrl: string) =>
  (cause: Error & { readonly code?: string }, socket: Socket): void => {
    if (cause.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    const place = { errorsPage: `${baseUrl}/docs/errors`, instance: `urn:uuid:${requestId}`, requestId };
    const { status, body } = renderProblem(toError(cause.code), place);
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  };
